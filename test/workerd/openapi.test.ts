import { createExecutionContext, env } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { failureView } from "../../src/api/access/installation-schemas.ts";
import { app } from "../../src/api/app.ts";
import { openapi } from "../../src/api/docs/openapi.ts";
import { fullSchemaOf } from "../../src/api/exports/json-schema.ts";
import { firecrawlFailureView } from "../../src/api/firecrawl/firecrawl-answers.ts";
import { isFirecrawlPath } from "../../src/api/firecrawl/firecrawl-failure.ts";
import { OPERATIONS } from "../../src/api/operations.ts";
import { explainView, viewExplanation } from "../../src/api/records/explain-schemas.ts";
import { recordsPage } from "../../src/api/records/record-schemas.ts";
import { fillPath, namesInPath, type Operation, REFUSED } from "../../src/api/requests/operation.ts";
import type { CrawlDetail, FeedView } from "../../src/api/views.ts";
import { FORMATS } from "../../src/crawl/options/content-options.ts";
import { captureView, PICTURE_TYPE } from "../../src/fetch/browser/capture-view.ts";
import { putOrder, writeExport } from "../../src/passes/export/write-export.ts";
import { type PassOrder, PassRun } from "../../src/passes/pass-run.ts";
import { runPass } from "../../src/passes/run-pass.ts";
import { classifyPages } from "../../src/passes/text/classify-pages.ts";
import { findTopics } from "../../src/passes/text/find-topics.ts";
import { startClassification, startTopics } from "../../src/passes/text/start-text-pass.ts";
import { explain } from "../../src/reading/explain/explain.ts";
import { chooseExamples } from "../../src/reading/records/choose-examples.ts";
import { planPacks } from "../../src/store/mirror/archive-index.ts";
import { analyzeCrawl } from "./analyze-crawl.ts";
import { WATCH } from "./rows.ts";
import { type Web, World } from "./world.ts";

/** Compares the description of the API with the API: its routes, their answers and their refusals. */

const WEB: Web = (url) => {
  const { pathname } = new URL(url);
  const links = ["/one", "/two", "/gone", "/moved", "/x.zip", "https://example.org/"];
  if (pathname === "/") return { links: links.map((link) => new URL(link, url).href) };
  if (pathname === "/moved") return { redirect: "https://example.com/one" };
  return pathname === "/gone" ? { status: 404 } : { links: [] };
};
const silent = { sendBatch: async () => undefined } as unknown as Queue;
const SITEMAP = { format: "urlset", pages: [{ url: "https://example.com/listed", lastmod: 1 }] } as const;
const world = new World(WEB, {
  sitemaps: (url) => (url.endsWith("/sitemap.xml") ? { ...SITEMAP, pages: [...SITEMAP.pages] } : { status: 500 }),
  named: { "https://example.com": ["https://example.com/sitemap.xml", "https://example.com/broken.xml"] },
});
let endedCrawl = "";
/** It is no watch, so its events end. */
let cancelledCrawl = "";
let extractCrawl = "";
let feedPath = "";

beforeAll(async () => {
  endedCrawl = await world.start(["https://example.com/"], { source: "all", topic: "page" });
  await world.runToEnd(endedCrawl);
  const pass = await world.deps.passes.begin(endedCrawl, crypto.randomUUID(), world.now, null);
  if (pass === null) throw new Error("no pass began");
  await runPass(
    new PassRun(
      pass,
      (_, work) => work(),
      () => world.deps,
    ),
  );
  const watch = await world.start(["https://watched.example/"], { watch: { ...WATCH, fixed: false } });
  for (let i = 0; i < 100 && (await world.deps.ledger.crawl(watch))?.status !== "watching"; i++) await world.turn();
  extractCrawl = await world.start(["https://other.example/"], {
    extract: { schema: null, prompt: "the price", evidence: "marked" },
  });
  await world.deps.ledger.cancel(extractCrawl, "cancelled_by_user", world.now);
  cancelledCrawl = await world.start(["https://other.example/"], {});
  await world.deps.ledger.cancel(cancelledCrawl, "cancelled_by_user", world.now);
  await world.deps.heartbeats.note({ due: 0 }, 1);
  // It is a watch with an earlier version of its seed.
  await world.deps.ledger.watch(endedCrawl, WATCH, world.now);
  await env.LEDGER.prepare(
    `INSERT INTO versions (crawl, url, fetched_at, title, content_type, sha256, pack, pack_offset, pack_length, revisits)
     SELECT crawl, url, fetched_at - 1, 'Before', content_type, sha256, pack, pack_offset, pack_length, revisits
     FROM urls WHERE crawl = ?1 AND url = 'https://example.com/'`,
  )
    .bind(endedCrawl)
    .run();
  const feed = (await (await send("post", `/api/crawls/${endedCrawl}/feed`)).json()) as { result: FeedView };
  await analyzeCrawl(endedCrawl, world);
  await readTexts();
  await keepPicture("https://example.com/");
  feedPath = new URL(feed.result.atom ?? "").pathname;
  // Three passes, on a machine that may be ten times as slow.
}, 60_000);

/** Finds topics and labels. */
async function readTexts(): Promise<void> {
  const crawl = await world.deps.ledger.crawl(endedCrawl);
  if (crawl === null) throw new Error("no crawl");
  const deps = { ...world.deps, passRuns: { create: async () => undefined } as never };
  const runOf = (pass: PassOrder) =>
    new PassRun(
      pass,
      (_, work) => work(),
      () => world.deps,
    );
  const topics = await startTopics(crawl, deps);
  if (topics.kind === "started") await findTopics(runOf(topics.pass));
  const labels = ["a", "a", "b", "b"];
  const given = ["", "one", "two", "listed"].map((path, i) => ({
    url: `https://example.com/${path}`,
    label: labels[i] ?? "",
  }));
  const classification = await startClassification(crawl, await chooseExamples(crawl, given, deps), deps);
  if (classification.kind === "started") await classifyPages(runOf(classification.pass));
}

async function keepPicture(url: string): Promise<void> {
  const { response, date, ...view } = captureView(url, { picture: new Uint8Array(3), text: "" }, 1, endedCrawl);
  const bytes = response.reduce((sum, piece) => sum + piece.byteLength, 0);
  const place = { offset: 0, length: bytes, status: 200, contentType: PICTURE_TYPE, fetchedAt: date };
  await world.deps.packs.put(endedCrawl, "picture", response);
  const pack = { name: "picture", bytes, infoBytes: 0, contentBytes: 0, visits: 0 };
  await env.LEDGER.batch(planPacks(env.LEDGER, endedCrawl, [{ ...pack, answers: [{ url: view.url, ...place }] }]));
}

/** The test key of RFC 9421, appendix B.1.4. */
const IDENTITY = {
  IDENTITY_ADDRESS: "https://crawler.test",
  IDENTITY_KEY_20260101T000000Z:
    '{"kty":"OKP","crv":"Ed25519","d":"n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU","x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"}',
};

/** A form is the body as its field `options`, and a file. */
function formOf(options: unknown): FormData {
  const form = new FormData();
  form.append("options", JSON.stringify(options));
  form.append("file", new File(["<h1>A heading</h1><p>Some words.</p>"], "a.html", { type: "text/html" }));
  return form;
}

function send(method: string, path: string, query: Record<string, string> = {}, body?: unknown): Promise<Response> {
  const isForm = path === "/v2/parse";
  const search = new URLSearchParams(query).toString();
  const init = {
    method: method.toUpperCase(),
    headers: { authorization: "Bearer test-token" },
    ...(body === undefined ? {} : { body: isForm ? formOf(body) : JSON.stringify(body) }),
  };
  const url = search === "" ? path : `${path}?${search}`;
  return Promise.resolve(
    app.request(url, init, { ...env, ...IDENTITY, FRONTIER: silent, NOTICES: silent }, createExecutionContext()),
  );
}

async function create(path: string, body: unknown): Promise<string> {
  const answer = (await (await send("post", path, {}, body)).json()) as { result: { id: string } };
  return answer.result.id;
}

/** A new webhook of a crawl, and the delivery of a test notice to it. */
async function addWebhook(crawl: string): Promise<{ webhook: string; delivery: string }> {
  const webhook = await create(`/api/crawls/${crawl}/webhooks`, { url: "https://receiver.test/" });
  return { webhook, delivery: await create(`/api/crawls/${crawl}/webhooks/${webhook}/test`, undefined) };
}

/** A file that an export has made in the background. */
async function makeExport(crawl: string): Promise<string> {
  const id = crypto.randomUUID();
  const pass = await world.deps.passes.begin(crawl, id, world.now, null, { kind: "export" });
  if (pass === null) throw new Error("no pass began");
  await putOrder(pass, { query: { format: "csv" }, parts: 1 }, world.deps.passObjects);
  await writeExport(
    new PassRun(
      pass,
      (_, work) => work(),
      () => world.deps,
    ),
  );
  return id;
}

/** Fills in the path. A GET gets a crawl that has ended; other methods get a new running crawl. */
async function pathOf({ method, example }: Operation, path: string): Promise<string> {
  if (path.startsWith("/feeds/")) return feedPath;
  const id = path.startsWith("/api/schedules")
    ? () => create("/api/schedules", { cron: "0 3 * * *", crawl: { url: "https://example.com/" } })
    : path.startsWith("/api/imports")
      ? () =>
          create("/api/imports", {
            archive: `${crypto.randomUUID().replaceAll("-", "")}`.repeat(2),
            name: "a.warc",
            urls: ["https://example.com/"],
            answers: 0,
          })
      : () =>
          path.endsWith("/events")
            ? cancelledCrawl
            : path.endsWith("/extract/:id")
              ? extractCrawl
              : method === "get" ||
                  /\/(classification|visits|run)$/.test(path) ||
                  (path === "/v2/monitor/:id" && method === "patch")
                ? endedCrawl
                : create(path.endsWith("/:id/urls") ? "/api/crawls?list=a" : "/api/crawls", {
                    url: "https://example.com/",
                    ...(path.endsWith("/extraction") ? { extract: { prompt: "the price" } } : {}),
                    ...(path.startsWith("/v2/monitor") ? { watch: { everyS: 3_600 } } : {}),
                  });
  const names = namesInPath(path);
  const filledId = names.includes("id") ? await id() : "";
  const told = names.includes("webhook") || names.includes("delivery") ? await addWebhook(filledId) : {};
  const values: Record<string, string> = { id: filledId, ...told, ...example?.path };
  if (names.includes("check")) values.check = String((await world.deps.ledger.crawl(filledId))?.createdAt);
  if (names.includes("export")) values.export = await makeExport(filledId);
  const filled = fillPath(path, (name) => values[name] ?? "any");
  // Only a paused crawl can be resumed, and a running one cannot be analyzed.
  if (method === "post" && /\/(resume|passes|topics|exports|extraction)$/.test(filled))
    await send("post", filled.replace(/[a-z]+$/, "pause"));
  return filled;
}

const BY_PATH = OPERATIONS.flatMap((operation) =>
  [operation.path, operation.also].flatMap((path): [string, Operation, string][] =>
    path === undefined ? [] : [[`${operation.method.toUpperCase()} ${path}`, operation, path]],
  ),
);

describe("the description", () => {
  test("has exactly the routes of the API", () => {
    const routes = app.routes.filter(({ method }) => method !== "ALL").map(({ method, path }) => `${method} ${path}`);
    const described = BY_PATH.map(([name]) => name);
    const missing = routes.filter((route) => !described.includes(route));
    expect(missing, "routes that src/api/operations.ts does not have").toEqual([]);
    expect(described.filter((name) => !routes.includes(name))).toEqual([]);
  });

  test("is served without a token", async () => {
    const answer = await app.request("/openapi.json", {}, env, createExecutionContext());
    expect([answer.status, await answer.json()]).toEqual([200, JSON.parse(JSON.stringify(openapi()))]);
  });
});

describe("an answer matches the description", () => {
  test.each(BY_PATH)("of %s", async (_, operation, path) => {
    const { method, query, answer, example = {} } = operation;
    const response = await send(method, await pathOf(operation, path), example.query, example.body);
    expect(response.status).toBe(answer.status);
    await expectAsDescribed(response, operation);
    if (query === undefined || method !== "get" || !query.safeParse({}).success) return;
    await expectAsDescribed(await send(method, await pathOf(operation, path)), operation);
  });

  test("of a page in every format", async () => {
    const query = { status: "completed", formats: FORMATS.join(",") };
    const answer = (await (await send("get", `/api/crawls/${endedCrawl}/records`, query)).json()) as {
      result: unknown;
    };
    const { records } = recordsPage.parse(answer.result);
    expect(answer.result).toMatchObject({ records });
    for (const format of FORMATS) expect(records[0], format).toHaveProperty(format);
  });

  test("of a crawl whose lists are not empty", async () => {
    const actual = (await (await send("get", `/api/crawls/${endedCrawl}`)).json()) as { result: CrawlDetail };
    const { refused, sitemaps, counts } = actual.result;
    expect([refused.length, sitemaps.problems.length, counts.completed, counts.skipped, counts.errored]).not.toContain(
      0,
    );
  });

  test("of an explanation with an answer of the host's gate", async () => {
    const crawl = await world.deps.ledger.crawl(endedCrawl);
    if (crawl === null) throw new Error("no crawl");
    const actual = viewExplanation(await explain("https://example.com/new", { crawl }, world.deps, "all"));
    expect(actual.pace).not.toBeNull();
    expect(explainView.parse(actual)).toEqual(actual);
  });

  /** Compares with the parsed value, so that a default cannot hide a missing field. */
  async function expectAsDescribed(response: Response, { answer }: Operation): Promise<void> {
    if ("file" in answer) {
      if (answer.file !== "*/*") expect(response.headers.get("content-type")).toContain(answer.file);
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0);
      return;
    }
    const json = (await response.json()) as { success: boolean; result: unknown };
    const [schema, actual] = "json" in answer ? [answer.json, json as unknown] : [answer.result, json.result];
    if ("result" in answer) {
      const beside = answer.messages === undefined ? [] : ["errors", "messages"];
      expect(Object.keys(json)).toEqual(["success", "result", ...beside]);
      answer.messages?.parse((json as { messages?: unknown }).messages);
    }
    expect(schema.parse(actual), "the schema of the answer in src/api/operations.ts").toEqual(actual);
  }
});

describe("the API refuses a wrong value of every parameter", () => {
  /** A wrong value for the parameter, or undefined if it accepts all values. */
  function wrongOf({ type, enum: words }: { type?: unknown; enum?: unknown }): string | undefined {
    if (words !== undefined) return "no-such-word";
    return type === "integer" || type === "number" ? "a-word" : type === "boolean" ? "maybe" : undefined;
  }

  test.each(BY_PATH.filter(([, { query }]) => query !== undefined))("in the query: %s", async (_, operation, path) => {
    const { query, method, example } = operation;
    if (query === undefined) return;
    const { properties = {}, required = [] } = fullSchemaOf(query, "input");
    for (const [name, schema] of Object.entries(properties)) {
      const wrong = wrongOf(schema as { type?: unknown });
      const { [name]: _right, ...others } = example?.query ?? {};
      if (wrong === undefined && !required.includes(name)) continue;
      await expectRefused(
        await send(method, await pathOf(operation, path), wrong === undefined ? others : { ...others, [name]: wrong }),
        name,
        path,
      );
    }
  });

  test.each(BY_PATH.filter(([, { body }]) => body !== undefined))("in the body: %s", async (_, operation, path) => {
    const { body, method, example } = operation;
    if (body === undefined) return;
    for (const [name, schema] of Object.entries(fullSchemaOf(body, "input").properties ?? {})) {
      const wrong = (schema as { type?: unknown }).type === "object" ? "a word" : { not: "this" };
      const sent = { ...(example?.body as object), [name]: wrong };
      await expectRefused(await send(method, await pathOf(operation, path), {}, sent), name, path);
    }
  });

  async function expectRefused(response: Response, name: string, path: string): Promise<void> {
    if (isFirecrawlPath(path)) {
      const { code, error } = firecrawlFailureView.parse(await response.json());
      expect([name, response.status, code, error]).toEqual([name, 400, "BAD_REQUEST", expect.stringContaining(name)]);
      return;
    }
    const actual = failureView.parse(await response.json());
    // Cloudflare's codes are numbers.
    expect([400, ...(REFUSED[400]?.codes ?? [])]).toContain(actual.errors[0]?.code);
    expect([name, response.status, actual.errors[0]?.message]).toEqual([name, 400, expect.stringContaining(name)]);
  }
});

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Cloudflare, { AuthenticationError, BadRequestError, NotFoundError, PermissionDeniedError } from "cloudflare";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startHandmadeSite } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { type Running, scratch, start } from "./cli.ts";

/** Cloudflare's own client with our base URL: it starts a crawl, polls it, reads all pages of results, and cancels. */

const ACCOUNT = { account_id: "0123456789abcdef0123456789abcdef" };
const PAGES = 12;
const dir = scratch();
let server: Running;
let address = "";
let site: Site;
let slow: Site;
let client: Cloudflare;

type Crawl = Awaited<ReturnType<Cloudflare["browserRendering"]["crawl"]["get"]>>;
type Query = Omit<Cloudflare.BrowserRendering.CrawlGetParams, "account_id">;

/** An article with navigation and a footer. */
function article(title: string, links: string[]): string {
  const menu = links.map((link) => `<li><a href="${link}">Menu entry</a></li>`).join("");
  return `<!doctype html><html lang="en"><head><title>${title}</title></head><body>
    <nav><ul>${menu}</ul></nav>
    <main><article><h1>${title}</h1><p>The heron waits at the weir for <b>${title}</b>, and the miller counts his sacks,
    one by one, until the evening comes and the wheel stands still.</p></article></main>
    <footer>Imprint and privacy</footer></body></html>`;
}

beforeAll(async () => {
  const paths = Array.from({ length: PAGES }, (_, i) => `/page-${i}`);
  site = await startHandmadeSite({
    "/robots.txt": { body: "User-agent: *\nDisallow: /private\n", headers: { "content-type": "text/plain" } },
    "/": article("The mill", [...paths, "/private", "/missing", "/file"]),
    "/file": { body: "\0", headers: { "content-type": "application/octet-stream" } },
    ...Object.fromEntries(paths.map((path) => [path, article(`Chapter ${path.slice(6)}`, ["/"])])),
  });
  slow = await startHandmadeSite({ "/": article("Slow", paths) }, { host: "127.0.0.43" });
  server = start("serve", "--port", "0", "--token", "writer", "--read-token", "reader", "--state", join(dir.path, "s"));
  address = /http:\/\/[\d.:]+/.exec(await server.printed("Try:"))?.[0] ?? "";
  client = clientOf("writer");
});

afterAll(async () => {
  server.child.kill("SIGINT");
  await server.ended;
  await Promise.all([site.close(), slow.close()]);
  dir.remove();
});

function clientOf(apiToken: string): Cloudflare {
  return new Cloudflare({ apiToken, baseURL: `${address}/client/v4` });
}

const get = (id: string, query: Query = {}) => client.browserRendering.crawl.get(id, { ...ACCOUNT, ...query });

async function toEnd(id: string): Promise<Crawl> {
  for (;;) {
    const crawl = await get(id, { limit: 1 });
    if (crawl.status !== "running") return crawl;
    await sleep(200);
  }
}

/** Cloudflare's types expect the cursor as a number, but return it as a string. */
async function follow(id: string, query: Query): Promise<Crawl["records"]> {
  const records: Crawl["records"] = [];
  for (let cursor: number | undefined; ; ) {
    const page = await get(id, { ...query, ...(cursor === undefined ? {} : { cursor }) });
    records.push(...page.records);
    if (page.cursor === undefined) return records;
    cursor = Number(page.cursor);
  }
}

/** Our own parameters, in the same body: the tests need no delay for their own host. */
const FAST = { politeness: { minDelayMs: 0, maxDelayMs: 0, maxConcurrencyPerHost: 4 } };

describe("a crawl from its start to its end", () => {
  let id = "";
  let ended: Crawl;

  beforeAll(async () => {
    const wanted = { url: `${site.origin}/`, limit: 50, formats: ["html" as const, "markdown" as const] };
    id = await client.browserRendering.crawl.create({ ...ACCOUNT, ...FAST, ...wanted, render: false });
    ended = await toEnd(id);
  });

  test("its numbers are Cloudflare's: total and finished are without skipped URLs", () => {
    const { records: _, cursor: __, ...job } = ended;
    const total = PAGES + 3;
    expect(job).toEqual({ id, status: "completed", total, finished: total, skipped: 1, browserSecondsUsed: 0 });
  });

  test.each([1, 4, PAGES + 4, 1_000])("%d records at a time return each record once", async (limit) => {
    const records = await follow(id, { limit });
    expect(records).toHaveLength(PAGES + 4);
    expect(new Set(records.map(({ url }) => url)).size).toBe(PAGES + 4);
  });

  test.each([
    ["completed", PAGES + 1],
    ["disallowed", 1],
    ["errored", 1],
    ["skipped", 1],
    ["queued", 0],
    ["cancelled", 0],
  ] as const)("those that are %s: %d", async (status, count) => {
    const records = await follow(id, { status, limit: 5 });
    expect(records.map((record) => record.status)).toEqual(Array.from({ length: count }, () => status));
  });

  test("a page is its main content, without navigation", async () => {
    const records = await get(id, { status: "completed" });
    const page = records.records.find(({ url }) => url === `${site.origin}/page-3`);
    expect(page?.metadata).toEqual({ status: 200, url: `${site.origin}/page-3`, title: "Chapter 3" });
    expect(page?.markdown).toContain("The heron waits at the weir for **Chapter 3**");
    expect(page?.html).toContain("The heron waits at the weir for <b>Chapter 3</b>");
    for (const around of ["Menu entry", "Imprint"]) {
      expect(page?.markdown).not.toContain(around);
      expect(page?.html).not.toContain(around);
    }
  });

  test("only fetched records have metadata", async () => {
    const [forbidden] = (await get(id, { status: "disallowed" })).records;
    expect(forbidden).toEqual({ url: `${site.origin}/private`, status: "disallowed" });
    const [missing] = (await get(id, { status: "errored" })).records;
    expect(missing?.metadata).toEqual({ status: 404, url: `${site.origin}/missing` });
  });

  test("cancelling a crawl that has ended is not an error", async () => {
    const { job_id, message } = await client.browserRendering.crawl.delete(id, ACCOUNT);
    expect([job_id, message]).toEqual([id, "Crawl job had ended already: completed."]);
    expect((await get(id)).status).toBe("completed");
  });
});

test("browser options that apply to a fetch", async () => {
  const seen: Record<string, unknown>[] = [];
  const guarded = await startSite(
    ({ url, headers }, response) => {
      if (url === "/") seen.push(headers);
      response.writeHead(url === "/" ? 200 : 404, { "content-type": "text/html" }).end(article("In", []));
    },
    { host: "127.0.0.44" },
  );
  const id = await client.browserRendering.crawl.create({
    ...ACCOUNT,
    ...FAST,
    url: `${guarded.origin}/`,
    authenticate: { username: "miller", password: "flour" },
    cookies: [{ name: "a", value: "1" }],
    setExtraHTTPHeaders: { "X-Mill": "water" },
    gotoOptions: { timeout: 5_000, waitUntil: "networkidle0" },
    viewport: { width: 800, height: 600 },
  });
  expect((await toEnd(id)).status).toBe("completed");
  const authorization = `Basic ${Buffer.from("miller:flour").toString("base64")}`;
  expect(seen).toMatchObject([{ authorization, cookie: "a=1", "x-mill": "water" }]);
  await guarded.close();
});

test("the newer path browser-run", async () => {
  const path = "/accounts/me/browser-run/crawl";
  const made = await client.post<unknown>(path, { body: { url: `${site.origin}/page-1`, limit: 1, ...FAST } });
  const { result, messages } = made as { result: string; messages: { message: string }[] };
  expect(messages[0]?.message).toContain("Only pages that are empty without their scripts are rendered");
  expect((await toEnd(result)).status).toBe("completed");
  expect(await client.get(`${path}/${result}`)).toMatchObject({ success: true, result: { id: result } });
});

test("a crawl at its usual pace is cancelled", async () => {
  const id = await client.browserRendering.crawl.create({ ...ACCOUNT, url: `${slow.origin}/`, limit: 50 });
  while (slow.log.length < 2) await sleep(100);
  expect((await get(id)).status).toBe("running");
  expect(await client.browserRendering.crawl.delete(id, ACCOUNT)).toEqual({
    job_id: id,
    message: "Crawl job cancelled.",
  });
  const { status, records, total, finished } = await get(id);
  expect([status, finished]).toEqual(["cancelled_by_user", total]);
  expect(records.map((record) => record.status)).not.toContain("queued");
});

test.each([
  ["a wrong token", AuthenticationError, 10_000, "Authorization: Bearer", () => clientOf("wrong"), {}],
  ["a read-only one", PermissionDeniedError, 10_000, "read-only", () => clientOf("reader"), {}],
  ["a limit of nought", BadRequestError, 400, "limit:", () => client, { limit: 0 }],
  ["a mode of rendering", BadRequestError, 400, "render", () => client, { render: "always" }],
])("%s is the error that they throw for it", async (_, kind, code, words, by, changes) => {
  const params = { ...ACCOUNT, url: `${site.origin}/`, ...changes } as Cloudflare.BrowserRendering.CrawlCreateParams;
  const error = await by()
    .browserRendering.crawl.create(params)
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(kind);
  const named = expect.objectContaining({ code, message: expect.stringContaining(words) });
  expect((error as BadRequestError).errors).toEqual([named]);
});

test("a job that does not exist", async () => {
  await expect(get("nope")).rejects.toBeInstanceOf(NotFoundError);
});

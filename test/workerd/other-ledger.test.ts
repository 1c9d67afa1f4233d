import { gunzipSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import type {
  CrawlDetail,
  CrawlView,
  ExtractView,
  FieldsView,
  FindingsView,
  IgnoreListView,
  InlinksView,
  PassView,
  RecordView,
} from "../../src/api/views.ts";
import { ledgerOf } from "../../src/crawl/crawl-id.ts";
import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import type { StoredContent } from "../../src/crawl/page/page-format.ts";
import { homeOf } from "../../src/frontier/ledgers.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { submit } from "../../src/lifecycle/indexnow.ts";
import { emptyMetadata } from "../../src/media/text/plain-content.ts";
import { extractPages } from "../../src/passes/extract/extract-pages.ts";
import { PassRun } from "../../src/passes/pass-run.ts";
import { PassWorkflow } from "../../src/passes/pass-workflow.ts";
import { analyzeCrawl } from "./analyze-crawl.ts";
import { keepSite } from "./kept-site.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { useMcpClients } from "./mcp-client.ts";
import { WATCH } from "./rows.ts";
import {
  bindingsOf,
  databaseIn,
  openThreeLedgers,
  resultOf,
  sendToLedgers,
  type ThreeLedgers,
} from "./several-ledgers.ts";
import { type Web, World } from "./world.ts";

/** A crawl that lives in another ledger than the first one: what reads and changes it does so there. */

const SITE = "https://a.test/";
const BROKEN = `${SITE}gone`;

let ledgers: ThreeLedgers;
let bindings: Env;

beforeEach(async () => {
  ledgers = await openThreeLedgers();
  bindings = bindingsOf(ledgers);
});

type RunArguments = Parameters<PassWorkflow["run"]>;

/** Each page links to `/1` and `/2` of its host. */
const web: Web = (url) => ({ links: [new URL("/1", url).href, new URL("/2", url).href], title: `Page ${url}` });

/** Starts crawls of other sites until the next one goes elsewhere. Its id is of another ledger than the first one. */
async function startElsewhere(world: World, changes: Partial<CrawlOptions> = {}): Promise<string> {
  for (let i = 0; i < 5; i++) {
    world.now += 1_000;
    const id = await world.start([SITE], changes);
    if (ledgerOf(id) !== 0) return id;
    await homeOf(world.deps, id).ledger.pause(id, world.now);
  }
  throw new Error("all crawls went to the first ledger");
}

const databaseOf = (crawl: string) => databaseIn(ledgers, ledgerOf(crawl));

const send = (path: string, init?: RequestInit) => sendToLedgers(ledgers, path, init);
const post = (path: string, body: unknown = {}) => send(path, { method: "POST", body: JSON.stringify(body) });

async function expectNothingInFirst(crawl: string): Promise<void> {
  for (const table of ["urls", "passes", "packs", "model_answers"]) {
    const sql = `SELECT count(*) AS n FROM ${table} WHERE crawl = ?1`;
    expect([table, await ledgers.LEDGER.prepare(sql).bind(crawl).first("n")]).toEqual([table, 0]);
  }
}

describe("an analysis", () => {
  const pages = (links: string[]) => [
    { url: SITE, links },
    { url: `${SITE}b`, links: [SITE] },
    { url: BROKEN, row: { status: "errored", reason: "http-status", http_status: 404 } },
  ];

  /** A crawl of the site in each of two ledgers, the earlier one first. */
  async function crawlTwice(world: World): Promise<[string, string]> {
    const first = await world.start([SITE]);
    world.now += 1_000;
    const second = await startElsewhere(world);
    expect(ledgerOf(second)).not.toBe(ledgerOf(first));
    for (const id of [first, second]) {
      await world.runToEnd(id);
      await databaseOf(id).prepare("DELETE FROM urls WHERE crawl = ?1").bind(id).run();
      await keepSite(id, pages(id === first ? [`${SITE}b`] : [`${SITE}b`, BROKEN]), databaseOf(id));
    }
    return [first, second];
  }

  /** Runs a pass as an instance of Workflows does, which opens its stores itself. */
  async function runInstance(crawl: string, world: World): Promise<void> {
    const id = crypto.randomUUID();
    await homeOf(world.deps, crawl).passes.begin(crawl, id, Date.now(), null, { kind: "analyze" });
    const step = { do: (_: string, __: unknown, work: () => unknown) => work() } as unknown as RunArguments[1];
    const event = { payload: { crawl, id } } as unknown as RunArguments[0];
    // The platform alone can construct an instance.
    await PassWorkflow.prototype.run.call({ env: bindings } as unknown as PassWorkflow, event, step);
  }

  const emptyWorld = () => new World(() => ({ links: [] }), { bindings });

  test("reads the crawl there, and is compared with that of a crawl of the same site in another ledger", async () => {
    const world = emptyWorld();
    const [first, second] = await crawlTwice(world);
    await analyzeCrawl(first, world);
    await runInstance(second, world);
    const path = `/api/crawls/${second}`;
    const [pass] = await resultOf<PassView[]>(send(`${path}/passes`));
    expect(pass).toMatchObject({ status: "completed", error: null });
    const found = await resultOf<FindingsView>(send(`${path}/findings`));
    expect(found).toMatchObject({ comparedCrawl: first });
    expect(found.counts[0]).toMatchObject({ kind: "broken-link", found: 1, new: 1 });
    const inlinks = await resultOf<InlinksView>(send(`${path}/inlinks?url=${BROKEN}`));
    expect(inlinks.sources.map(({ url }) => url)).toEqual([SITE]);
    expect((await send(`${path}/report`)).status).toBe(200);
    await expectNothingInFirst(second);
  });

  test("has the list of findings to ignore that the site has, wherever its crawls are", async () => {
    const world = emptyWorld();
    const [first, second] = await crawlTwice(world);
    const list = "broken-link /gone # it is known";
    for (const [writer, reader] of [
      [first, second],
      [second, first],
    ]) {
      await resultOf(post(`/api/crawls/${writer}/ignored`, { list }));
      expect((await resultOf<IgnoreListView>(send(`/api/crawls/${reader}/ignored`))).list).toBe(list);
      await resultOf(post(`/api/crawls/${reader}/ignored`, { list: "" }));
      expect((await resultOf<IgnoreListView>(send(`/api/crawls/${writer}/ignored`))).list).toBe("");
    }
  });
});

test("an extraction is begun by the heartbeat, and its values are in the records", async () => {
  const world = new World(web, { bindings });
  const orders: { crawl: string; id: string }[] = [];
  Object.assign(world.deps, {
    model: {
      name: "tiny",
      characters: 1_000,
      mostTokens: () => ({ input: 20, output: 10 }),
      ask: async () => ({
        kind: "answer",
        text: JSON.stringify({ values: { name: "A page" }, evidence: [] }),
        isCutOff: false,
        tokens: { input: 10, output: 5 },
      }),
    },
    readContent: async () => {
      const content: StoredContent = {
        metadata: { ...emptyMetadata(), title: null } as StoredContent["metadata"],
        markdown: "A page",
      };
      return new TextEncoder().encode(JSON.stringify(content));
    },
    passRuns: { create: async ({ params }: { params: { crawl: string; id: string } }) => void orders.push(params) },
  });
  const schema = { type: "object", properties: { name: { type: "string" } } };
  const id = await startElsewhere(world, { extract: { schema, prompt: null, evidence: "marked" } });
  await world.runToEnd(id);
  await heartbeat(world.deps);
  expect(orders).toMatchObject([{ crawl: id, kind: "extract" }]);
  const [order] = orders as [{ crawl: string; id: string }];
  await extractPages(
    new PassRun(
      order,
      (_, work) => work(),
      () => homeOf(world.deps, id),
    ),
  );
  const { records } = await resultOf<{ records: RecordView[] }>(send(`/api/crawls/${id}/records`));
  expect(records.map(({ extracted }) => extracted?.values)).toEqual(Array(3).fill({ name: "A page" }));
  const crawl = await resultOf<CrawlDetail>(send(`/api/crawls/${id}`));
  expect(crawl.model).toMatchObject({ calls: 3 });
  await expectNothingInFirst(id);
});

test("a crawl is retried there", async () => {
  let isBroken = true;
  const world = new World((url, attempt) => (isBroken && url.endsWith("/1") ? { status: 404 } : web(url, attempt)), {
    bindings,
  });
  const id = await startElsewhere(world);
  await world.runToEnd(id);
  expect((await homeOf(world.deps, id).ledger.crawl(id))?.counters).toMatchObject({ completed: 2, errored: 1 });
  isBroken = false;
  const { retried, crawl } = await resultOf<{ retried: number; crawl: CrawlView }>(post(`/api/crawls/${id}/retry`));
  expect([retried, crawl.id, crawl.status]).toEqual([1, id, "running"]);
  // Its message was lost with the request, so the heartbeat repairs it.
  await world.runToEnd(id);
  expect((await homeOf(world.deps, id).ledger.crawl(id))?.counters).toMatchObject({ completed: 3, errored: 0 });
  await expectCountersExact(id, databaseOf(id));
});

test("stored pages are read and exported from there", async () => {
  const world = new World((url) => ({ ...web(url, 0), body: `<title>T</title><p>Says ${url}</p>` }) as never, {
    bindings,
  });
  const id = await startElsewhere(world, { store: "warc", crawlPurposes: ["search"], contentUse: "reference" });
  await world.runToEnd(id);
  const path = `/api/crawls/${id}`;
  expect(await (await send(`${path}/page?url=${SITE}1`)).text()).toContain(`Says ${SITE}1`);
  expect(await (await send(`${path}/page?url=${SITE}1&format=markdown`)).text()).toContain(`Says ${SITE}1`);
  const file = await send(`${path}/export?format=warc`);
  const warc = gunzipSync(await file.arrayBuffer()).toString();
  const wacz = await send(`${path}/export?format=wacz`);
  const zip = await send(`${path}/export?format=zip`);
  const markdown = await send(`${path}/export?format=markdown`);
  for (const url of [SITE, `${SITE}1`, `${SITE}2`]) expect(warc).toContain(`Says ${url}`);
  for (const file of [wacz, zip]) {
    expect(file.status).toBe(200);
    expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(500);
  }
  expect(await markdown.text()).toContain(`Says ${SITE}2`);
  const replay = await send(`/replay/${id}/${SITE}1`, { redirect: "manual" });
  expect(await (await send(replay.headers.get("location") ?? "")).text()).toContain(`Says ${SITE}1`);
  // One page, to try out rules and questions.
  const fields = { title: { selector: "title" } };
  const tried = await resultOf<FieldsView>(post("/api/fields", { url: `${SITE}1`, crawl: id, fields: [{ fields }] }));
  expect(tried.url).toBe(`${SITE}1`);
  const asked = await resultOf<ExtractView>(post("/api/extract", { url: `${SITE}1`, crawl: id, prompt: "the title" }));
  expect([asked.extracted, asked.problem]).toEqual([
    null,
    expect.stringContaining("robots.txt of its host is not known"),
  ]);
});

test("a watch names those of the same seeds in all ledgers", async () => {
  const world = new World(web, { bindings });
  const watch = { ...WATCH, fixed: false };
  const ids = [await startElsewhere(world, { watch }), await startElsewhere(world, { watch })];
  const besideOf = async (id = "") => (await resultOf<CrawlDetail>(send(`/api/crawls/${id}`))).watchesBeside;
  for (const id of ids) expect(await besideOf(id)).toEqual(expect.arrayContaining(ids.filter((other) => other !== id)));
});

test("IndexNow makes the pages of a watch due there, and the key is known to all ledgers", async () => {
  const key = "0123456789abcdef";
  const location = `${SITE}${key}.txt`;
  const world = new World(web, { bindings });
  // A request knows no other time.
  world.now = Date.now();
  const { fetchPage } = world.deps;
  world.deps.fetchPage = async (request, secrets) => {
    const result = await fetchPage(request, secrets);
    if (result.kind !== "page" || request.url !== location) return result;
    return { ...result, body: new TextEncoder().encode(key) };
  };
  const id = await startElsewhere(world, { watch: { ...WATCH, everyS: 30 * 86_400, fixed: false } });
  const home = homeOf(world.deps, id);
  for (let turn = 0; turn < 100 && (await home.ledger.crawl(id))?.status !== "watching"; turn++) await world.turn();
  const urls = [`${SITE}1`, `${SITE}new`];
  const ask = () => send(`/indexnow?url=${SITE}1&key=${key}&keyLocation=${location}`);
  expect(await submit({ host: "a.test", key, location, urls }, world.deps)).toBe("pending");
  expect((await ask()).status).toBe(202);
  for (let turn = 0; turn < 20 && (await world.deps.indexnow.pending(1)).length > 0; turn++) await world.turn();
  const signalled = await databaseOf(id)
    .prepare("SELECT url FROM urls WHERE crawl = ?1 AND (signalled_at IS NOT NULL OR url = ?2) ORDER BY url")
    .bind(id, `${SITE}new`)
    .all<{ url: string }>();
  expect(signalled.results.map(({ url }) => url)).toEqual(urls);
  expect((await ask()).status).toBe(200);
});

describe("other doors", () => {
  const connect = useMcpClients();

  async function startRunning(): Promise<{ world: World; id: string }> {
    const world = new World(web, { bindings });
    return { world, id: await startElsewhere(world) };
  }

  test("MCP lists the crawl, and shows it by its id, its beginning and its site", async () => {
    const { world, id } = await startRunning();
    await world.runToEnd(id);
    const client = await connect("reading-token", undefined, undefined, bindings);
    const call = async (name: string, given: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: given })).structuredContent as Record<string, unknown>;
    const { crawls } = (await call("list", {})) as { crawls: CrawlView[] };
    expect(crawls.map((crawl) => crawl.id)).toContain(id);
    for (const crawl of [id, id.slice(0, 8), "latest"])
      expect(await call("status", { crawl })).toMatchObject({ id, status: "completed", total: 3 });
    expect(await call("records", { crawl: id })).toMatchObject({ records: { length: 3 } });
  });

  test("Firecrawl's paths show the crawl, its pages and its errors, and cancel it", async () => {
    const { world, id } = await startRunning();
    const active = (await (await send("/v2/crawl/active")).json()) as { crawls: { id: string }[] };
    expect(active.crawls.map((crawl) => crawl.id)).toContain(id);
    const show = async () => (await (await send(`/v2/crawl/${id}`)).json()) as Record<string, unknown>;
    expect(await show()).toMatchObject({ success: true, status: "scraping", total: 1, completed: 0, data: [] });
    await world.runToEnd(id);
    const shown = await show();
    expect(shown).toMatchObject({ success: true, status: "completed", total: 3, completed: 3 });
    expect(shown.data).toHaveLength(3);
    const errors = await (await send(`/v2/crawl/${id}/errors`)).json();
    expect(errors).toMatchObject({ success: true, errors: [], robotsBlocked: [] });
    const other = (await startRunning()).id;
    const cancelled = await (await send(`/v2/crawl/${other}`, { method: "DELETE" })).json();
    expect(cancelled).toEqual({ success: true, status: "cancelled" });
    expect((await homeOf(world.deps, other).ledger.crawl(other))?.status).toBe("cancelled_by_user");
  });

  test("Cloudflare's path shows the crawl and its records", async () => {
    const { world, id } = await startRunning();
    await world.runToEnd(id);
    const job = await resultOf<{ id: string; status: string; records: unknown[] }>(
      send(`/client/v4/accounts/a/browser-rendering/crawl/${id}`),
    );
    expect([job.id, job.status, job.records.length]).toEqual([id, "completed", 3]);
  });
});

import { createExecutionContext } from "cloudflare:test";
import { beforeEach, expect, test } from "vitest";
import { parquetMetadata } from "hyparquet";
import type {
  CrawlDetail,
  CrawlView,
  FinishedPage,
  FormattedRecordView,
  HostView,
  RecordView,
  ReportView,
  SearchView,
  VersionsView,
} from "../../src/api/views.ts";
import type { TreeLevel } from "../../src/crawl/page/url-tree.ts";
import { site } from "../../src/console/site.tsx";
import { ledgerOf } from "../../src/crawl/crawl-id.ts";
import { partsOf, type Shards } from "../../src/crawl/shards/shards.ts";
import { homeOf, onEachLedger } from "../../src/frontier/ledgers.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { faultyDatabase } from "./faulty.ts";
import { bindingsOf, openThreeLedgers, Outage, resultOf, sendToLedgers, withoutPatience } from "./several-ledgers.ts";
import { type Web, World } from "./world.ts";

/** What the API shows of a crawl over three ledgers, and what it refuses. */

const HOSTS = 12;
const SEEDS = Array.from({ length: HOSTS }, (_, i) => `https://h${i}.test/`);
const web: Web = (url) => ({
  links: [new URL("/a", url).href, new URL("/b", url).href, "https://elsewhere.test/"],
  title: `Page ${new URL(url).pathname}`,
  text: `Crawlers of ${new URL(url).hostname} are polite`,
  body: url,
});

let bindings: Env;

beforeEach(async () => {
  bindings = bindingsOf(await openThreeLedgers());
});

const openPage = (path: string, init: RequestInit) =>
  site.request(`http://localhost${path}`, init, bindings, createExecutionContext());

/** A session of the console. */
async function signIn(): Promise<string> {
  const body = new URLSearchParams({ token: "test-token", to: "/crawls" });
  const headers = { "sec-fetch-site": "same-origin", "cf-connecting-ip": "192.0.2.78" };
  const answer = await openPage("/sign-in", { method: "POST", body, headers });
  return (answer.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
}

const send = (path: string, init?: RequestInit) => sendToLedgers(bindings, path, init);
const post = (path: string, body: unknown = {}) => send(path, { method: "POST", body: JSON.stringify(body) });

async function crawlAll(): Promise<{ world: World; id: string; shards: Shards }> {
  const world = new World(web, { bindings });
  const id = await world.start(SEEDS, { shards: 3, search: true });
  const shards = (await homeOf(world.deps, id).ledger.crawl(id))?.shards as Shards;
  for (let turn = 0; turn < 500; turn++) {
    await world.turn();
    if ((await resultOf<CrawlView>(send(`/api/crawls/${id}`))).finishedAt !== null) return { world, id, shards };
  }
  throw new Error("the crawl did not end");
}

test("it is one crawl: status, list, records, pages, hits and explanations", async () => {
  const { id, shards } = await crawlAll();
  const detail = await resultOf<CrawlDetail>(send(`/api/crawls/${id}`));
  expect(detail).toMatchObject({ status: "completed", total: 3 * HOSTS, finished: 3 * HOSTS, waitingFor: null });
  expect(detail.counts.completed).toBe(3 * HOSTS);
  expect(detail.refused).toEqual([expect.objectContaining({ count: 3 * HOSTS })]);
  const list = await resultOf<CrawlView[]>(send("/api/crawls"));
  expect(list.map((crawl) => [crawl.id, crawl.total])).toEqual([[id, 3 * HOSTS]]);
  const urls = SEEDS.flatMap((seed) => [seed, `${seed}a`, `${seed}b`]).toSorted();
  for (const [query, expected] of [
    ["sort=url&order=asc", urls],
    ["sort=url&order=desc", urls.toReversed()],
    ["sort=depth&order=asc", [...SEEDS.toSorted(), ...urls.filter((url) => !SEEDS.includes(url))]],
    ["host=h3.test", urls.filter((url) => url.startsWith("https://h3.test/"))],
  ] as const) {
    const found: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const path = `/api/crawls/${id}/records?${query}&limit=7&cursor=${encodeURIComponent(cursor)}`;
      const page: { records: RecordView[]; cursor: string | null } = await resultOf(send(path));
      found.push(...page.records.map(({ url }) => url));
      cursor = page.cursor;
    }
    expect([query, found]).toEqual([query, expected]);
  }
  for (const url of urls) {
    expect(await (await send(`/api/crawls/${id}/page?url=${url}`)).text()).toBe(url);
  }
  // One of each part.
  for (const url of SEEDS.slice(0, 4)) {
    const explanation = await resultOf<{ record: { status: string } | null }>(
      send(`/api/crawls/${id}/explain?url=${url}`),
    );
    expect(explanation.record?.status).toBe("completed");
  }
  for (const query of ["", `&crawl=${id}`]) {
    const { hits, total } = await resultOf<SearchView>(send(`/api/search?q=polite&limit=50${query}`));
    expect(total).toBe(urls.length);
    expect(hits.map(({ url }) => url).toSorted()).toEqual(urls);
  }
  // The id of a part names the crawl.
  for (const part of partsOf(shards)) expect((await resultOf<CrawlView>(send(`/api/crawls/${part}`))).id).toBe(id);
  expect((await resultOf<CrawlView>(send(`/api/crawls/${id.slice(0, 8)}`))).id).toBe(id);
});

test("exports have the records of all parts in the order of their URLs, whole and in parts", async () => {
  const { id } = await crawlAll();
  const urls = SEEDS.flatMap((seed) => [seed, `${seed}a`, `${seed}b`]).toSorted();
  const get = async (query: string) => {
    const answer = await send(`/api/crawls/${id}/export?${query}`);
    const written = await answer.text();
    if (!answer.ok) throw new Error(written);
    return { written, next: /\?([^>]+)>/.exec(answer.headers.get("link") ?? "")?.[1] ?? null };
  };
  const inParts = async (first: string) => {
    const parts: string[] = [];
    for (let query: string | null = `${first}&parts=true`; query !== null; ) {
      const part: Awaited<ReturnType<typeof get>> = await get(query);
      parts.push(part.written);
      query = part.next;
    }
    return { count: parts.length, written: parts.join("") };
  };
  const linesOf = (written: string) => written.trimEnd().split("\n");
  for (const { written } of [await get("format=urls"), await inParts("format=urls")])
    expect(linesOf(written)).toEqual(urls);
  const csv = linesOf((await get("format=csv")).written);
  expect(csv.slice(1).map((line) => line.split(",", 1)[0])).toEqual(urls);
  const parquet = await (await send(`/api/crawls/${id}/export?format=parquet`)).arrayBuffer();
  expect(Number(parquetMetadata(parquet).num_rows)).toBe(urls.length);
  // Their texts are made first, so that a part has 24 pages at most, which the ledgers share.
  const jsonl = await inParts("format=jsonl&formats=text");
  expect(jsonl.count).toBeGreaterThan(1);
  const records = linesOf(jsonl.written).map((line) => JSON.parse(line) as FormattedRecordView);
  expect(records.map(({ url }) => url)).toEqual(urls);
  for (const { url, text } of records) expect(text).toContain(new URL(url).hostname);
  const llms = await inParts("format=llms-full");
  expect([...llms.written.matchAll(/^Source: (.+)$/gm)].map(([, url]) => url).toSorted()).toEqual(urls);
});

test("records come in the order in which they finish, each once, while the crawl runs and afterwards", async () => {
  const world = new World(web, { bindings });
  const id = await world.start(SEEDS, { shards: 3 });
  const urls = SEEDS.flatMap((seed) => [seed, `${seed}a`, `${seed}b`]).toSorted();
  for (const query of ["limit=7", "limit=1", "limit=50&formats=text"]) {
    const found: string[] = [];
    let follows = "later";
    for (let cursor = "", turn = 0; turn < 500 && follows !== "nothing"; turn++) {
      await world.turn();
      const path = `/api/crawls/${id}/records/finished?${query}&cursor=${encodeURIComponent(cursor)}`;
      const page: FinishedPage = await resultOf(send(path));
      found.push(...page.records.map(({ url }) => url));
      ({ cursor, follows } = page);
    }
    expect([query, follows, found.toSorted()]).toEqual([query, "nothing", urls]);
  }
  expect((await send(`/api/crawls/${id}/records/finished?cursor=1.0.0`)).status).toBe(400);
});

test("its report, its hosts and its tree are those of all parts", async () => {
  const { id } = await crawlAll();
  const report = await resultOf<ReportView>(send(`/api/crawls/${id}/report`));
  expect(report).toMatchObject({ codes: { 200: 3 * HOSTS }, depths: { 0: HOSTS, 1: 2 * HOSTS } });
  expect(report.hosts.map(({ host, urls }) => [host, urls]).toSorted()).toEqual(
    SEEDS.map((seed) => [new URL(seed).host, 3]).toSorted(),
  );
  expect(report.history.reduce((sum, { pages }) => sum + pages, 0)).toBe(3 * HOSTS);
  const hosts = await resultOf<HostView[]>(send(`/api/crawls/${id}/hosts`));
  expect(hosts.map(({ host }) => host).toSorted()).toEqual(SEEDS.map((seed) => new URL(seed).hostname).toSorted());
  const tree = await resultOf<TreeLevel>(send(`/api/crawls/${id}/tree?path=`));
  expect(tree.children.map(({ segment, urls }) => [segment, urls]).toSorted()).toEqual(
    SEEDS.map((seed) => [seed, 3]).toSorted(),
  );
  for (const seed of SEEDS) {
    const below = await resultOf<TreeLevel>(send(`/api/crawls/${id}/tree?path=${seed}`));
    expect(below.children.map(({ segment }) => segment).toSorted()).toEqual(["", "a", "b"]);
  }
  expect(await resultOf(send(`/api/crawls/${id}/passes`))).toEqual([]);
  for (const seed of SEEDS) {
    const { versions } = await resultOf<VersionsView>(send(`/api/versions?url=${seed}&crawl=${id}`));
    expect([seed, versions.length]).toEqual([seed, 1]);
  }
});

test("each page of the console that is opened from its overview is there", async () => {
  const { id } = await crawlAll();
  const cookie = await signIn();
  for (const page of [
    "",
    "/records",
    "/records?status=completed",
    "/report",
    "/topics",
    "/labels",
    "/map",
    "/hosts",
    "/export",
  ]) {
    const answer = await openPage(`/crawls/${id}${page}`, { headers: { cookie } });
    expect([page, answer.status]).toEqual([page, 200]);
    // It leads to nothing that is refused.
    const html = await answer.text();
    for (const refused of ["#watch-form", `/crawls/${id}/webhooks`])
      expect([page, html.includes(refused)]).toEqual([page, false]);
  }
  const record = await openPage(`/crawls/${id}/record?url=${SEEDS[3]}`, { headers: { cookie } });
  expect(record.status).toBe(200);
});

test("what is no URL, or is not in the crawl, is not found", async () => {
  const { id } = await crawlAll();
  for (const url of ["nonsense", "https://nowhere.test/"])
    for (const path of ["record", "screenshot"]) {
      const answer = await send(`/api/crawls/${id}/${path}?url=${url}`);
      expect([path, url, answer.status]).toEqual([path, url, 404]);
    }
});

test("a replay shows a page, whichever part has it", async () => {
  const { id } = await crawlAll();
  for (const seed of SEEDS) {
    const { headers, status } = await send(`/replay/${id}/${seed}`, { redirect: "manual" });
    expect(status).toBe(302);
    const answer = await sendToLedgers(bindings, headers.get("location") ?? "", { headers: {} });
    expect([seed, answer.status]).toEqual([seed, 200]);
  }
});

test("it says how far all parts have come", async () => {
  const world = new World(web, { bindings });
  const id = await world.start(SEEDS, { shards: 3 });
  const shards = (await homeOf(world.deps, id).ledger.crawl(id))?.shards as Shards;
  const last = partsOf(shards)[2] ?? "";
  const database = bindings[ledgerOf(last) === 0 ? "LEDGER" : (`LEDGER_${ledgerOf(last)}` as "LEDGER")];
  expect((await resultOf<CrawlView>(post(`/api/crawls/${id}/cancel`))).waitingFor).toBeNull();
  // As if the last part had not heard of it.
  await database.prepare("UPDATE shard_parts SET intent = 0 WHERE crawl = ?1").bind(last).run();
  expect(await resultOf<CrawlView>(send(`/api/crawls/${id}`))).toMatchObject({
    status: "cancelled_by_user",
    waitingFor: "cancelling, 2 of 3",
  });
});

test("what is not made from all parts yet is refused, and says so", async () => {
  const { id } = await crawlAll();
  for (const path of ["changes", "extraction"]) {
    const answer = await send(`/api/crawls/${id}/${path}`);
    expect([path, answer.status, await answer.text()]).toEqual([path, 409, expect.stringContaining("3 ledgers")]);
  }
  for (const [path, body] of [
    ["extraction", {}],
    ["watch", { everyS: 86_400 }],
    ["webhooks", { url: "https://8.8.8.8/" }],
  ] as const) {
    const answer = await post(`/api/crawls/${id}/${path}`, body);
    expect([path, answer.status, await answer.text()]).toEqual([path, 409, expect.stringContaining("3 ledgers")]);
  }
});

test.each<[string, Record<string, unknown>, string]>([
  ["more shards than ledgers", { shards: 4 }, "this installation has 3"],
  ["a watch", { shards: 2, watch: { everyS: 86_400 } }, "cannot have a watch"],
  ["a subject", { shards: 2, topic: "birds" }, "cannot have a subject"],
  ["a session", { shards: 2, session: "member" }, "cannot have a session"],
  ["a webhook", { shards: 2, webhook: "https://r.test/" }, "cannot have a webhook"],
])("a start with %s is refused", async (_, request, why) => {
  const answer = await post("/api/crawls", { url: SEEDS[0], ...request });
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(why)]);
  expect(await resultOf<CrawlView[]>(send("/api/crawls"))).toEqual([]);
});

test.each<[string, Record<string, unknown>, number]>([
  ["a small page limit", {}, 1],
  ["a page limit that one ledger holds", { limit: 4_000_000 }, 1],
  ["one that two hold", { limit: 4_000_001 }, 2],
  ["one that more would hold", { limit: 1_000_000_000 }, 3],
  ["a watch, which cannot be divided", { limit: 8_000_000, watch: { everyS: 86_400 } }, 1],
])("with `shards: 0` and %s there are as many parts as needed", async (_, request, count) => {
  const { id } = await resultOf<{ id: string }>(post("/api/crawls", { url: SEEDS[0], shards: 0, ...request }));
  const ids = await Promise.all(
    [bindings.LEDGER, ...["LEDGER_1", "LEDGER_2"].map((name) => bindings[name as "LEDGER"])].map(async (database) => {
      const { results } = await database.prepare("SELECT id FROM crawls").all<{ id: string }>();
      return results;
    }),
  );
  expect(ids.flat()).toHaveLength(count);
  const { options } = await resultOf<CrawlView>(send(`/api/crawls/${id}`));
  expect(options.shards).toBe(count);
});

test("with `shards: 0` a list and a schedule start crawls in one ledger", async () => {
  const crawl = { url: SEEDS[0], shards: 0, limit: 8_000_000 };
  expect((await post("/api/crawls?list=names", crawl)).status).toBe(201);
  expect((await post("/api/schedules", { cron: "0 3 * * *", crawl })).status).toBe(201);
});

test("neither a list nor a schedule starts one", async () => {
  const crawl = { url: SEEDS[0], shards: 2 };
  expect((await post("/api/crawls?list=names", crawl)).status).toBe(400);
  expect((await post("/api/schedules", { cron: "0 3 * * *", crawl })).status).toBe(400);
});

test("a request starts one, and its deletion removes it from the lists", async () => {
  const { id } = await resultOf<{ id: string }>(post("/api/crawls", { urls: SEEDS, shards: 3 }));
  expect(await resultOf<CrawlView>(send(`/api/crawls/${id}`))).toMatchObject({ status: "running", total: HOSTS });
  expect((await send(`/api/crawls/${id}?force=true`, { method: "DELETE" })).status).toBe(202);
  expect(await resultOf<CrawlView[]>(send("/api/crawls"))).toEqual([]);
});

test("one ledger that hangs leaves pause and cancel to the others, and the answers say so", async () => {
  const outage = new Outage();
  const ledgers = await openThreeLedgers();
  bindings = bindingsOf({ ...ledgers, LEDGER_2: faultyDatabase(ledgers.LEDGER_2, outage) } as typeof ledgers);
  const world = new World(web, { bindings });
  const id = await world.start(SEEDS, { shards: 3 });
  const { shards } = (await homeOf(world.deps, id).ledger.crawl(id)) ?? {};
  const others = partsOf(shards as Shards).filter((part) => ledgerOf(part) !== 2);
  const statuses = (parts: readonly string[]) =>
    Promise.all(parts.map(async (part) => (await homeOf(world.deps, part).ledger.crawl(part))?.status));
  expect(others).toHaveLength(2);
  expect(ledgerOf(id)).not.toBe(2);

  outage.now = "hangs";
  const spy = withoutPatience(500);
  const says = async (answering: Promise<Response>) => {
    const answer = await answering;
    return { status: answer.status, ...((await answer.json()) as { errors: object[] }) };
  };
  const silent = (message: string) => ({ status: 503, errors: [{ code: "ledger-silent", message }] });
  expect(await says(post(`/api/crawls/${id}/pause`))).toMatchObject(
    silent("Ledger 2 does not answer. The crawl is paused, and its part there will be once it answers."),
  );
  expect(await statuses(others)).toEqual(["paused", "paused"]);
  const again = silent("Ledger 2 does not answer. Nothing is lost: try again in a minute.");
  expect(await says(send(`/api/crawls/${id}`))).toMatchObject(again);
  expect(await says(post(`/api/crawls/${id}/resume`))).toMatchObject(again);
  expect(await statuses(others)).toEqual(["paused", "paused"]);
  const amended = await says(send(`/api/crawls/${id}`, { method: "PATCH", body: JSON.stringify({ limit: 77 }) }));
  expect(amended).toMatchObject(
    silent("Ledger 2 does not answer. The crawl is changed, and its part there will be once it answers."),
  );
  const limits = await Promise.all(
    others.map(async (part) => (await homeOf(world.deps, part).ledger.crawl(part))?.options.limit),
  );
  expect(limits).toEqual([77, 77]);
  expect(await says(post(`/api/crawls/${id}/cancel`))).toMatchObject({ status: 503 });
  expect(await statuses(others)).toEqual(["cancelled_by_user", "cancelled_by_user"]);
  spy.mockRestore();
  outage.now = null;
  await heartbeat(world.deps);
  expect(await statuses(partsOf(shards as Shards))).toEqual(Array.from({ length: 3 }, () => "cancelled_by_user"));
});

test("one ledger that hangs holds up no deletion", async () => {
  const outage = new Outage();
  const ledgers = await openThreeLedgers();
  bindings = bindingsOf({ ...ledgers, LEDGER_2: faultyDatabase(ledgers.LEDGER_2, outage) } as typeof ledgers);
  const world = new World(web, { bindings });
  const id = await world.start(SEEDS, { shards: 3 });
  outage.now = "hangs";
  const spy = withoutPatience(500);
  const answer = await send(`/api/crawls/${id}?force=true`, { method: "DELETE" });
  expect([answer.status, await answer.json()]).toMatchObject([202, { result: { id, costUsd: null } }]);
  spy.mockRestore();
  outage.now = null;
  // The request took the time of this machine.
  world.now = Date.now();
  for (let beats = 0; beats < 5; beats++) {
    world.now += 3_600_000;
    for (const deps of onEachLedger(world.deps)) await heartbeat(deps);
  }
  for (const database of Object.values(ledgers))
    expect((await database.prepare("SELECT id FROM crawls").all()).results).toEqual([]);
});

import { createExecutionContext, env } from "cloudflare:test";
import { describe, expect, test, vi } from "vitest";
import { app } from "../../src/api/app.ts";
import { readDocument } from "../../src/api/firecrawl/read-document.ts";
import type { RecordView } from "../../src/api/views.ts";
import type { Crawl, CrawlUrl } from "../../src/crawl/crawl.ts";
import { type CrawlOptions, DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import type { Outcome } from "../../src/crawl/page/outcome.ts";
import type { WantedFields } from "../../src/crawl/page/row-fields.ts";
import type { CrawlHook } from "../../src/crawl/subject/hook.ts";
import { firecrawlBody } from "../../src/notices/firecrawl-notice.ts";
import { exportWhole } from "../../src/reading/exports/export-part.ts";
import { readRecords } from "../../src/reading/records/read-records.ts";
import { emptyCommit, splitCommit } from "../../src/store/ledger/ledger-commit.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { discovered, settled, visited, WATCH } from "./rows.ts";
import { World } from "./world.ts";

/** What pages bring may be large. A transaction takes 2 MB a parameter, so a commit is split, and a page is bounded. */

useModelLedger();

const HOME = "https://a.test/";
/** 100 kB. */
const TEN_LONG_TEXTS = Array.from({ length: 10 }, () => "x".repeat(10_000));
const large = (characters: number) => ({ text: "x".repeat(characters) });
const sized = (url: string, characters: number): Outcome => settled(url, { fields: large(characters) });

async function rowsOf(crawl: string) {
  const query = env.LEDGER.prepare(
    "SELECT url, status, reason, detail, octet_length(fields) AS bytes FROM urls WHERE crawl = ?1 ORDER BY url",
  );
  type Row = { url: string; status: string; reason: string | null; detail: string | null; bytes: number | null };
  return (await query.bind(crawl).all<Row>()).results;
}

/** A crawl of a page that links `count` others, with a hook that gives fields to each. */
async function crawlWith(
  count: number,
  pagesRead: NonNullable<CrawlHook["pagesRead"]>,
  options: Partial<CrawlOptions> = {},
) {
  const links = Array.from({ length: count }, (_, i) => `${HOME}p${i}`);
  const world = new World((url) => ({ links: url === HOME ? links : [], text: "t" }), { hook: { pagesRead } });
  const id = await world.start([HOME], options);
  await world.runToEnd(id);
  await expectCountersExact(id);
  const crawl = (await world.deps.ledger.crawl(id)) as Crawl;
  return { id, crawl, world, rows: await rowsOf(id) };
}

async function ask(path: string): Promise<Response> {
  return app.request(path, { headers: { authorization: "Bearer reading-token" } }, env, createExecutionContext());
}

type Read = Pick<RecordView, "url" | "fields">;

async function recordsOf(id: string): Promise<Read[]> {
  const records: Read[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const answer = await ask(`/api/crawls/${id}/records?limit=1000&cursor=${encodeURIComponent(cursor)}`);
    const { result } = (await answer.json()) as { result: { records: Read[]; cursor: string | null } };
    records.push(...result.records);
    cursor = result.cursor;
  }
  return records;
}

async function exportOf(id: string, format = "jsonl"): Promise<{ text: string; parts: number }> {
  const answer = await ask(`/api/crawls/${id}/export?format=${format}`);
  const text = await answer.text();
  const next = /<([^>]*)>/.exec(answer.headers.get("link") ?? "")?.[1];
  if (next === undefined) return { text, parts: 1 };
  const cursor = new URL(next, HOME).searchParams.get("cursor") ?? "";
  const rest = await exportOf(id, `${format}&cursor=${encodeURIComponent(cursor)}`);
  return { text: text + rest.text, parts: rest.parts + 1 };
}

const linesOf = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Read);

/** Counts the reads of packs. */
function countReads({ deps }: World): { count: number } {
  const reads = { count: 0 };
  const read = deps.packs.read.bind(deps.packs);
  vi.spyOn(deps.packs, "read").mockImplementation((...place) => {
    reads.count += 1;
    return read(...place);
  });
  return reads;
}

/** 2.5 MB. */
const LARGE = Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`f${i}`, TEN_LONG_TEXTS]));

describe.each(["warc", "files"] as const)("the hook's large fields, with pages stored as %s", (store) => {
  test("of 100 kB a page on 50 pages are in the pack, and read back by records and exports", async () => {
    const { id, rows, world } = await crawlWith(
      50,
      (pages) => pages.map(({ url }) => ({ fields: { url, none: null, all: [url, ...TEN_LONG_TEXTS] } })),
      { store },
    );
    expect(rows.map(({ status }) => status)).toEqual(Array.from({ length: 51 }, () => "completed"));
    expect(Math.max(...rows.map(({ bytes }) => bytes ?? 0))).toBeLessThan(300);
    expect(world.fetched).toHaveLength(51);
    const wanted = rows.map(({ url }) => ({ url, fields: { url, none: null, all: [url, ...TEN_LONG_TEXTS] } }));
    expect((await recordsOf(id)).map(({ url, fields }) => ({ url, fields }))).toEqual(wanted);
    expect(linesOf((await exportOf(id)).text).map(({ url, fields }) => ({ url, fields }))).toEqual(wanted);
  });

  test("of 2.5 MB are whole, and so are the 30 pages beside it", async () => {
    const { id, rows, world } = await crawlWith(
      30,
      (pages) => pages.map(({ url }) => (url.endsWith("/p3") ? { fields: LARGE } : { fields: { n: 1 } })),
      { store },
    );
    expect(rows.filter(({ status }) => status === "completed")).toHaveLength(31);
    expect(world.fetched).toHaveLength(31);
    const fieldsOf = (url: string) => (url.endsWith("/p3") ? LARGE : { n: 1 });
    for (const records of [await recordsOf(id), linesOf((await exportOf(id)).text)]) {
      expect(records).toHaveLength(31);
      for (const { url, fields } of records) expect(fields).toEqual(fieldsOf(url));
    }
    const url = `${HOME}p3`;
    const detail = (await (await ask(`/api/crawls/${id}/record?url=${encodeURIComponent(url)}`)).json()) as {
      result: { record: Read };
    };
    expect(detail.result.record.fields).toEqual(LARGE);
    const crawl = (await world.deps.ledger.crawl(id)) as Crawl;
    const record = (await world.deps.records.get(id, url)) as CrawlUrl;
    const document = await readDocument(
      { crawl, record },
      [],
      { screenshot: false },
      { ...world.deps, template: null },
    );
    expect(document.json).toEqual(LARGE);
    const body = JSON.stringify({ data: { url } });
    const style = { job: "crawl", headers: {}, metadata: {} } as const;
    await world.deps.mirror.putContent(id, url, new TextEncoder().encode("{}"));
    const notice = await firecrawlBody({ crawl: id, id: "n", event: "crawl.page", body }, style, world.deps);
    expect((JSON.parse(notice) as { data: [{ json: unknown }] }).data[0].json).toEqual(LARGE);
  });
});

describe("large fields", () => {
  test("of more than 4 MB end their page alone", async () => {
    const fields = Object.fromEntries(Array.from({ length: 45 }, (_, i) => [`f${i}`, TEN_LONG_TEXTS]));
    const { rows, world } = await crawlWith(30, (pages) =>
      pages.map(({ url }) => (url.endsWith("/p3") ? { fields } : null)),
    );
    const ended = rows.filter(({ status }) => status !== "completed");
    expect(ended).toMatchObject([{ url: `${HOME}p3`, status: "skipped", reason: "too-large", bytes: null }]);
    expect(ended[0]?.detail).toMatch(/^its fields have 4,50\d,\d{3} characters, and 4,000,000 are allowed$/);
    expect(rows).toHaveLength(31);
    expect(world.fetched).toHaveLength(31);
  });

  test("are read only for what names them, and no more than an answer holds", async () => {
    const { id, crawl, world } = await crawlWith(
      9,
      (pages) => pages.map(() => ({ fields: { ...LARGE, price: 12.5 } })),
      { fields: [{ urls: [], fields: { price: {} } }] },
    );
    const { text } = await exportOf(id, "csv");
    expect(text.trim().split("\r\n")).toHaveLength(11);
    expect(text.match(/,12\.5\r\n/g)).toHaveLength(10);
    const reads = countReads(world);
    const readAll = async (fields: WantedFields) => {
      const lengths: number[] = [];
      const all = await exportWhole(crawl, { fields, formats: [], only: "all" }, { ...world.deps, template: null });
      for await (const { record } of all ?? []) lengths.push(record.fields?.length ?? 0);
      return lengths;
    };
    expect(Math.max(...(await readAll(["price"])))).toBeLessThan(600);
    expect(reads.count).toBe(0);
    expect(Math.min(...(await readAll(["f7"])))).toBeGreaterThan(2_500_000);
    expect(reads.count).toBe(10);
    const query = { cursor: "", limit: 1_000, sort: "url", order: "asc", formats: [] } as const;
    const { records, cursor } = await readRecords(crawl, query, { ...world.deps, template: null });
    expect(records).toHaveLength(3);
    expect(cursor).toBe(records[2]?.record.url);
    expect(reads.count).toBe(14);
  });

  test("bound a part of an export", async () => {
    const { id } = await crawlWith(250, (pages) => pages.map(() => ({ fields: { text: [...TEN_LONG_TEXTS] } })));
    const { text, parts } = await exportOf(id, "jsonl&parts=true");
    expect(parts).toBe(2);
    const lines = linesOf(text);
    expect(new Set(lines.map(({ url }) => url)).size).toBe(251);
    for (const { fields } of lines) expect(fields).toEqual({ text: TEN_LONG_TEXTS });
  });

  test("whose pack is gone are missing, and the record says so", async () => {
    const { id, world } = await crawlWith(1, (pages) => pages.map(() => ({ fields: { ...LARGE, n: 1 } })));
    await world.deps.packs.removeSome(id);
    expect(await recordsOf(id)).toMatchObject([
      { fields: { n: 1 }, problem: "its large fields are not in the mirror" },
      { fields: { n: 1 }, problem: "its large fields are not in the mirror" },
    ]);
  });

  test("that an earlier version put into the row are read from there", async () => {
    const { id } = await crawlWith(1, (pages) => pages.map(() => null));
    const fields = { text: "x".repeat(500_000) };
    await env.LEDGER.prepare("UPDATE urls SET fields = ?2 WHERE crawl = ?1").bind(id, JSON.stringify(fields)).run();
    expect((await recordsOf(id)).map((record) => record.fields)).toEqual([fields, fields]);
  });
});

describe("a commit that is too large for a transaction", () => {
  const pages = Array.from({ length: 8 }, (_, i) => `${HOME}p${i}`);

  async function start() {
    const { ledger } = new World(() => ({ links: [] })).deps;
    const id = crypto.randomUUID();
    const options = { urls: [HOME], userAgent: "T/1", limit: 100, watch: null };
    const seeds = pages.map((url) => discovered(url, { depth: 0 }));
    const crawl = { id, options: { ...DEFAULT_OPTIONS, ...options }, hosts: ["a.test"], seeds, sitemaps: [], now: 1 };
    await ledger.create(crawl);
    return { id, ledger };
  }

  const commitOf = (crawl: string) => ({
    ...emptyCommit(crawl),
    outcomes: pages.map((url) => sized(url, 500_000)),
    discoveries: pages.map((url) => discovered(`${url}/next`, { via: url })),
    usage: { cpuMs: 8 },
  });

  test("settles all pages, finds all links, and sends what moves up once", async () => {
    const { id, ledger } = await start();
    const [moved] = await ledger.commit([commitOf(id)], 2);
    expect(moved?.settled.map(({ url }) => url).sort()).toEqual(pages);
    expect(moved?.queued.toSorted()).toEqual(pages.map((url) => `${url}/next`));
    expect(moved?.state).toMatchObject({ status: "running", queued: 8, pending: 0 });
    expect((await ledger.crawl(id))?.usage).toEqual({ cpuMs: 8 });
    await expectCountersExact(id);
  });

  test("may end the crawl", async () => {
    const { id, ledger } = await start();
    const [moved] = await ledger.commit([{ ...commitOf(id), discoveries: [] }], 2);
    expect(moved?.state).toMatchObject({ status: "completed", tx_ended: 1 });
    await expectCountersExact(id);
  });

  test("has every part of a page in one transaction, and each list once", () => {
    const commit = {
      ...commitOf("c"),
      visits: pages.map((url) => visited(`${url}v`, { outcome: sized(`${url}v`, 500_000) })),
      texts: pages.map((url) => ({ url, title: null, text: "t", visit: null })),
      added: pages,
      hostPages: pages.map((url) => ({ url, host: "a.test" })),
      refusals: pages.map((page) => ({ page, in: "urls" as const, reason: "depth" as const, count: 1, examples: [] })),
    };
    const { portions, parts, last } = splitCommit(commit);
    expect([...portions].flat()).toEqual(commit.discoveries);
    const all = [...parts, last];
    for (const list of ["outcomes", "visits", "texts", "added", "hostPages", "refusals"] as const)
      expect(all.flatMap((part): unknown[] => part[list])).toEqual(commit[list]);
    for (const part of all) {
      const own = part.outcomes.map(({ url }) => url);
      expect([part.texts.map(({ url }) => url), part.added]).toEqual([own, own]);
      expect(JSON.stringify(part.outcomes).length).toBeLessThan(2_000_000);
    }
  });

  test.each([0, 1, 1_000, 1_001, 2_000, 10_000])("%i discoveries go in portions, in order", (count) => {
    const discoveries = Array.from({ length: count }, (_, i) => discovered(`https://a.test/${i}`));
    const { portions, last } = splitCommit({ ...emptyCommit("c"), discoveries });
    const lists = [...portions, last.discoveries];
    expect(lists.flat()).toEqual(discoveries);
    expect(lists.map(({ length }) => length)).toEqual(
      count === 0
        ? [0]
        : Array.from({ length: Math.ceil(count / 1_000) }, (_, at) => Math.min(1_000, count - at * 1_000)),
    );
  });

  test("settles visits in parts, too", async () => {
    const { id, ledger } = await start();
    await ledger.commit([{ ...emptyCommit(id), outcomes: pages.map((url) => settled(url)) }], 2);
    await ledger.watch(id, WATCH, 3);
    const visits = pages.map((url) =>
      visited(url, { result: "changed", change: "changed", outcome: sized(url, 500_000) }),
    );
    await ledger.commit([{ ...emptyCommit(id), visits }], 4);
    expect((await rowsOf(id)).every(({ bytes }) => (bytes ?? 0) > 500_000)).toBe(true);
    expect((await ledger.crawl(id))?.changes).toBe(8);
    await expectCountersExact(id);
  });
});

test("a page of ten thousand long links exceeds one D1 parameter, and loses no link", async () => {
  const links = Array.from({ length: 10_000 }, (_, i) => `${HOME}${"long-".repeat(60)}${i}`);
  const world = new World((url) => ({ links: url === HOME ? links : [] }));
  const crawl = await world.start([HOME], { limit: 1, maxQueued: 10 });
  await world.turn();
  await expectCountersExact(crawl);
  expect((await world.deps.ledger.crawl(crawl))?.counters).toMatchObject({
    discovered: 10_001,
    completed: 1,
    skipped: 10_000,
  });
});

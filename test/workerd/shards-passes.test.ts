import { createExecutionContext, env } from "cloudflare:test";
import { gunzipSync } from "node:zlib";
import { strFromU8, unzipSync } from "fflate";
import { parquetReadObjects } from "hyparquet";
import { beforeEach, expect, test, vi } from "vitest";
import { writePart } from "../../src/api/exports/export-writer.ts";
import type { FindingsView, InlinksView, RecordView } from "../../src/api/views.ts";
import type { Crawl } from "../../src/crawl/crawl.ts";
import { ledgerOf } from "../../src/crawl/crawl-id.ts";
import type { WriteExportPart } from "../../src/crawl/report/export-file.ts";
import { partsOf, type Shards } from "../../src/crawl/shards/shards.ts";
import { PageFetcher } from "../../src/fetch/page-fetcher.ts";
import { depsOf } from "../../src/frontier/deps.ts";
import { homeOf } from "../../src/frontier/ledgers.ts";
import { storesOf } from "../../src/frontier/shards/over-parts.ts";
import { writeExport } from "../../src/passes/export/write-export.ts";
import { PassRun } from "../../src/passes/pass-run.ts";
import { classifyPages } from "../../src/passes/text/classify-pages.ts";
import { findTopics } from "../../src/passes/text/find-topics.ts";
import { startClassification } from "../../src/passes/text/start-text-pass.ts";
import { chooseExamples } from "../../src/reading/records/choose-examples.ts";
import { analyzeCrawl } from "./analyze-crawl.ts";
import { readWarc } from "./read-warc.ts";
import { bindingsOf, openThreeLedgers, resultOf, sendToLedgers } from "./several-ledgers.ts";
import { World } from "./world.ts";

/** What reads a whole crawl says the same of one over three ledgers as of one in one ledger. */

const HOSTS = 9;
const hostAt = (i: number) => `https://h${i % HOSTS}.test/`;
const SEEDS = Array.from({ length: HOSTS }, (_, i) => hostAt(i));
const SUBJECTS = ["birds of the river", "engines of old ships", "bread and its flour"];

/** Links to other hosts, pages that are gone, and texts that are the same on hosts of different ledgers. */
function pageAt(url: string): string | null {
  const { hostname, pathname, origin } = new URL(url);
  const host = Number(/\d+/.exec(hostname)?.[0]);
  if (!["/", "/a", "/b", "/same"].includes(pathname)) return null;
  const subject = SUBJECTS[host % SUBJECTS.length] ?? "";
  const isSame = pathname === "/same";
  const text = isSame ? SAME : `${subject}: ${`they are on ${hostname} at ${pathname}, as ${subject}. `.repeat(12)}`;
  const links = [
    ...["a", "b", "same"].map((path) => `${origin}/${path}`),
    `${hostAt(host + 1)}a`,
    `${hostAt(host * 5 + pathname.length)}b`,
    ...(pathname === "/b" ? [`${hostAt(host + 2)}gone`] : []),
  ];
  const anchors = links.map((link) => `<a href="${link}">${new URL(link).pathname}</a>`).join(" ");
  return `<title>${isSame ? "The same" : `${pathname} of ${host}`}</title><nav>${anchors}</nav><main><p>${text}</p></main>`;
}

const SAME = Array.from({ length: 300 }, (_, i) => `word${i}`).join(" ");

let bindings: Env;

beforeEach(async () => {
  bindings = bindingsOf(await openThreeLedgers());
});

const send = (path: string, init?: RequestInit) => sendToLedgers(bindings, path, init);
const post = (path: string, body: unknown = {}) => send(path, { method: "POST", body: JSON.stringify(body) });

function newWorld(): World {
  const world = new World(() => ({ status: 500 }), { bindings });
  vi.stubGlobal("fetch", async (asked: string) => {
    const body = pageAt(asked);
    if (body === null) return new Response("none", { status: 404 });
    return new Response(body, { headers: { "content-type": "text/html; charset=utf-8" } });
  });
  const fetcher = () => new PageFetcher(createExecutionContext(), env);
  world.deps.fetchPage = (request, secrets) => fetcher().fetchPage(request, secrets);
  return world;
}

/** A crawl to its end. */
async function crawl(world: World, shards: number): Promise<string> {
  const id = await world.start(SEEDS, { shards, search: true, store: "warc" });
  for (let turn = 0; turn < 1_000; turn++) {
    await world.turn();
    const { finishedAt } = await resultOf<{ finishedAt: number | null }>(send(`/api/crawls/${id}`));
    if (finishedAt !== null) return id;
  }
  throw new Error("the crawl did not end");
}

const URLS = SEEDS.flatMap((seed) => ["", "a", "b", "gone", "same"].map((path) => seed + path)).toSorted();

const textOf = async (path: string) => (await send(path)).text();

test("an analysis: its report, ranks, in-links, sections and graph", async () => {
  const world = newWorld();
  const [one, parted] = [await crawl(world, 1), await crawl(world, 3)];
  const { shards } = (await homeOf(world.deps, parted).ledger.crawl(parted)) ?? {};
  expect(partsOf(shards as Shards)).toHaveLength(3);
  for (const id of [one, parted]) await analyzeCrawl(id, world);

  const recordsOf = async (id: string) => {
    const jsonl = (await textOf(`/api/crawls/${id}/export?format=jsonl`)).trim().split("\n");
    return jsonl
      .map((line) => JSON.parse(line) as RecordView)
      .map(({ url, status, rank, inLinks, twinOf }) => ({ url, status, rank, inLinks, twinOf }));
  };
  const records = await recordsOf(one);
  expect(records).toHaveLength(5 * HOSTS);
  expect(records.filter(({ twinOf }) => twinOf !== null).length).toBeGreaterThan(0);
  expect(await recordsOf(parted)).toEqual(records);

  const findingsOf = async (id: string) => {
    const { counts, pages, links } = await resultOf<FindingsView>(send(`/api/crawls/${id}/findings`));
    const csv = (await textOf(`/api/crawls/${id}/findings/file?format=csv`)).replaceAll(id, "ID");
    return { counts, pages, links, csv };
  };
  const report = await findingsOf(one);
  expect(report.counts.map(({ kind }) => kind)).toContain("broken-link");
  // The second report is compared with the first one, so its findings are not new.
  const parsed = await findingsOf(parted);
  expect([parsed.pages, parsed.links]).toEqual([report.pages, report.links]);
  expect(parsed.counts.map(({ kind, found }) => [kind, found])).toEqual(
    report.counts.map(({ kind, found }) => [kind, found]),
  );
  expect(parsed.counts.every(({ new: fresh }) => fresh === 0)).toBe(true);

  for (const { url } of records.slice(0, 20)) {
    const inlinksOf = async (id: string) => {
      const { total, sources } = await resultOf<InlinksView>(send(`/api/crawls/${id}/inlinks?url=${url}&limit=50`));
      return { total, sources };
    };
    const inlinks = await inlinksOf(one);
    expect(inlinks.sources.some(({ links }) => links.length > 0) || inlinks.total === 0).toBe(true);
    expect(await inlinksOf(parted)).toEqual(inlinks);
  }
  const sectionsOf = async (id: string) => {
    const { analyzedAt: _, ...sections } = await resultOf<{ analyzedAt: string }>(send(`/api/crawls/${id}/sections`));
    // Fetches take as long as they take.
    return JSON.parse(JSON.stringify(sections, (key, value) => (/Ms$|^timeShare$/.test(key) ? null : value)));
  };
  expect(await sectionsOf(parted)).toEqual(await sectionsOf(one));
  for (const format of ["graph-nodes", "graph-edges"]) {
    const [first, second] = await Promise.all(
      [one, parted].map(async (id) =>
        parquetReadObjects({ file: await (await send(`/api/crawls/${id}/export?format=${format}`)).arrayBuffer() }),
      ),
    );
    expect(first?.length).toBeGreaterThan(40);
    expect(second).toEqual(first);
  }
});

test("a search for topics", async () => {
  const world = newWorld();
  const topicsOf = async (id: string) => {
    const pass = crypto.randomUUID();
    await homeOf(world.deps, id).passes.begin(id, pass, world.now, null, { kind: "topics" });
    await findTopics(
      new PassRun(
        { crawl: id, id: pass, kind: "topics" },
        (_, work) => work(),
        () => homeOf(world.deps, id),
      ),
    );
    const { topics } = await resultOf<{ topics: { pages: number; terms: unknown }[] }>(
      send(`/api/crawls/${id}/topics`),
    );
    return topics.map(({ pages, terms }) => ({ pages, terms }));
  };
  const topics = await topicsOf(await crawl(world, 1));
  expect(topics.length).toBeGreaterThan(1);
  expect(await topicsOf(await crawl(world, 3))).toEqual(topics);
});

test("marks, and the labels that are learned from them", async () => {
  const world = newWorld();
  const labelsOf = async (id: string) => {
    const marked = URLS.filter((url) => /\/[ab]$/.test(url)).slice(0, 12);
    const labelled = Map.groupBy(marked, (url) => SUBJECTS[Number(/\d+/.exec(url)?.[0]) % SUBJECTS.length] ?? "");
    for (const [label, urls] of labelled)
      expect(
        await resultOf(post(`/api/crawls/${id}/marks`, { urls: [...urls, "https://h0.test/none"], label })),
      ).toEqual({
        marked: urls.length,
        missing: ["https://h0.test/none"],
      });
    const first = marked[0] ?? "";
    await resultOf(post(`/api/crawls/${id}/marks`, { urls: [first], label: null }));
    type Marks = { marks: { url: string; label: string }[] };
    const { marks } = await resultOf<Marks>(send(`/api/crawls/${id}/marks`));
    expect(marks.map(({ url }) => url)).toEqual(marked.filter((url) => url !== first));
    const home = homeOf(world.deps, id);
    const crawled = (await home.ledger.crawl(id)) as Crawl;
    const examples = await chooseExamples(crawled, undefined, storesOf(crawled, home));
    const passRuns = { create: async () => undefined } as unknown as typeof home.passRuns;
    const answer = await startClassification(crawled, examples, { ...home, passRuns });
    if (answer.kind === "refused") throw new Error(answer.why);
    await classifyPages(
      new PassRun(
        { crawl: id, id: answer.pass.id, kind: "classify" },
        (_, work) => work(),
        () => home,
      ),
    );
    const jsonl = (await textOf(`/api/crawls/${id}/export?format=jsonl`)).trim().split("\n");
    return jsonl
      .map((line) => JSON.parse(line) as RecordView)
      .map(({ url, label, confidence }) => [url, label, confidence]);
  };
  const labels = await labelsOf(await crawl(world, 1));
  expect(labels.filter(([, label]) => label !== null)).toHaveLength(4 * HOSTS);
  expect(await labelsOf(await crawl(world, 3))).toEqual(labels);
});

test("an export in the background is the file that a request gets", async () => {
  const world = newWorld();
  const id = await crawl(world, 3);
  for (const format of ["jsonl", "csv", "markdown"]) {
    const { id: pass } = await resultOf<{ id: string }>(post(`/api/crawls/${id}/exports`, { format }));
    const at = depsOf(bindings, undefined, ledgerOf(id));
    const stores = { ...at, writeExportPart: (...order: Parameters<WriteExportPart>) => writePart(at, ...order) };
    await writeExport(
      new PassRun(
        { crawl: id, id: pass, kind: "export" },
        (_, work) => work(),
        () => stores,
      ),
    );
    const file = await textOf(`/api/crawls/${id}/exports/${pass}/file`);
    expect(file.length).toBeGreaterThan(1_000);
    const parts: string[] = [];
    for (let query: string | null = `format=${format}&parts=true`; query !== null; ) {
      const answer: Response = await send(`/api/crawls/${id}/export?${query}`);
      parts.push(await answer.text());
      query = /\?([^>]+)>/.exec(answer.headers.get("link") ?? "")?.[1] ?? null;
    }
    expect(file).toEqual(parts.join(""));
  }
});

test("archives: each answer once, from all parts, and from any byte on", async () => {
  const world = newWorld();
  const id = await crawl(world, 3);
  const get = async (format: string, init?: RequestInit) => {
    const answer = await send(`/api/crawls/${id}/export?format=${format}`, init);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    if (!answer.ok) throw new Error(new TextDecoder().decode(bytes));
    return bytes;
  };
  const warc = await get("warc");
  const { shards } = (await homeOf(world.deps, id).ledger.crawl(id)) ?? {};
  const answers = readWarc(gunzipSync(warc)).filter(({ type }) => type === "response" || type === "revisit");
  const pages = answers.map(({ url }) => url).filter((url) => !url.endsWith("/robots.txt"));
  expect(pages.toSorted()).toEqual(URLS);
  const parted = await get("warc", { headers: { authorization: "Bearer test-token", range: "bytes=3000-" } });
  expect(parted).toEqual(warc.subarray(3_000));
  // By pack: no pack comes twice, and none is left out.
  const { archiveIndex } = storesOf({ shards: shards as Shards }, homeOf(world.deps, id));
  const all = await archiveIndex.packs(id);
  expect(all.length).toBeGreaterThan(2);
  for (const most of [1, 2, 3]) {
    const listed: typeof all = [];
    for (let cursor = ""; ; ) {
      const some = await archiveIndex.packs(id, cursor, most);
      listed.push(...some);
      if (some.length < most) break;
      cursor = some.at(-1)?.name ?? "";
    }
    expect(listed).toEqual(all);
  }

  const wacz = Object.entries(unzipSync(await get("wacz")));
  const lines = (name: string) => strFromU8(wacz.find(([path]) => path.endsWith(name))?.[1] ?? new Uint8Array());
  const listed = lines("pages.jsonl").trim().split("\n").slice(1);
  const listedUrls = listed.map((line) => (JSON.parse(line) as { url: string }).url).toSorted();
  expect(listedUrls).toEqual(URLS.filter((url) => !url.endsWith("gone")));

  const zip = unzipSync(await get("zip"));
  const names = Object.keys(zip).filter((name) => name.endsWith(".html") && name.startsWith("pages/"));
  expect(names).toHaveLength(4 * HOSTS);
  // Links lead to files of hosts in other parts.
  const home = strFromU8(
    zip[names.find((name) => name.includes("h3.test") && name.endsWith("index.html")) ?? ""] as never,
  );
  expect(home).not.toContain("https://h");
  expect(
    strFromU8(zip["records.jsonl"] as never)
      .trim()
      .split("\n"),
  ).toHaveLength(URLS.length);
});

test.each([1, 2, 7, 100])("rows and texts are walked whole in steps of %s, in the order of URLs", async (most) => {
  const world = newWorld();
  const id = await crawl(world, 3);
  const home = homeOf(world.deps, id);
  const stores = storesOf((await home.ledger.crawl(id)) as Crawl, home);
  const walk = async (next: (after: string) => Promise<{ url: string }[]>) => {
    const urls: string[] = [];
    for (let some = await next(""); some.length > 0; some = await next(urls.at(-1) ?? ""))
      urls.push(...some.map(({ url }) => url));
    return urls;
  };
  expect(await walk((after) => stores.passRows.rows(id, after, most))).toEqual(URLS);
  // From any row on, and again from there.
  for (const after of [URLS[3] ?? "", URLS[20] ?? "", URLS[3] ?? ""]) {
    const rows = await stores.passRows.rows(id, after, most);
    const from = URLS.indexOf(after) + 1;
    expect(rows.map(({ url }) => url)).toEqual(URLS.slice(from, from + most));
  }
  const indexed = URLS.filter((url) => !url.endsWith("gone"));
  for (const bytes of [1, 3_000, 1_000_000])
    expect(await walk((after) => stores.reindexing.read(id, after, most, bytes))).toEqual(indexed);
});

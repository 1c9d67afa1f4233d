import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { sha256Of } from "../../src/archive/sha256.ts";
import { readContent } from "../../src/fetch/reading/read-page.ts";
import type { DoStep } from "../../src/passes/pass-run.ts";
import { PassRun } from "../../src/passes/pass-run.ts";
import { runPass } from "../../src/passes/run-pass.ts";
import { startPass } from "../../src/passes/start-pass.ts";
import { reindexUsd } from "../../src/passes/text/reindex-search.ts";
import { PageCleaner } from "../../src/reading/records/page-cleaner.ts";
import { readFormats } from "../../src/reading/records/read-formats.ts";
import { plainPages } from "../sites/plain-pages.ts";
import { analyzeCrawl } from "./analyze-crawl.ts";
import { World } from "./world.ts";

/** What an analysis leaves out of pages and of the search index: the same whatever happens to its steps. */

const SITE = "https://a.test/";
const NOTICE = "Reproduction of texts and plates";
const site = plainPages(12, 2);
const urls = site.map((_, at) => `${SITE}${at}`);

/** Pages with their HTML in the mirror, and their text in the index. */
async function newSite(maxCostUsd = 0): Promise<{ world: World; id: string }> {
  const world = new World(() => ({ links: [] }));
  world.deps.readContent = readContent;
  const id = await world.start([SITE], { store: "files", search: true, maxCostUsd });
  await world.runToEnd(id);
  for (const [at, { html }] of site.entries()) {
    const url = urls[at] as string;
    const body = new TextEncoder().encode(html);
    await world.deps.mirror.put({
      ...{ crawl: id, url, body, contentType: "text/html", headers: [], httpStatus: 200 },
      ...{ sha256: sha256Of(body), fetchedAt: world.now },
    });
    const json = await readContent(
      { body, contentType: "text/html", headers: [], httpStatus: 200 },
      { url, agent: "test", scriptLinks: false, preferMarkdown: false, parts: ["text"] },
    );
    const { text } = JSON.parse(new TextDecoder().decode(json)) as { text: string };
    await env.LEDGER.batch([
      env.LEDGER.prepare(
        `INSERT INTO urls (crawl, url, status, depth, priority, seq, content_type) VALUES (?1, ?2, 'completed', 1, 0, ?3, 'text/html')`,
      ).bind(id, url, at + 10),
      env.LEDGER.prepare(
        "INSERT INTO search_pages (crawl, url, unspaced, title, text) VALUES (?1, ?2, 0, 'Entry', ?3)",
      ).bind(id, url, text),
      env.LEDGER.prepare(
        "INSERT INTO search_words (rowid, title, text) SELECT id, title, text FROM search_pages WHERE crawl = ?1 AND url = ?2",
      ).bind(id, url),
    ]);
  }
  return { world, id };
}

async function crawlOf(world: World, id: string) {
  const crawl = await world.deps.ledger.crawl(id);
  if (crawl === null) throw new Error("no such crawl");
  return crawl;
}

async function textsOf(id: string): Promise<string[]> {
  const { results } = await env.LEDGER.prepare("SELECT text FROM search_pages WHERE crawl = ?1 ORDER BY url")
    .bind(id)
    .all<{ text: string }>();
  return results.map(({ text }) => text).filter((text) => text !== "");
}

async function countHits(id: string, word: string): Promise<number | null> {
  return env.LEDGER.prepare(
    "SELECT count(*) AS hits FROM search_words w JOIN search_pages p ON p.id = w.rowid WHERE p.crawl = ?1 AND search_words MATCH ?2",
  )
    .bind(id, word)
    .first<number>("hits");
}

test("pages come without what their site repeats, once the crawl is analyzed", async () => {
  const { world, id } = await newSite();
  const crawl = await crawlOf(world, id);
  expect(await PageCleaner.open(crawl, world.deps)).toBeNull();
  await analyzeCrawl(id, world);
  const cleaner = await PageCleaner.open(crawl, world.deps);
  if (cleaner === null) throw new Error("no cleaner");
  for (const [at, { own }] of site.entries()) {
    const url = urls[at] as string;
    const read = (formats: ("text" | "markdown" | "json")[]) =>
      readFormats(crawl, url, formats, { ...world.deps, cleaner });
    const formatted = { ...(await read(["markdown"]))?.formatted, ...(await read(["text", "json"]))?.formatted };
    expect(Object.keys(formatted)).toEqual(["markdown", "text", "json"]);
    for (const text of [formatted.text, formatted.markdown, formatted.json?.text]) {
      for (const paragraph of own) expect(text).toContain(paragraph);
      expect(text).not.toContain(NOTICE);
    }
    expect((await readFormats(crawl, url, ["text"], world.deps))?.formatted.text).toContain(NOTICE);
  }
});

test("an index is cleaned once, and the second time nothing is written", async () => {
  const { world, id } = await newSite();
  expect(await countHits(id, "reproduction")).toBe(site.length);
  await analyzeCrawl(id, world);
  expect(await countHits(id, "reproduction")).toBe(site.length);
  world.deps.meter.take();
  const rowsOf = async (reindex: boolean) => {
    const before = (await crawlOf(world, id)).usage.ledgerRowsWritten ?? 0;
    await analyzeCrawl(id, world, { reindex });
    return ((await crawlOf(world, id)).usage.ledgerRowsWritten ?? 0) - before;
  };
  const without = await rowsOf(false);
  const first = await rowsOf(true);
  expect(await countHits(id, "reproduction")).toBe(0);
  expect(await countHits(id, "weaver")).toBe(site.length);
  for (const [at, text] of (await textsOf(id)).entries()) expect(text.length, String(at)).toBeGreaterThan(200);
  const second = await rowsOf(true);
  // Each step notes its progress and its bill in two rows, and a pass with reindexing has one more.
  expect(second - without).toBeLessThanOrEqual(4);
  expect((first - second) * 1e-6).toBeLessThanOrEqual(reindexUsd(site.length));
  expect(first - second).toBeGreaterThanOrEqual(2 * site.length);
  await env.LEDGER.exec("INSERT INTO search_words (search_words, rank) VALUES ('integrity-check', 1)");
});

test("steps that fail after their work and repeat give the same index", async () => {
  const { world, id } = await newSite();
  await analyzeCrawl(id, world, { reindex: true });
  const expected = await textsOf(id);
  const again = await newSite();
  const twice: DoStep = async (_, work) => {
    await work();
    return work();
  };
  await analyzeCrawl(again.id, again.world, { reindex: true, doStep: twice });
  expect(await textsOf(again.id)).toEqual(expected);
  await env.LEDGER.exec("INSERT INTO search_words (search_words, rank) VALUES ('integrity-check', 1)");
});

test("a text that a visit has replaced since it was read stays", async () => {
  const { world, id } = await newSite();
  const { reindexing } = world.deps;
  const [first, ...others] = await reindexing.read(id, "", 100, 1e6);
  if (first === undefined) throw new Error("no text");
  await env.LEDGER.prepare("UPDATE urls SET visits = visits + 1 WHERE crawl = ?1 AND url = ?2")
    .bind(id, first.url)
    .run();
  await reindexing.replace(
    id,
    [first, ...others].map((page) => ({ ...page, text: "short" })),
  );
  const texts = (await reindexing.read(id, "", 100, 1e6)).map(({ text }) => text);
  expect(texts).toEqual([first.text, ...others.map(() => "short")]);
  expect((await reindexing.read(id, first.url, 100, 1)).length).toBe(1);
});

test("texts without spaces between words stay in the second index", async () => {
  const { world, id } = await newSite();
  const { reindexing } = world.deps;
  const [page] = (await reindexing.read(id, `${SITE}0`, 1, 1e6)) ?? [];
  if (page === undefined) throw new Error("no text");
  const trigrams = () =>
    env.LEDGER.prepare("SELECT count(*) AS n FROM search_trigrams WHERE search_trigrams MATCH '网络爬'").first("n");
  const rowsOf = async (text: string) => {
    world.deps.meter.take();
    await reindexing.replace(id, [{ ...page, text }]);
    return world.deps.meter.take().ledgerRowsWritten;
  };
  const rows = [
    await rowsOf("plain words"),
    await rowsOf("用Python写网络爬虫程序"),
    await rowsOf("用Python写网络爬虫"),
  ];
  expect(rows).toEqual([3, 4, 5]);
  expect(await trigrams()).toBe(1);
  expect((await reindexing.read(id, `${SITE}0`, 1, 1e6))[0]?.text).toBe("用Python写网络爬虫");
  await reindexing.replace(id, [{ ...page, text: "plain words" }]);
  expect(await trigrams()).toBe(0);
  for (const index of ["search_words", "search_trigrams"])
    await env.LEDGER.exec(`INSERT INTO ${index} (${index}, rank) VALUES ('integrity-check', 0)`);
});

test("reindexing is refused without an index, and beyond the cost limit", async () => {
  const { world, id } = await newSite(0.000_001);
  const passRuns = { create: async () => undefined } as unknown as World["deps"]["passRuns"];
  const deps = { ...world.deps, passRuns };
  expect(await startPass(await crawlOf(world, id), deps, { reindex: true })).toMatchObject({
    kind: "refused",
    why: expect.stringContaining("its limit of 0.000001 USD"),
  });
  const crawl = await crawlOf(world, id);
  const plain = { ...crawl, options: { ...crawl.options, search: false, maxCostUsd: 0 } };
  expect(await startPass(plain, deps, { reindex: true })).toMatchObject({ why: expect.stringContaining("--search") });
});

test("a pass that is over its cost limit in the middle ends before it reindexes", async () => {
  const { world, id } = await newSite();
  const before = await textsOf(id);
  const pass = crypto.randomUUID();
  await world.deps.passes.begin(id, pass, world.now, null, { reindex: true });
  const limited: DoStep = async (name, work) => {
    if (name.startsWith("reindex"))
      await env.LEDGER.prepare("UPDATE crawls SET options = json_set(options, '$.maxCostUsd', 1e-9) WHERE id = ?1")
        .bind(id)
        .run();
    return work();
  };
  const run = new PassRun({ crawl: id, id: pass, reindex: true }, limited, () => world.deps);
  await expect(runPass(run)).rejects.toThrow("which is its limit");
  expect(await textsOf(id)).toEqual(before);
});

import { createExecutionContext, env } from "cloudflare:test";
import { expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import { sha256Of } from "../../src/archive/sha256.ts";
import { readContent } from "../../src/fetch/reading/read-page.ts";
import { emptyMetadata } from "../../src/media/text/plain-content.ts";
import type { DoStep } from "../../src/passes/pass-run.ts";
import { PassRun } from "../../src/passes/pass-run.ts";
import { runPass } from "../../src/passes/run-pass.ts";
import { startPass } from "../../src/passes/start-pass.ts";
import { cleanSearch, findDueTemplates } from "../../src/passes/template/learn-due.ts";
import { learnTemplate } from "../../src/passes/template/learn-template.ts";
import { reindexUsd } from "../../src/passes/text/reindex-search.ts";
import { readFormats, readingOf } from "../../src/reading/records/read-formats.ts";
import { plainPages } from "../sites/plain-pages.ts";
import { analyzeCrawl } from "./analyze-crawl.ts";
import { DAY_MS, HOUR_MS, WatchedWorld } from "./watched-world.ts";
import { World } from "./world.ts";

/** What is left out of pages and of the search index: the same, whoever learns it and whatever happens meanwhile. */

const SITE = "https://a.test/";
const NOTICE = "Reproduction of texts and plates";
const site = plainPages(12, 2);
const urls = site.map((_, at) => `${SITE}${at}`);

/** Pages with their HTML in the mirror, and with search their text in the index. */
async function newSite(maxCostUsd = 0, search = true): Promise<{ world: World; id: string }> {
  const world = new World(() => ({ links: [] }));
  world.deps.readContent = readContent;
  const id = await world.start([SITE], { store: "files", search, maxCostUsd });
  await world.runToEnd(id);
  for (const [at, { html }] of site.entries()) {
    const url = urls[at] as string;
    const body = new TextEncoder().encode(html);
    await world.deps.mirror.put({
      ...{ crawl: id, url, body, contentType: "text/html", headers: [], httpStatus: 200 },
      ...{ sha256: sha256Of(body), fetchedAt: world.now },
    });
    await env.LEDGER.prepare(
      `INSERT INTO urls (crawl, url, status, depth, priority, seq, content_type) VALUES (?1, ?2, 'completed', 1, 0, ?3, 'text/html')`,
    )
      .bind(id, url, at + 10)
      .run();
    if (!search) continue;
    const json = await readContent(
      { body, contentType: "text/html", headers: [], httpStatus: 200 },
      { url, agent: "test", scriptLinks: false, preferMarkdown: false, parts: ["text"] },
    );
    const { text } = JSON.parse(new TextDecoder().decode(json)) as { text: string };
    await env.LEDGER.batch([
      env.LEDGER.prepare(
        "INSERT INTO search_pages (crawl, url, unspaced, title, text) VALUES (?1, ?2, 0, 'Entry', ?3)",
      ).bind(id, url, text),
      env.LEDGER.prepare(
        "INSERT INTO search_words (rowid, title, text) SELECT id, title, text FROM search_pages WHERE crawl = ?1 AND url = ?2",
      ).bind(id, url),
    ]);
  }
  await env.LEDGER.prepare(
    "UPDATE crawls SET completed = completed + ?2, discovered = discovered + ?2, template_end = NULL WHERE id = ?1",
  )
    .bind(id, site.length)
    .run();
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

const FORMATS = ["text", "markdown", "json"] as const;

async function read(world: World, id: string, url: string, rawText = false) {
  const crawl = await crawlOf(world, id);
  const reading = await readingOf(crawl, { formats: FORMATS, rawText }, world.deps);
  const { formatted } = (await readFormats(crawl, url, FORMATS, reading)) ?? {};
  if (formatted === undefined) throw new Error("no page");
  return formatted;
}

/** Whether the pages come without what they have in common. */
async function expectCleaned(world: World, id: string): Promise<void> {
  for (const [at, { own }] of site.entries()) {
    const { text = "", markdown = "", json, template } = await read(world, id, urls[at] as string);
    for (const each of [text, markdown, json?.text]) {
      for (const paragraph of own) expect(each).toContain(paragraph);
      expect(each).not.toContain(NOTICE);
    }
    expect(template).toEqual({ pages: 12, removed: expect.any(Number) });
    expect(template?.removed).toBeGreaterThan(4);
  }
}

test("pages come without what their siblings have in common, unless the raw text is wanted", async () => {
  const { world, id } = await newSite(0, false);
  await expectCleaned(world, id);
  const raw = await read(world, id, urls[0] as string, true);
  expect(raw).toMatchObject({ text: expect.stringContaining(NOTICE), template: null });
  // The template stays as it was learned, whatever the pages say later.
  const { template } = await crawlOf(world, id);
  world.deps.readContent = async () => {
    throw new Error("nothing is read again");
  };
  expect(await learnTemplate(await crawlOf(world, id), { queries: 9, pages: 99, made: 99 }, world.deps)).toBe(true);
  expect((await crawlOf(world, id)).template).toBe(template);
});

test("heartbeats learn the same in turns, and until then pages come raw", async () => {
  const { world, id } = await newSite(0, false);
  world.deps.limits.invocations = 32;
  expect(await read(world, id, urls[0] as string)).toMatchObject({
    text: expect.stringContaining(NOTICE),
    template: null,
  });
  // A turn that was killed begins again where the one before ended.
  const { readContent: whole } = world.deps;
  world.deps.readContent = async (...args) => {
    if (args[1].url.endsWith("/3")) throw new Error("killed");
    return whole(...args);
  };
  const { putProgress } = world.deps.crawlTemplates;
  world.deps.crawlTemplates.putProgress = async () => {
    throw new Error("killed");
  };
  const budget = () => ({ queries: 9, pages: 5, made: 5 });
  await expect(learnTemplate(await crawlOf(world, id), budget(), world.deps)).rejects.toThrow("killed");
  Object.assign(world.deps.crawlTemplates, { putProgress });
  world.deps.readContent = whole;
  expect(await learnTemplate(await crawlOf(world, id), budget(), world.deps)).toBe(false);
  const { crawls, learn } = await findDueTemplates(world.deps);
  expect(crawls).toContain(id);
  expect(await learn(id)).toBe(true);
  expect(await world.deps.crawlTemplates.due(99)).not.toContain(id);
  await expectCleaned(world, id);
});

test("an index of chunks stays as it began: raw, or without what pages have in common", async () => {
  const { world, id } = await newSite(0, false);
  await env.LEDGER.prepare("UPDATE crawls SET status = 'watching', watching_since = finished_at WHERE id = ?1")
    .bind(id)
    .run();
  const get = (query: string) => {
    const headers = { authorization: "Bearer test-token" };
    const path = `http://localhost/api/crawls/${id}/${query}`;
    return app.request(path, { headers }, env, createExecutionContext());
  };
  const readDelta = async (query = "") => {
    const text = await (await get(`delta?of=chunks${query}`)).text();
    const { cursor } = JSON.parse(text.trimEnd().split("\n").at(-1) ?? "") as { cursor: string };
    return { text, cursor };
  };
  const raw = await readDelta();
  expect(raw).toEqual({ text: expect.stringContaining(NOTICE), cursor: expect.stringMatching(/\.\d+$/) });
  expect(await learnTemplate(await crawlOf(world, id), { queries: 9, pages: 99, made: 99 }, world.deps)).toBe(true);
  expect((await readDelta(`&since=${raw.cursor}`)).cursor).toBe(raw.cursor);
  const cleaned = await readDelta();
  expect(cleaned).toEqual({ text: expect.not.stringContaining(NOTICE), cursor: `${raw.cursor}.t` });
  expect((await readDelta(`&since=${cleaned.cursor}`)).cursor).toBe(cleaned.cursor);
  expect((await get(`delta?of=chunks&since=${cleaned.cursor}&rawText=true`)).status).toBe(400);
  const whole = new URLSearchParams({ url: urls[0] as string, format: "text" });
  const answers = [await get(`page?${whole}`), await get(`page?${whole}&rawText=true`)];
  expect(answers.map(({ headers }) => headers.get("x-template"))).toEqual([
    expect.stringMatching(/^pages=12, removed=\d+$/),
    null,
  ]);
  for (const answer of answers) expect(answer.headers.get("content-security-policy")).toContain("sandbox");
});

test("fewer than ten pages keep all of their text, and so does a crawl that has not ended", async () => {
  const { world, id } = await newSite(0, false);
  await env.LEDGER.prepare("UPDATE crawls SET finished_at = NULL WHERE id = ?1").bind(id).run();
  expect((await read(world, id, urls[0] as string)).template).toBeNull();
  await env.LEDGER.batch([
    env.LEDGER.prepare("DELETE FROM urls WHERE crawl = ?1 AND url > ?2").bind(id, urls[6]),
    env.LEDGER.prepare("UPDATE crawls SET finished_at = 5, completed = 9 WHERE id = ?1").bind(id),
  ]);
  expect(await read(world, id, urls[0] as string)).toMatchObject({
    text: expect.stringContaining(NOTICE),
    template: null,
  });
  expect(await world.deps.crawlTemplates.due(99)).not.toContain(id);
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

test("heartbeats clean the index once the template is fixed", async () => {
  const { world, id } = await newSite();
  await expectCleaned(world, id);
  expect(await countHits(id, "reproduction")).toBe(site.length);
  // Crawls of other tests have their turns, too.
  for (let turn: string | null = ""; turn !== null; ) turn = await cleanSearch(world.deps);
  expect(await countHits(id, "reproduction")).toBe(0);
  expect(await countHits(id, "weaver")).toBe(site.length);
});

test("what a watch reads once its template is fixed is indexed without it", async () => {
  let last = "first";
  const paths = Array.from({ length: 12 }, (_, at) => `${SITE}page-${at}`);
  const world = new WatchedWorld((url) =>
    url === SITE
      ? { text: "Home", links: paths }
      : { text: `Shared menu / Own ${url} / ${url.endsWith("-3") ? last : "same"}` },
  );
  world.deps.readContent = async ({ body }) => {
    const text = (new TextDecoder().decode(body).split("\n")[0] ?? "").replaceAll(" / ", "\n");
    return new TextEncoder().encode(JSON.stringify({ metadata: emptyMetadata(), text, markdown: text }));
  };
  const { fetchPage } = world.deps;
  world.deps.fetchPage = async (...args) => {
    const page = await fetchPage(...args);
    return page.kind === "page" && page.text !== null ? { ...page, text: page.text.replaceAll(" / ", "\n") } : page;
  };
  const id = await world.watch(DAY_MS, { search: true });
  await world.pass(HOUR_MS, HOUR_MS / 4);
  expect((await crawlOf(world, id)).template).not.toBeNull();
  last = "second";
  await world.pass(1.5 * DAY_MS, 2 * HOUR_MS);
  const [text] = (await textsOf(id)).filter((each) => each.includes("page-3"));
  expect(text).toContain("second");
  expect(text).not.toContain("Shared menu");
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

import { env } from "cloudflare:test";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CrawlHook, FoundUrl, ReadPage } from "../../src/crawl/subject/hook.ts";
import { MAX_FAILED_BATCHES } from "../../src/frontier/hook/ask-hook.ts";
import { HookCaller } from "../../src/frontier/hook/hook-caller.ts";
import { resumeCrawl } from "../../src/lifecycle/start.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { type Web, World } from "./world.ts";

/** The operator's own code at three points of the pipeline, with what it may decide and how it may fail. */

useModelLedger();

const HOME = "https://a.test/";
/** A home page that leads to `count` pages, each of which leads to one more. */
const site =
  (count: number): Web =>
  (url) => {
    const n = /\/p(\d+)$/.exec(url)?.[1];
    if (url === HOME) return { links: Array.from({ length: count }, (_, i) => `${HOME}p${i}`) };
    return { links: n === undefined ? [] : [`${HOME}p${n}/more`], text: `The text of page ${n}.` };
  };

async function crawlWith(hook: CrawlHook, web = site(30), seeds = [HOME]) {
  const commits: { url: string; fields?: unknown }[] = [];
  const world = new World(web, {
    hook,
    beforeCommit: (all) => {
      commits.push(...all.flatMap(({ outcomes }) => outcomes));
    },
  });
  const id = await world.start(seeds);
  await world.runToEnd(id);
  await expectCountersExact(id);
  const rows = await env.LEDGER.prepare(
    "SELECT url, status, reason, detail, http_status AS httpStatus, via FROM urls WHERE crawl = ?1",
  )
    .bind(id)
    .all<{ url: string }>();
  const byUrl = new Map(rows.results.map((row) => [row.url, row]));
  const refused = Object.fromEntries(
    (await world.deps.ledger.refusals(id)).map(({ reason, count }) => [reason, count]),
  );
  return { world, id, byUrl, refused, commits, crawl: await world.deps.ledger.crawl(id) };
}

const none = <T>(items: readonly T[]) => items.map(() => null);
const isBad = ({ url }: { url: string }) => url === `${HOME}p7`;

describe("what it decides", () => {
  test("a refused URL is counted and never fetched; a priority moves up", async () => {
    const urlsFound = (urls: readonly FoundUrl[]) =>
      urls.map(({ url }) =>
        url.endsWith("/more") ? { refuse: "no more" } : url.endsWith("p29") ? { priority: 900 } : {},
      );
    const { world, refused, crawl } = await crawlWith({ urlsFound });
    expect(world.fetched.filter((url) => url.endsWith("/more"))).toEqual([]);
    expect(refused).toEqual({ hook: 30 });
    expect(crawl?.counters).toMatchObject({ completed: 31, discovered: 31 });
    // Messages go out in the order in which the ledger has them.
    expect(world.fetched.indexOf(`${HOME}p29`)).toBe(1);
  });

  test("a page that is dropped before its fetch is skipped, and leads nowhere", async () => {
    const { world, byUrl, crawl } = await crawlWith(
      { pagesDue: (pages) => pages.map((page) => (isBad(page) ? { drop: "too old" } : null)) },
      site(30),
      [HOME, `${HOME}p7`],
    );
    expect(world.fetched).not.toContain(`${HOME}p7`);
    expect(byUrl.get(`${HOME}p7`)).toMatchObject({ status: "skipped", reason: "hook", detail: "too old" });
    expect(crawl?.counters).toMatchObject({ completed: 59, skipped: 1 });
  });

  test("a page that is dropped after it was read is not stored, and its links are followed", async () => {
    const read: ReadPage[] = [];
    const { byUrl, world, id } = await crawlWith({
      pagesRead: (pages) => {
        read.push(...pages);
        return pages.map((page) => (isBad(page) ? { drop: "boring" } : null));
      },
    });
    expect(byUrl.get(`${HOME}p7`)).toMatchObject({
      status: "skipped",
      reason: "hook",
      detail: "boring",
      httpStatus: 200,
    });
    expect(byUrl.get(`${HOME}p7/more`)).toMatchObject({ status: "completed" });
    expect(await world.deps.mirror.read(id, `${HOME}p7`)).toBeNull();
    expect(read.find(isBad)).toEqual({
      ...{ crawl: id, url: `${HOME}p7`, via: HOME, depth: 1, httpStatus: 200, contentType: "text/html" },
      ...{ title: `${HOME}p7`, language: null, text: "The text of page 7.", links: [`${HOME}p7/more`] },
    });
  });

  test("it adds fields, and links that pass scope", async () => {
    const links = ["/added", "https://elsewhere.test/", "mailto:nobody"];
    const { byUrl, commits, refused } = await crawlWith({
      pagesRead: (pages) => pages.map((page) => (isBad(page) ? { fields: { words: 5 }, links } : {})),
    });
    expect(byUrl.get(`${HOME}added`)).toMatchObject({ status: "completed", via: `${HOME}p7` });
    expect(refused).toEqual({ "off-host": 1 });
    expect(commits.filter(({ fields }) => fields !== undefined)).toMatchObject([
      { url: `${HOME}p7`, fields: { words: 5 } },
    ]);
  });

  test("it is called once for each batch and point", async () => {
    const calls = { urlsFound: 0, pagesDue: 0, pagesRead: 0 };
    const count = (point: keyof typeof calls) => (items: readonly unknown[]) => {
      calls[point] += 1;
      return none(items);
    };
    const web: Web = (url) => ({ links: url.endsWith("/") ? ["x", "y"].map((name) => `${url}${name}`) : [] });
    const seeds = Array.from({ length: 20 }, (_, i) => `https://h${i}.test/`);
    const hook = { urlsFound: count("urlsFound"), pagesDue: count("pagesDue"), pagesRead: count("pagesRead") };
    const { world } = await crawlWith(hook, web, seeds);
    expect(world.fetched).toHaveLength(60);
    // 60 URLs in batches of up to 25; the last ones lead nowhere.
    expect(calls.pagesDue).toBeLessThanOrEqual(6);
    expect(calls.pagesRead).toBeLessThanOrEqual(calls.pagesDue);
    expect(calls.urlsFound).toBeLessThanOrEqual(calls.pagesRead);
  });

  test("a point that it does not have is asked for once", async () => {
    let asked = 0;
    const hook = new Proxy({} as CrawlHook, {
      get: () => () => {
        asked += 1;
        throw new TypeError('The RPC receiver does not implement the method "x".');
      },
    });
    const { crawl } = await crawlWith(hook);
    expect(crawl?.counters.completed).toBe(61);
    expect(asked).toBe(3);
  });
});

describe("when it fails", () => {
  const POINTS = ["urlsFound", "pagesDue", "pagesRead"] as const;

  test.each(POINTS)("%s: one page on which it throws costs that page alone", async (point) => {
    const sizes: number[] = [];
    const fails = (items: readonly { url: string; via: string | null }[]) => {
      const bad = point === "urlsFound" ? items.filter(({ via }) => via === `${HOME}p7`) : items.filter(isBad);
      if (bad.length === 0) return none(items);
      sizes.push(items.length);
      throw new Error("a bug of the operator's");
    };
    const { byUrl, crawl } = await crawlWith({ [point]: fails });
    expect(byUrl.get(`${HOME}p7`)).toMatchObject({
      status: "errored",
      reason: "hook-failed",
      detail: `${point}: a bug of the operator's`,
    });
    expect(crawl?.counters).toMatchObject({ completed: 59, errored: 1 });
    expect(sizes.at(-1)).toBe(1);
    expect(sizes).toHaveLength(2);
    expect(crawl?.hookFailures).toBe(0);
  });

  test.each(POINTS)("%s: one that always fails pauses the crawl, which goes on once it is mended", async (point) => {
    let isMended = false;
    const hook: CrawlHook = {
      [point]: (items: readonly unknown[]) => {
        if (isMended) return none(items);
        throw new Error("not deployed");
      },
    };
    const world = new World(site(100), { hook });
    const seeds = [HOME, ...Array.from({ length: 100 }, (_, i) => `${HOME}p${i}`)];
    const id = await world.start(seeds);
    for (let turn = 0; turn < 200 && (await world.deps.ledger.crawl(id))?.status === "running"; turn++)
      await world.turn();
    const paused = await world.deps.ledger.crawl(id);
    expect(paused).toMatchObject({ status: "paused", hookFailures: 0 });
    expect(paused?.waitingFor).toBe(
      `the hook failed in ${MAX_FAILED_BATCHES} batches in a row: ${point}: not deployed. Mend it, and resume the crawl`,
    );
    await expectCountersExact(id);
    isMended = true;
    await resumeCrawl(id, world.deps);
    await world.runToEnd(id);
    await expectCountersExact(id);
    const { counters } = (await world.deps.ledger.crawl(id)) ?? {};
    expect((counters?.completed ?? 0) + (counters?.errored ?? 0)).toBe(counters?.discovered);
    // Those that were asked alone before the pause.
    expect(counters?.errored).toBeLessThan(60);
  });

  test.each([
    ["an answer that is too short", () => [], "it answered with 0 items to 1; each item needs an answer, or null"],
    ["an answer of another kind", () => ["no"], "answer 1 of 1: it is no object"],
  ])("%s is a failure that says what is wrong", async (_, answer, problem) => {
    const { byUrl } = await crawlWith({ pagesDue: answer as unknown as NonNullable<CrawlHook["pagesDue"]> }, site(0));
    expect(byUrl.get(HOME)).toMatchObject({ reason: "hook-failed", detail: `pagesDue: ${problem}` });
  });

  test("a call that does not end is given up", async () => {
    const caller = new HookCaller({ pagesDue: () => new Promise(() => undefined) }, new Set(), 20);
    const page = { crawl: "c", url: HOME, via: null, depth: 0, attempts: 0 };
    await expect(caller.pagesDue([page])).rejects.toThrow("pagesDue: it did not answer within 0.02 s");
  });
});

describe("a sitemap of more URLs than a call may carry", () => {
  const SITEMAP = `${HOME}sitemap.xml`;
  const listed = Array.from({ length: 6_000 }, (_, i) => ({ url: `${HOME}p${i}`, lastmod: null }));
  const isBroken = ({ url }: FoundUrl) => url === `${HOME}p4321`;

  async function crawlSitemap(urlsFound: NonNullable<CrawlHook["urlsFound"]>, invocations = Number.POSITIVE_INFINITY) {
    const calls: number[] = [];
    const world = new World(() => ({ links: [], text: "t" }), {
      sitemaps: (url) => (url === SITEMAP ? { pages: listed } : { status: 404 }),
      invocations,
      hook: {
        urlsFound: (urls) => {
          calls.push(urls.length);
          return urlsFound(urls);
        },
      },
    });
    const id = await world.start([HOME], { source: "all", limit: 100 });
    await world.runToEnd(id);
    await expectCountersExact(id);
    const sitemap = await env.LEDGER.prepare(
      "SELECT status, reason, detail FROM sitemaps WHERE crawl = ?1 AND url = ?2",
    )
      .bind(id, SITEMAP)
      .first();
    const refused = Object.fromEntries(
      (await world.deps.ledger.refusals(id)).map(({ reason, count }) => [reason, count]),
    );
    return { world, calls, sitemap, refused, crawl: await world.deps.ledger.crawl(id) };
  }

  test("is asked about in portions, each within the time limit", async () => {
    const { calls, sitemap, crawl, world } = await crawlSitemap((urls) => {
      if (urls.length > 2_500) throw new Error("it did not answer in time");
      return none(urls);
    });
    expect(calls).toEqual([2_500, 2_500, 1_000]);
    expect(sitemap).toMatchObject({ status: "completed", reason: null });
    expect(crawl?.counters.discovered).toBe(6_001);
    expect(world.asked.filter((url) => url === SITEMAP)).toHaveLength(1);
  });

  test("loses the one URL on which the hook fails, and says so", async () => {
    const { calls, sitemap, refused, crawl, world } = await crawlSitemap((urls) => {
      if (urls.some(isBroken)) throw new Error("a bug of the operator's");
      return none(urls);
    });
    expect(crawl?.counters.discovered).toBe(6_000);
    expect(refused).toEqual({ "hook-failed": 1 });
    expect(sitemap).toMatchObject({
      status: "completed",
      detail: "the hook failed on 1 of its URLs: urlsFound: a bug of the operator's",
    });
    expect(world.asked.filter((url) => url === SITEMAP)).toHaveLength(1);
    expect(calls.length).toBeLessThan(30);
  });

  test("a limit of invocations makes the part larger that is lost", async () => {
    const { calls, refused, crawl } = await crawlSitemap((urls) => {
      if (urls.some(isBroken)) throw new Error("a bug of the operator's");
      return none(urls);
    }, 12);
    expect(calls.length).toBeLessThanOrEqual(11);
    const lost = refused["hook-failed"] ?? 0;
    expect(lost).toBeGreaterThan(1);
    expect(lost).toBeLessThan(1_000);
    expect(crawl?.counters.discovered).toBe(6_001 - lost);
  });

  test("is not lost while the hook is broken", async () => {
    let isMended = false;
    let failures = 0;
    const { crawl, world } = await crawlSitemap((urls) => {
      if (isMended) return none(urls);
      failures += 1;
      isMended = failures === 3;
      throw new Error("not deployed");
    });
    expect(crawl?.counters.discovered).toBe(6_001);
    expect(world.asked.filter((url) => url === SITEMAP)).toHaveLength(2);
  });
});

test("whatever it does, each URL ends once and the counters hold", async () => {
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.nat(9)), async (stream) => {
      const next = () => stream.next().value as number;
      const decide = <T>(items: readonly unknown[], verdict: () => T): (T | null)[] => {
        const dice = next();
        if (dice === 0) throw new Error("by chance");
        return items.map(() => (next() < 3 ? verdict() : null));
      };
      const world = new World(site(12), {
        hook: {
          urlsFound: (urls) => decide(urls, () => (next() < 5 ? { refuse: "by chance" } : { priority: 100 * next() })),
          pagesDue: (pages) => decide(pages, () => ({ drop: "by chance" })),
          pagesRead: (pages) =>
            decide(pages, () =>
              next() < 5 ? { drop: "by chance" } : { links: [`/p${next()}`], fields: { n: next() } },
            ),
        },
      });
      const id = await world.start([HOME]);
      for (let pauses = 0; pauses < 20; pauses++) {
        await world.runToEnd(id);
        if ((await world.deps.ledger.crawl(id))?.status !== "paused") break;
        await resumeCrawl(id, world.deps);
      }
      await expectCountersExact(id);
      expect((await world.deps.ledger.crawl(id))?.counters).toMatchObject({ pending: 0, queued: 0 });
    }),
    { numRuns: 25 },
  );
});

import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { explain } from "../../src/reading/explain/explain.ts";
import { trustOf } from "../../src/revisit/signal-trust.ts";
import { emptyCommit } from "../../src/store/ledger/ledger-commit.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { visited, WATCH } from "./rows.ts";
import { DATE, EVERY_S, HOUR, listOf, ORIGIN, pass, SEED, SITEMAP, startWatch } from "./signalled-watch.ts";
import { type Web, World } from "./world.ts";

/** Sitemaps and feeds of a watch are read again, and make pages due whose dates have moved. */

useModelLedger();

const NAMED = `${ORIGIN}/named.xml`;

const rowsOf = async (crawl: string) => {
  const { results } = await env.LEDGER.prepare(
    "SELECT url, lastmod, visits, visit_at, signalled_at FROM urls WHERE crawl = ?1 ORDER BY url",
  )
    .bind(crawl)
    .all<{
      url: string;
      lastmod: number | null;
      visits: number;
      visit_at: number | null;
      signalled_at: number | null;
    }>();
  return new Map(results.map((row) => [row.url.replace(ORIGIN, ""), row]));
};
const sitemapRow = (crawl: string, url = SITEMAP) =>
  env.LEDGER.prepare("SELECT status, readings, etag, listed, asked_at FROM sitemaps WHERE crawl = ?1 AND url = ?2")
    .bind(crawl, url)
    .first<{ status: string; readings: number; etag: string | null; listed: number; asked_at: number | null }>();
const countOf = (world: World, url: string) => world.fetched.filter((fetched) => fetched === url).length;

describe("a sitemap of a watch", () => {
  test("is read again some eight times a mean interval, with its ETag, and a 304 changes nothing", async () => {
    const validators: (string | null)[] = [];
    const { world, crawl } = await startWatch((url, _, request) => {
      if (url !== SITEMAP) return { status: 404 };
      validators.push(request.validators?.etag ?? null);
      return { pages: listOf(3), etag: '"v1"' };
    });
    const before = await rowsOf(crawl);
    await pass(world, HOUR / 2);
    expect(validators.slice(0, 3)).toEqual([null, '"v1"', '"v1"']);
    expect(validators.length).toBeGreaterThanOrEqual(3);
    expect(validators.length).toBeLessThanOrEqual(6);
    expect(await sitemapRow(crawl)).toMatchObject({ status: "completed", readings: validators.length - 1, listed: 3 });
    for (const [url, { lastmod, signalled_at }] of await rowsOf(crawl))
      expect([url, lastmod, signalled_at]).toEqual([url, before.get(url)?.lastmod, null]);
    // Each tenth reading is unconditional.
    await pass(world, 2 * HOUR);
    expect(validators[10]).toBeNull();
    expect(validators.slice(1, 10)).not.toContain(null);
    expect((await world.deps.ledger.crawl(crawl))?.status).toBe("watching");
    expect(world.asked.filter((url) => url !== SITEMAP)).toEqual([]);
  });

  test("makes a page due whose date has moved, and no other", async () => {
    const pages = listOf(20);
    let body = "first";
    const { world, crawl } = await startWatch((url) => (url === SITEMAP ? { pages } : { status: 404 }), {
      web: (url) => ({ links: [], ...(url.endsWith("/p7") ? { body } : {}) }),
    });
    await pass(world, 2 * HOUR);
    body = "second";
    pages[7] = { url: `${ORIGIN}/p7`, lastmod: world.now };
    const visits = countOf(world, `${ORIGIN}/p7`);
    const others = world.fetched.length - visits;
    await pass(world, 12 * 60_000);
    expect(countOf(world, `${ORIGIN}/p7`)).toBeGreaterThan(visits);
    // The others are visited as ever: twenty an hour.
    expect(world.fetched.length - countOf(world, `${ORIGIN}/p7`) - others).toBeLessThan(10);
    const after = await rowsOf(crawl);
    expect(after.get("/p7")).toMatchObject({ lastmod: pages[7].lastmod, signalled_at: null });
    expect(after.get("/p8")).toMatchObject({ lastmod: DATE, signalled_at: null });
    expect(await world.deps.changes.list(crawl, { after: 0, at: 0, kinds: null, limit: 10 })).toMatchObject({
      changes: [{ kind: "changed", url: `${ORIGIN}/p7` }],
    });
    expect((await world.deps.signals.counts(crawl, ["site.test"])).get("site.test")).toMatchObject({
      signalled: 1,
      proved: 1,
      changed: 1,
    });
  });

  test("is believed at once where it was right before: pages that change together do not wait for the budget", async () => {
    const pages = listOf(60);
    const { world, crawl } = await startWatch((url) => (url === SITEMAP ? { pages } : { status: 404 }));
    await pass(world, 2 * HOUR);
    await env.LEDGER.prepare(
      "INSERT INTO signals (crawl, host, signalled, proved, expected, changed) VALUES (?1, 'site.test', 100, 99, 10, 99)",
    )
      .bind(crawl)
      .run();
    for (const page of pages) page.lastmod = world.now;
    const asked = world.asked.length;
    while (world.asked.length === asked) await world.turn();
    const visits = world.fetched.length;
    await pass(world, 2 * 60_000);
    // All of them, but for those that were just visited; the budget would give ten.
    expect(new Set(world.fetched.slice(visits)).size).toBeGreaterThanOrEqual(50);
    await expectCountersExact(crawl);
  });

  test("lists a new URL: the watch crawls again until it has it", async () => {
    const pages = listOf(2);
    const { world, crawl } = await startWatch((url) => (url === SITEMAP ? { pages } : { status: 404 }));
    pages.push({ url: `${ORIGIN}/new`, lastmod: DATE });
    await pass(world, HOUR / 2);
    expect((await rowsOf(crawl)).has("/new")).toBe(true);
    expect(await world.deps.changes.list(crawl, { after: 0, at: 0, kinds: null, limit: 10 })).toMatchObject({
      changes: [{ kind: "added", url: `${ORIGIN}/new` }],
    });
    expect(await world.deps.ledger.crawl(crawl)).toMatchObject({ status: "watching", counters: { completed: 4 } });
    await expectCountersExact(crawl);
  });

  test("that an index lists newly is read", async () => {
    const sitemaps = [{ url: `${ORIGIN}/one.xml`, lastmod: null }];
    const { world, crawl } = await startWatch((url) => {
      if (url === SITEMAP) return { sitemaps };
      return { pages: [{ url: url.replace(".xml", ""), lastmod: null }] };
    });
    sitemaps.push({ url: `${ORIGIN}/two.xml`, lastmod: null });
    await pass(world, HOUR / 2);
    expect([...(await rowsOf(crawl)).keys()]).toEqual(["/", "/one", "/two"]);
    expect((await world.deps.ledger.crawl(crawl))?.status).toBe("watching");
  });

  test("that fails stays as it was, and is read again", async () => {
    let fails = false;
    const pages = listOf(2);
    const { world, crawl } = await startWatch((url) => {
      if (url !== SITEMAP) return { status: 404 };
      return fails ? { status: 500 } : { pages, etag: `"${pages.length}"` };
    });
    fails = true;
    await pass(world, HOUR / 2);
    const failed = await sitemapRow(crawl);
    expect(failed).toMatchObject({ status: "completed", listed: 2, etag: '"2"', asked_at: null });
    expect(failed?.readings).toBeGreaterThan(1);
    fails = false;
    pages.push({ url: `${ORIGIN}/new`, lastmod: DATE });
    await pass(world, HOUR / 2);
    expect((await rowsOf(crawl)).has("/new")).toBe(true);
    expect(await sitemapRow(crawl)).toMatchObject({ listed: 3, etag: '"3"' });
  });

  test("that could not be read at first comes to be read", async () => {
    let fails = true;
    const { world, crawl } = await startWatch(
      (url) => (url !== NAMED || fails ? { status: fails ? 403 : 404 } : { pages: listOf(2) }),
      { named: { [ORIGIN]: [NAMED] } },
    );
    expect(await sitemapRow(crawl, NAMED)).toMatchObject({ status: "errored", readings: 0 });
    fails = false;
    await pass(world, HOUR / 2);
    expect(await sitemapRow(crawl, NAMED)).toMatchObject({ status: "completed", listed: 2 });
    expect((await rowsOf(crawl)).has("/p1")).toBe(true);
  });

  test("of which one date moves writes a few rows, whatever it lists", async () => {
    const pages = listOf(1_000);
    const { world, crawl } = await startWatch((url) => (url === SITEMAP ? { pages } : { status: 404 }), {
      changes: { watch: { ...WATCH, everyS: 30 * 86_400, fixed: false } },
    });
    const first = pages[5];
    if (first === undefined) throw new Error("no page");
    pages[5] = { ...first, lastmod: world.now };
    const asked = world.asked.length;
    await env.LEDGER.prepare("UPDATE sitemaps SET fetched_at = 1 WHERE crawl = ?1").bind(crawl).run();
    await env.LEDGER.prepare("UPDATE crawls SET readings_at = 0 WHERE id = ?1").bind(crawl).run();
    await pass(world, 60_000);
    world.deps.meter.take();
    while (world.asked.length === asked) await world.turn();
    const { ledgerRowsWritten = 0 } = world.deps.meter.take();
    expect(ledgerRowsWritten).toBeLessThan(30);
    expect((await rowsOf(crawl)).get("/p5")?.signalled_at).not.toBeNull();
  });

  test("takes nothing where the watch visits all pages alike", async () => {
    const pages = listOf(3);
    const { world, crawl } = await startWatch((url) => (url === SITEMAP ? { pages } : { status: 404 }), {
      changes: { watch: { ...WATCH, everyS: EVERY_S, fixed: true } },
    });
    pages[1] = { url: `${ORIGIN}/p1`, lastmod: world.now };
    await pass(world, HOUR / 3);
    expect((await rowsOf(crawl)).get("/p1")).toMatchObject({ lastmod: DATE, signalled_at: null });
  });
});

describe("signals that lie", () => {
  test("with a date in the future are not taken, and neither are earlier dates", async () => {
    const pages = listOf(3);
    const { world, crawl } = await startWatch((url) => (url === SITEMAP ? { pages } : { status: 404 }));
    pages[0] = { url: `${ORIGIN}/p0`, lastmod: world.now + 10 * 86_400_000 };
    pages[1] = { url: `${ORIGIN}/p1`, lastmod: DATE - 86_400_000 };
    await pass(world, HOUR / 3);
    const rows = await rowsOf(crawl);
    expect([rows.get("/p0")?.lastmod, rows.get("/p1")?.lastmod]).toEqual([DATE, DATE]);
  });
});

describe("a feed that a page names", () => {
  const FEED = `${ORIGIN}/feed`;
  const web: Web = (url) => ({ links: [], ...(url === SEED ? { feeds: [FEED] } : {}) });

  test("is read like a sitemap: new entries are found, and moved ones are due", async () => {
    const pages = listOf(2);
    const { world, crawl } = await startWatch((url) => (url === FEED ? { pages } : { status: 404 }), { web });
    expect([...(await rowsOf(crawl)).keys()]).toEqual(["/", "/p0", "/p1"]);
    pages.push({ url: `${ORIGIN}/p2`, lastmod: DATE });
    pages[0] = { url: `${ORIGIN}/p0`, lastmod: world.now };
    await pass(world, HOUR / 2);
    expect((await rowsOf(crawl)).get("/p0")?.lastmod).toBe(pages[0].lastmod);
    expect((await rowsOf(crawl)).has("/p2")).toBe(true);
  });

  test("is left alone by a crawl that is no watch", async () => {
    const world = new World(web, { sitemaps: () => ({ status: 404 }) });
    await world.runToEnd(await world.start([SEED], { source: "all" }));
    expect(world.asked).not.toContain(FEED);
  });

  test("is one of twenty at most", async () => {
    const feeds = Array.from({ length: 30 }, (_, i) => `${FEED}/${i}`);
    const { world, crawl } = await startWatch((url) => (url.startsWith(FEED) ? { pages: [] } : { status: 404 }), {
      web: () => ({ links: [], feeds }),
    });
    expect(new Set(world.asked.filter((url) => url.startsWith(FEED))).size).toBe(20);
    expect(await world.deps.ledger.refusals(crawl)).toMatchObject([{ reason: "sitemap-limit" }]);
  });
});

describe("in the ledger", () => {
  const P0 = `${ORIGIN}/p0`;
  const started = () => startWatch((url) => (url === SITEMAP ? { pages: listOf(3) } : { status: 404 }));
  const signal = { url: P0, lastmod: DATE + 1_000, isDue: true };

  test("a reading that arrives twice settles once", async () => {
    const { world, crawl } = await started();
    const facts = {
      isRead: true,
      detail: null,
      httpStatus: 200,
      listed: 9,
      readAt: 7,
      etag: '"v2"',
      lastModified: null,
    };
    for (const listed of [9, 10]) {
      const reading = { url: SITEMAP, reading: 0, ...facts, listed };
      await world.deps.ledger.commit([{ ...emptyCommit(crawl), readings: [reading] }], world.now);
    }
    expect(await sitemapRow(crawl)).toMatchObject({ readings: 1, listed: 9, etag: '"v2"' });
  });

  test("a signal that arrives twice counts once", async () => {
    const { world, crawl } = await started();
    for (let i = 0; i < 2; i++)
      await world.deps.ledger.commit([{ ...emptyCommit(crawl), signals: [signal] }], world.now);
    expect(await world.deps.signals.budget(crawl)).toMatchObject({ debt: 1 });
    const row = (await rowsOf(crawl)).get("/p0");
    expect(row).toMatchObject({ lastmod: DATE + 1_000, signalled_at: world.now });
    // Not sooner than a thirty-second of the mean interval after its last visit.
    expect(row?.visit_at).toBeGreaterThanOrEqual(world.now);
    expect(row?.visit_at).toBeLessThanOrEqual(world.now + (EVERY_S * 1_000) / 32);
  });

  test("a visit answers the signal that it began with, and a later one stays", async () => {
    const { world, crawl } = await started();
    const { now } = world;
    const commit = (changes: Partial<ReturnType<typeof emptyCommit>>, at: number) =>
      world.deps.ledger.commit([{ ...emptyCommit(crawl), ...changes }], at);
    await commit({ signals: [signal] }, now);
    await commit({ signals: [{ ...signal, lastmod: DATE + 2_000 }] }, now + 1);
    const tested = { signalled: 1, proved: 0, expected: 0.25, changed: 0 };
    const answer = { tested, visitAt: now + HOUR };
    await commit({ visits: [visited(P0, { ...answer, signalledAt: now, visitedAt: now + 2 })] }, now + 2);
    const kept = (await rowsOf(crawl)).get("/p0");
    expect(kept).toMatchObject({ visits: 1, signalled_at: now + 1 });
    expect(kept?.visit_at).toBeLessThan(now + HOUR / 2);
    const failed = visited(P0, { visit: 1, signalledAt: now + 1, result: "failed", visitAt: now + HOUR });
    await commit({ visits: [failed] }, now + 3);
    expect((await rowsOf(crawl)).get("/p0")).toMatchObject({ visits: 2, signalled_at: now + 1, visit_at: now + HOUR });
    await commit({ visits: [visited(P0, { ...answer, visit: 2, signalledAt: now + 1 })] }, now + 4);
    expect((await rowsOf(crawl)).get("/p0")).toMatchObject({ visits: 3, signalled_at: null });
    expect((await world.deps.signals.counts(crawl, ["site.test"])).get("site.test")).toMatchObject({
      signalled: 2,
      proved: 0,
      expected: 0.5,
      changed: 0,
    });
  });

  test("a message of a signalled page is admitted with the trust in its host's signals", async () => {
    const { world, crawl } = await started();
    const { ledger } = world.deps;
    const trust = async () => {
      const { urls } = await ledger.admission([{ crawl, url: P0, sitemap: false, visit: 0 }], 9);
      return urls.map(({ visit }) => visit?.trust);
    };
    expect(await trust()).toEqual([null]);
    await ledger.commit([{ ...emptyCommit(crawl), signals: [signal] }], world.now);
    expect(await trust()).toEqual([{ precision: 0, recall: 0 }]);
    const counted =
      "INSERT INTO signals (crawl, host, signalled, proved, expected, changed) VALUES (?1, ?2, 50, 50, 0, 50)";
    await env.LEDGER.prepare(counted).bind(crawl, "site.test").run();
    expect(await trust()).toEqual([trustOf({ signalled: 50, proved: 50, expected: 0, changed: 50 })]);
  });

  test("a visit that nobody signalled and that finds nothing writes no totals", async () => {
    const { world, crawl } = await started();
    await world.deps.ledger.commit([{ ...emptyCommit(crawl), visits: [visited(P0)] }], world.now);
    expect((await world.deps.signals.counts(crawl, ["site.test"])).size).toBe(0);
  });
});

test("explain says when a page is visited next, and why then", async () => {
  const { world, crawl: id } = await startWatch((url) => (url === SITEMAP ? { pages: listOf(3) } : { status: 404 }));
  const sentence = async (url: string) => {
    const crawl = await world.deps.ledger.crawl(id);
    if (crawl === null) throw new Error("no crawl");
    return (await explain(url, { crawl }, world.deps, "all")).sentence;
  };
  expect(await sentence(`${ORIGIN}/p2`)).toMatch(
    /^The crawl fetched it and stored it\. It is visited next (soon|about 2001-02-01 0\d:\d\d UTC): first visits are spread over 1 hour\.$/,
  );
  const commit = (changes: Partial<ReturnType<typeof emptyCommit>>) =>
    world.deps.ledger.commit([{ ...emptyCommit(id), ...changes }], world.now);
  const at = { visitedAt: world.now, visitAt: Date.UTC(2001, 1, 1, 12) };
  const visits = [
    visited(`${ORIGIN}/p0`, at),
    visited(`${ORIGIN}/p1`, { ...at, result: "failed", failures: 2 }),
    visited(`${ORIGIN}/p2`, { ...at, result: "missing", missingAt: Date.UTC(2001, 0, 31, 12) }),
  ];
  await commit({ visits });
  expect(await sentence(`${ORIGIN}/p0`)).toContain(
    "about 2001-02-01 12:00 UTC: the mean interval is 1 hour, and no visit has found it changed.",
  );
  expect(await sentence(`${ORIGIN}/p1`)).toContain("about 2001-02-01 12:00 UTC: its last 2 visits failed.");
  expect(await sentence(`${ORIGIN}/p2`)).toContain(
    "it was missing at 2001-01-31 12:00 UTC, and a second visit decides whether it is gone.",
  );
  const moved = { openFinding: { says: "redirect https://a.test/", visits: 1 }, missingAt: Date.UTC(2001, 0, 31, 12) };
  await commit({ visits: [visited(`${ORIGIN}/p2`, { ...at, result: "missing", visit: 1, ...moved })] });
  expect(await sentence(`${ORIGIN}/p2`)).toContain(
    "it redirected at 2001-01-31 12:00 UTC, which may be for a while, and further visits decide whether it has moved.",
  );
  await commit({ signals: [{ url: `${ORIGIN}/p0`, lastmod: null, isDue: true }] });
  expect(await sentence(`${ORIGIN}/p0`)).toContain("a sitemap, a feed or its owner said at 2001-02-01 00:0");
  await world.deps.ledger.pause(id, world.now);
  expect(await sentence(`${ORIGIN}/p0`)).toContain("Its next visit waits until the crawl is resumed:");
});

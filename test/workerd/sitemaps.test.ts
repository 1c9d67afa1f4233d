import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { type Sitemaps, type Web, World, type WorldOptions } from "./world.ts";

/**
 * Sitemaps through the whole pipeline: where they are found, what becomes of them, and how they hold with the limit.
 */

const ORIGIN = "https://site.test";
const SEED = `${ORIGIN}/`;
const GUESS = `${ORIGIN}/sitemap.xml`;
const DAY = 86_400_000;

const plain: Web = () => ({ links: [] });

function entries(...paths: string[]) {
  return paths.map((path) => ({ url: path.startsWith("http") ? path : `${ORIGIN}${path}`, lastmod: null }));
}

async function run(
  sitemaps: Sitemaps,
  { web = plain, changes = {}, ...options }: { web?: Web; changes?: Partial<CrawlOptions> } & WorldOptions = {},
) {
  const world = new World(web, { ...options, sitemaps });
  const crawl = await world.start([SEED], { source: "all", ...changes });
  await world.runToEnd(crawl);
  await expectCountersExact(crawl);
  const records = await world.deps.records.list(crawl, { cursor: "", limit: 1000 });
  const { results } = await env.LEDGER.prepare("SELECT * FROM sitemaps WHERE crawl = ?1 ORDER BY seq")
    .bind(crawl)
    .all<{ url: string; status: string; reason: string | null; detail: string | null; listed: number; via: string }>();
  return {
    world,
    crawl,
    state: await world.deps.ledger.crawl(crawl),
    records: new Map(records.map((record) => [record.url.replace(ORIGIN, ""), record])),
    rows: new Map(results.map((row) => [row.url.replace(ORIGIN, ""), row])),
    report: await world.deps.sitemaps.report(crawl, 10),
    refusals: await world.deps.ledger.refusals(crawl),
  };
}

/** One sitemap at the usual place. */
const usual =
  (...paths: string[]): Sitemaps =>
  (url) =>
    url === GUESS ? { pages: entries(...paths) } : { status: 404 };

describe("where they are found", () => {
  test("at the usual place", async () => {
    const { records, report, state } = await run(usual("/a", "/b"));
    expect([...records.keys()]).toEqual(["/", "/a", "/b"]);
    expect(records.get("/a")).toMatchObject({ status: "completed", via: GUESS, depth: 1 });
    expect(report).toMatchObject({ read: 1, open: 0, failed: 0, listed: 2 });
    expect(state?.counters.discovered).toBe(3);
  });

  test("one that is missing there is no error, and no record", async () => {
    const { records, rows, report, state } = await run(() => ({ status: 404 }));
    expect(rows.get("/sitemap.xml")).toMatchObject({ status: "skipped", reason: "no-sitemap" });
    expect(report).toMatchObject({ read: 0, open: 0, failed: 0, problems: [] });
    expect([...records.keys()]).toEqual(["/"]);
    expect(state?.status).toBe("completed");
  });

  test("a page in its place is none either, also behind a redirect", async () => {
    const { rows, report } = await run((url) =>
      url === GUESS ? { redirect: SEED } : { problem: "it is an HTML page", format: "text" },
    );
    expect(rows.get("/sitemap.xml")).toMatchObject({ status: "skipped", reason: "redirected" });
    expect(rows.get("/")).toMatchObject({ status: "skipped", reason: "no-sitemap" });
    expect(report.failed).toBe(0);
  });

  test("in robots.txt, on other hosts too", async () => {
    const named = { [ORIGIN]: [`${ORIGIN}/maps/one.xml`, "https://maps.test/two.xml", "not a url://"] };
    const { records, world } = await run(
      (url) => {
        if (url === `${ORIGIN}/maps/one.xml`) return { pages: entries("/one") };
        return url === "https://maps.test/two.xml"
          ? { pages: entries("/two", "https://maps.test/own") }
          : { status: 404 };
      },
      { named },
    );
    expect([...records.keys()]).toEqual(["/", "/one", "/two"]);
    expect(world.asked.toSorted()).toEqual(["https://maps.test/two.xml", `${ORIGIN}/maps/one.xml`, GUESS]);
  });

  test("in indexes, of this host and of those in scope", async () => {
    const { records, rows, refusals } = await run((url) => {
      if (url === GUESS) return { format: "index", sitemaps: entries("/1.xml", "/2.xml", "https://else.test/3.xml") };
      return { pages: entries(url === `${ORIGIN}/1.xml` ? "/a" : "/b") };
    });
    expect([...records.keys()]).toEqual(["/", "/a", "/b"]);
    expect([...rows.keys()]).toEqual(["/sitemap.xml", "/1.xml", "/2.xml"]);
    expect(refusals).toMatchObject([{ reason: "off-host", count: 1, examples: ["https://else.test/3.xml"] }]);
  });

  test("an index that leads to itself, and ever deeper ones, come to an end", async () => {
    let n = 0;
    const { world, refusals, state } = await run((url) => ({
      format: "index",
      sitemaps: [...entries(`/deeper/${n++}.xml`), { url, lastmod: null }],
    }));
    expect(world.asked).toHaveLength(6);
    expect(refusals).toMatchObject([{ reason: "sitemap-depth", count: 2 }]);
    expect(state?.status).toBe("completed");
  });

  test("where a seed redirects to", async () => {
    const web: Web = (url) => (url === SEED ? { redirect: "https://www.site.test/" } : { links: [] });
    const { records } = await run(
      (url) =>
        url === "https://www.site.test/sitemap.xml"
          ? { pages: entries("https://www.site.test/listed") }
          : { status: 404 },
      { web },
    );
    expect(records.get("https://www.site.test/listed")).toMatchObject({ status: "completed" });
  });
});

describe("what they list", () => {
  test("goes through scope and traps", async () => {
    const { records, refusals } = await run(usual("/ok", "https://else.test/", "/no/way", "/x.zip", "/a/b/a/b/a/b/"), {
      changes: { excludePatterns: ["/no/**"] },
    });
    expect([...records.keys()]).toEqual(["/", "/ok"]);
    expect(refusals.map(({ reason }) => reason).toSorted()).toEqual([
      "excluded",
      "extension",
      "off-host",
      "repeated-segments",
    ]);
  });

  test("has its dates kept, for URLs that links found first as well", async () => {
    const dates: Sitemaps = () => ({
      pages: [
        { url: SEED, lastmod: DAY },
        { url: `${ORIGIN}/linked`, lastmod: 2 * DAY },
        { url: `${ORIGIN}/listed`, lastmod: 3 * DAY },
      ],
    });
    const { records } = await run(dates, { web: (url) => ({ links: url === SEED ? [`${ORIGIN}/linked`] : [] }) });
    expect([...records.values()].map(({ lastmod }) => lastmod)).toEqual([DAY, 2 * DAY, 3 * DAY]);
  });

  test.each([
    ["all", ["/", "/linked", "/listed"]],
    ["links", ["/", "/linked"]],
    ["sitemaps", ["/", "/listed"]],
  ] as const)("source %s", async (source, expected) => {
    const web: Web = () => ({ links: [`${ORIGIN}/linked`] });
    const { records, world } = await run(usual("/listed"), { web, changes: { source } });
    expect([...records.keys()]).toEqual(expected);
    expect(world.asked).toEqual(source === "links" ? [] : [GUESS]);
  });

  test("is taken in portions where it is more than the queue takes", async () => {
    const paths = Array.from({ length: 500 }, (_, i) => `/page/${i}`);
    const { state } = await run(usual(...paths), { changes: { maxQueued: 40 } });
    expect(state?.counters).toMatchObject({ discovered: 501, completed: 501, queued: 0, pending: 0 });
  });
});

describe("one that cannot be read", () => {
  test("is reported, and what stood before the break is taken", async () => {
    const { rows, records, report, state } = await run((url) =>
      url === GUESS ? { pages: entries("/a"), problem: "it ends in the middle" } : { status: 404 },
    );
    expect(rows.get("/sitemap.xml")).toMatchObject({ status: "errored", reason: "bad-sitemap" });
    expect(report).toMatchObject({
      failed: 1,
      problems: [{ url: GUESS, detail: expect.stringContaining("in the middle") }],
    });
    expect(records.get("/a")).toMatchObject({ status: "completed" });
    expect(state?.status).toBe("completed");
  });

  test("is tried again where that has a prospect", async () => {
    const { world, records } = await run((_, attempt) => (attempt === 0 ? { status: 503 } : { pages: entries("/a") }));
    expect(world.asked).toHaveLength(2);
    expect(records.has("/a")).toBe(true);
  });

  test("and is given up after maxAttempts; the crawl goes on", async () => {
    const { report, state } = await run(() => ({ status: 500 }));
    expect(report).toMatchObject({ failed: 1, problems: [{ reason: "http-status" }] });
    expect(state?.status).toBe("completed");
  });

  test("named by robots.txt and missing: that is reported", async () => {
    const { report } = await run(() => ({ status: 404 }), { named: { [ORIGIN]: [`${ORIGIN}/gone.xml`] } });
    expect(report).toMatchObject({ failed: 1, problems: [{ url: `${ORIGIN}/gone.xml`, reason: "http-status" }] });
  });
});

describe("with the limit", () => {
  const index: Sitemaps = (url) =>
    url === GUESS
      ? { format: "index", sitemaps: entries(...Array.from({ length: 50 }, (_, i) => `/${i}.xml`)) }
      : { pages: entries(...Array.from({ length: 10 }, (_, i) => `${new URL(url).pathname}/${i}`)) };

  test("no more of an index is read than the crawl has use for", async () => {
    const { world, state, rows } = await run(index, { changes: { limit: 15 } });
    expect(state?.counters.completed).toBe(15);
    expect(world.asked.length).toBeLessThanOrEqual(4);
    expect(rows.get("/49.xml")).toMatchObject({ status: "skipped", reason: "limit" });
  });

  test("a crawl whose seeds are all that it wants asks for none", async () => {
    const { world, rows } = await run(index, { changes: { limit: 1 } });
    expect(world.asked).toEqual([]);
    expect(rows.get("/sitemap.xml")).toMatchObject({ status: "skipped", reason: "limit" });
  });

  test("more is read where pages fail", async () => {
    const web: Web = (url) => (url.endsWith(".xml/3") || url === SEED ? { links: [] } : { status: 404 });
    const { state } = await run(index, { web, changes: { limit: 15 } });
    expect(state?.counters.completed).toBe(15);
  });
});

describe("stopped and set going again", () => {
  test("a lost message of a sitemap is repaired by the heartbeat", async () => {
    let lost = 0;
    const { records } = await run(usual("/a"), { copies: () => (lost++ === 1 ? 0 : 1) });
    expect(records.has("/a")).toBe(true);
  });

  test("every message twice reads each sitemap's list once", async () => {
    const { state, records } = await run(usual("/a", "/b"), { copies: () => 2 });
    expect([...records.keys()]).toEqual(["/", "/a", "/b"]);
    expect(state?.counters.discovered).toBe(3);
  });

  test("cancelled, it is cancelled", async () => {
    const world = new World(plain, { sitemaps: usual("/a") });
    const crawl = await world.start([SEED], { source: "all" });
    await world.deps.ledger.cancel(crawl, "cancelled_by_user", world.now);
    expect(await world.deps.sitemaps.report(crawl, 10)).toMatchObject({ open: 0 });
  });

  test("a sitemap whose batches fail ends in the dead-letter queue, and the crawl ends", async () => {
    let broken = 0;
    const { rows, state } = await run(usual("/a"), {
      beforeCommit: () => {
        if (broken++ < 3) throw new Error("no ledger");
      },
      maxRetries: 2,
    });
    expect(state?.status).toMatch(/completed|errored/);
    expect([...rows.values()].every(({ status }) => status !== "queued" && status !== "pending")).toBe(true);
  });
});

describe("a dry run", () => {
  test("fetches no page, and says of each what would become of it", async () => {
    const { world, records, state } = await run(usual("/a", "/b"), { changes: { dryRun: true } });
    expect(world.fetched).toEqual([]);
    expect([...records.values()].map(({ status, reason }) => [status, reason])).toEqual(
      Array.from({ length: 3 }, () => ["skipped", "dry-run"]),
    );
    expect(state?.status).toBe("completed");
  });

  test("keeps to the limit, and reads no more sitemaps than the crawl would", async () => {
    const { world, records, state } = await run(
      (url) =>
        url === GUESS
          ? { format: "index", sitemaps: entries(...Array.from({ length: 50 }, (_, i) => `/${i}.xml`)) }
          : { pages: entries(...Array.from({ length: 10 }, (_, i) => `${new URL(url).pathname}/${i}`)) },
      { changes: { dryRun: true, limit: 15 } },
    );
    const reasons = [...records.values()].map(({ reason }) => reason);
    expect(reasons.filter((reason) => reason === "dry-run")).toHaveLength(15);
    expect(reasons.filter((reason) => reason === "limit").length).toBe(reasons.length - 15);
    expect(world.asked.length).toBeLessThanOrEqual(4);
    expect(state?.status).toBe("completed");
  });
});

import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import type { Crawl } from "../../src/crawl/crawl.ts";
import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import { retryCrawl } from "../../src/lifecycle/retry.ts";
import { MAX_URL_LENGTH } from "../../src/url/canonicalize.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { type Sitemaps, type Web, World, type WorldOptions } from "./world.ts";

/** Sitemaps in the whole pipeline: discovery, listed URLs, problems and the page limit. */

useModelLedger();

const ORIGIN = "https://site.test";
const SEED = `${ORIGIN}/`;
const SITEMAP = `${ORIGIN}/sitemap.xml`;
const DAY = 86_400_000;

const pageWithoutLinks: Web = () => ({ links: [] });

function entries(...paths: string[]) {
  return paths.map((path) => ({ url: path.startsWith("http") ? path : `${ORIGIN}${path}`, lastmod: null }));
}

async function run(
  sitemaps: Sitemaps,
  {
    web = pageWithoutLinks,
    changes = {},
    ...options
  }: { web?: Web; changes?: Partial<CrawlOptions> } & WorldOptions = {},
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

/** One sitemap at /sitemap.xml. */
const sitemapOf =
  (...paths: string[]): Sitemaps =>
  (url) =>
    url === SITEMAP ? { pages: entries(...paths) } : { status: 404 };

describe("a sitemap", () => {
  test("is found at /sitemap.xml", async () => {
    const { records, report, state } = await run(sitemapOf("/a", "/b"));
    expect([...records.keys()]).toEqual(["/", "/a", "/b"]);
    expect(records.get("/a")).toMatchObject({ status: "completed", via: SITEMAP, depth: 1 });
    expect(report).toMatchObject({ read: 1, open: 0, failed: 0, listed: 2 });
    expect(state?.counters.discovered).toBe(3);
  });

  test("may be missing at /sitemap.xml without an error or a record", async () => {
    const { records, rows, report, state } = await run(() => ({ status: 404 }));
    expect(rows.get("/sitemap.xml")).toMatchObject({ status: "skipped", reason: "no-sitemap" });
    expect(report).toMatchObject({ read: 0, open: 0, failed: 0, problems: [] });
    expect([...records.keys()]).toEqual(["/"]);
    expect(state?.status).toBe("completed");
  });

  test("is not found if /sitemap.xml is a page, even behind a redirect", async () => {
    const { rows, report } = await run((url) =>
      url === SITEMAP ? { redirect: SEED } : { problem: "it is an HTML page", format: "text" },
    );
    expect(rows.get("/sitemap.xml")).toMatchObject({ status: "skipped", reason: "redirected" });
    expect(rows.get("/")).toMatchObject({ status: "skipped", reason: "no-sitemap" });
    expect(report.failed).toBe(0);
  });

  test("is found by robots.txt, even on other hosts", async () => {
    const named = { [ORIGIN]: [`${ORIGIN}/maps/one.xml`, "https://maps.test/two.xml", "https://["] };
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
    expect(world.asked.toSorted()).toEqual(["https://maps.test/two.xml", `${ORIGIN}/maps/one.xml`, SITEMAP]);
  });

  test("is refused if its URL is too long for a message, in robots.txt, in an index or behind a redirect", async () => {
    const long = (name: string) => `${ORIGIN}/${name}${"x".repeat(130_000)}.xml`;
    const named = { [ORIGIN]: [long("robots"), `${ORIGIN}/index.xml`, `${ORIGIN}/moved.xml`] };
    const { state, refusals, rows, records } = await run(
      (url) => {
        if (url === `${ORIGIN}/index.xml`) return { sitemaps: entries(long("/index"), "/good.xml") };
        if (url === `${ORIGIN}/moved.xml`) return { redirect: long("moved") };
        return url === `${ORIGIN}/good.xml` ? { pages: entries("/a") } : { status: 404 };
      },
      { named },
    );
    expect(state?.status).toBe("completed");
    expect([...records.keys()]).toEqual(["/", "/a"]);
    expect([...rows.keys()].every((url) => url.length < 100)).toBe(true);
    expect(refusals).toMatchObject([{ reason: "too-long", count: 3 }]);
    expect(refusals[0]?.examples.every((url) => url.length <= MAX_URL_LENGTH)).toBe(true);
  });

  test("is found by an index, if its host is in scope", async () => {
    const { records, rows, refusals } = await run((url) => {
      if (url === SITEMAP) return { format: "index", sitemaps: entries("/1.xml", "/2.xml", "https://else.test/3.xml") };
      return { pages: entries(url === `${ORIGIN}/1.xml` ? "/a" : "/b") };
    });
    expect([...records.keys()]).toEqual(["/", "/a", "/b"]);
    expect([...rows.keys()]).toEqual(["/sitemap.xml", "/1.xml", "/2.xml"]);
    expect(refusals).toMatchObject([{ reason: "off-host", count: 1, examples: ["https://else.test/3.xml"] }]);
  });

  test("is found by an index up to a maximum depth, without loops", async () => {
    let n = 0;
    const { world, refusals, state } = await run((url) => ({
      format: "index",
      sitemaps: [...entries(`/deeper/${n++}.xml`), { url, lastmod: null }],
    }));
    expect(world.asked).toHaveLength(6);
    expect(refusals).toMatchObject([{ reason: "sitemap-depth", count: 2 }]);
    expect(state?.status).toBe("completed");
  });

  test("is found by a relative URL in robots.txt", async () => {
    const named = { [ORIGIN]: ["/maps/one.xml", "two.xml"] };
    const { records } = await run(
      (url) => {
        if (url === `${ORIGIN}/maps/one.xml`) return { pages: entries("/one") };
        return url === `${ORIGIN}/two.xml` ? { pages: entries("/two") } : { status: 404 };
      },
      { named },
    );
    expect([...records.keys()]).toEqual(["/", "/one", "/two"]);
  });

  test("is found at /sitemap_index.xml if there is no other", async () => {
    const index: Sitemaps = (url) =>
      url === `${ORIGIN}/sitemap_index.xml` ? { pages: entries("/a") } : { status: 404 };
    const { records, world, report } = await run(index);
    expect(world.asked).toEqual([SITEMAP, `${ORIGIN}/sitemap_index.xml`]);
    expect([...records.keys()]).toEqual(["/", "/a"]);
    expect(report).toMatchObject({ read: 1, failed: 0 });
    const named = await run(index, { named: { [ORIGIN]: [`${ORIGIN}/other.xml`] } });
    expect(named.world.asked.toSorted()).toEqual([`${ORIGIN}/other.xml`, SITEMAP]);
    const missing = await run(() => ({ status: 404 }));
    expect(missing.report).toMatchObject({ read: 0, failed: 0, problems: [] });
  });

  test("is found at /sitemap_index.xml if /sitemap.xml redirects to a page, on a host in scope", async () => {
    const redirecting =
      (target: string): Sitemaps =>
      (url) => {
        if (url.endsWith("/sitemap.xml")) return { redirect: target };
        if (url.endsWith("/sitemap_index.xml")) return { pages: entries("/a") };
        return { problem: "it is an HTML page", format: "text" };
      };
    const { records, world, report } = await run(redirecting(SEED));
    expect(world.asked).toEqual([SITEMAP, SEED, `${ORIGIN}/sitemap_index.xml`]);
    expect([...records.keys()]).toEqual(["/", "/a"]);
    expect(report).toMatchObject({ read: 1, failed: 0 });
    const elsewhere = await run(redirecting("https://login.test/"));
    expect(elsewhere.world.asked).toEqual([SITEMAP, "https://login.test/"]);
  });

  test("is found by pages, each once, if its host is in scope", async () => {
    const page = [`${ORIGIN}/linked.xml`, "https://else.test/no.xml"];
    const web: Web = (url) => ({ links: url === SEED ? [`${ORIGIN}/p`] : [], sitemaps: page });
    const sitemaps: Sitemaps = (url) =>
      url === `${ORIGIN}/linked.xml` ? { pages: entries("/a", "/b") } : { status: 404 };
    const { records, rows, world, refusals } = await run(sitemaps, { web });
    expect([...records.keys()].toSorted()).toEqual(["/", "/a", "/b", "/p"]);
    expect(rows.get("/linked.xml")).toMatchObject({ status: "completed", via: SEED });
    expect(world.asked.filter((url) => url.endsWith("linked.xml"))).toHaveLength(1);
    expect(refusals).toMatchObject([{ reason: "off-host", count: 4, examples: ["https://else.test/no.xml"] }]);
    const links = await run(sitemaps, { web, changes: { source: "links" } });
    expect(links.world.asked).toEqual([]);
  });

  test("is found on the host that a seed redirects to", async () => {
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

describe("a listed URL", () => {
  test("goes through scope and traps", async () => {
    const { records, refusals } = await run(
      sitemapOf("/ok", "https://else.test/", "/no/way", "/x.zip", "/a/b/a/b/a/b/"),
      {
        changes: { excludePatterns: ["/no/**"] },
      },
    );
    expect([...records.keys()]).toEqual(["/", "/ok"]);
    expect(refusals.map(({ reason }) => reason).toSorted()).toEqual([
      "excluded",
      "extension",
      "off-host",
      "repeated-segments",
    ]);
  });

  test("gets the date of the sitemap, even if a link found it first", async () => {
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
  ] as const)("is found depending on the source %s", async (source, expected) => {
    const web: Web = () => ({ links: [`${ORIGIN}/linked`] });
    const { records, world } = await run(sitemapOf("/listed"), { web, changes: { source } });
    expect([...records.keys()]).toEqual(expected);
    expect(world.asked).toEqual(source === "links" ? [] : [SITEMAP]);
  });

  test("waits if the queue is full", async () => {
    const paths = Array.from({ length: 500 }, (_, i) => `/page/${i}`);
    const { state } = await run(sitemapOf(...paths), { changes: { maxQueued: 40 } });
    expect(state?.counters).toMatchObject({ discovered: 501, completed: 501, queued: 0, pending: 0 });
  });
});

describe("a sitemap that cannot be read", () => {
  test("is reported, and the URLs before the error are crawled", async () => {
    const { rows, records, report, state } = await run((url) =>
      url === SITEMAP ? { pages: entries("/a"), problem: "it ends in the middle" } : { status: 404 },
    );
    expect(rows.get("/sitemap.xml")).toMatchObject({ status: "errored", reason: "bad-sitemap" });
    expect(report).toMatchObject({
      failed: 1,
      problems: [{ url: SITEMAP, detail: expect.stringContaining("in the middle") }],
    });
    expect(records.get("/a")).toMatchObject({ status: "completed" });
    expect(state?.status).toBe("completed");
  });

  test("is retried if the error may be temporary", async () => {
    const { world, records } = await run((_, attempt) => (attempt === 0 ? { status: 503 } : { pages: entries("/a") }));
    expect(world.asked).toHaveLength(2);
    expect(records.has("/a")).toBe(true);
  });

  test("is given up after maxAttempts, and the crawl continues", async () => {
    const { report, state } = await run(() => ({ status: 500 }));
    expect(report).toMatchObject({ failed: 1, problems: [{ reason: "http-status" }] });
    expect(state?.status).toBe("completed");
  });

  test("is reported if robots.txt names it and it is missing", async () => {
    const { report } = await run(() => ({ status: 404 }), { named: { [ORIGIN]: [`${ORIGIN}/gone.xml`] } });
    expect(report).toMatchObject({ failed: 1, problems: [{ url: `${ORIGIN}/gone.xml`, reason: "http-status" }] });
  });
});

describe("with a page limit", () => {
  const index: Sitemaps = (url) =>
    url === SITEMAP
      ? { format: "index", sitemaps: entries(...Array.from({ length: 50 }, (_, i) => `/${i}.xml`)) }
      : { pages: entries(...Array.from({ length: 10 }, (_, i) => `${new URL(url).pathname}/${i}`)) };

  test("a crawl reads only the sitemaps that it needs", async () => {
    const { world, state, rows } = await run(index, { changes: { limit: 15 } });
    expect(state?.counters.completed).toBe(15);
    expect(world.asked.length).toBeLessThanOrEqual(4);
    expect(rows.get("/49.xml")).toMatchObject({ status: "skipped", reason: "limit" });
  });

  test("a crawl whose seeds reach the limit reads no sitemap", async () => {
    const { world, rows } = await run(index, { changes: { limit: 1 } });
    expect(world.asked).toEqual([]);
    expect(rows.get("/sitemap.xml")).toMatchObject({ status: "skipped", reason: "limit" });
  });

  test("a crawl reads more sitemaps if pages fail", async () => {
    const web: Web = (url) => (url.endsWith(".xml/3") || url === SEED ? { links: [] } : { status: 404 });
    const { state } = await run(index, { web, changes: { limit: 15 } });
    expect(state?.counters.completed).toBe(15);
  });
});

describe("after failures", () => {
  test("the heartbeat repairs a lost message of a sitemap", async () => {
    let lost = 0;
    const { records } = await run(sitemapOf("/a"), { copies: () => (lost++ === 1 ? 0 : 1) });
    expect(records.has("/a")).toBe(true);
  });

  test("duplicate messages discover each listed URL once", async () => {
    const { state, records } = await run(sitemapOf("/a", "/b"), { copies: () => 2 });
    expect([...records.keys()]).toEqual(["/", "/a", "/b"]);
    expect(state?.counters.discovered).toBe(3);
  });

  test("a cancelled crawl cancels its sitemaps", async () => {
    const world = new World(pageWithoutLinks, { sitemaps: sitemapOf("/a") });
    const crawl = await world.start([SEED], { source: "all" });
    await world.deps.ledger.cancel(crawl, "cancelled_by_user", world.now);
    expect(await world.deps.sitemaps.report(crawl, 10)).toMatchObject({ open: 0 });
  });

  test("a sitemap whose batches fail ends in the dead-letter queue, and the crawl ends", async () => {
    let broken = 0;
    const { rows, state } = await run(sitemapOf("/a"), {
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
  test("fetches no page, and has a record of each", async () => {
    const { world, records, state } = await run(sitemapOf("/a", "/b"), { changes: { dryRun: true } });
    expect(world.fetched).toEqual([]);
    expect([...records.values()].map(({ status, reason }) => [status, reason])).toEqual(
      Array.from({ length: 3 }, () => ["skipped", "dry-run"]),
    );
    expect(state?.status).toBe("completed");
  });

  test("does not count other skipped pages towards the limit", async () => {
    const old = Array.from({ length: 6 }, (_, i) => ({ url: `${ORIGIN}/old-${i}`, lastmod: 1_000 }));
    const { records, state, world, crawl } = await run(
      (url) => (url === SITEMAP ? { pages: [...old, ...entries("/a", "/b", "/c", "/d")] } : { status: 404 }),
      { changes: { dryRun: true, limit: 4, modifiedSince: 1_000, maxQueued: 3 } },
    );
    const reasons = [...records.values()].map(({ reason }) => reason);
    expect(reasons.filter((reason) => reason === "dry-run")).toHaveLength(4);
    expect(reasons.filter((reason) => reason === "not-modified")).toHaveLength(6);
    expect(state).toMatchObject({ status: "completed", dryPages: 4 });

    // Those that are retried do not count meanwhile, the others do.
    const retry = { status: "skipped", limit: null } as const;
    const full = await retryCrawl(state as Crawl, { ...retry, reason: "limit" }, world.deps);
    expect(full).toEqual({ kind: "full" });
    const again = await retryCrawl(state as Crawl, { ...retry, reason: "dry-run" }, world.deps);
    expect(again).toEqual({ kind: "retried", retried: 4 });
    await world.runToEnd(crawl);
    await expectCountersExact(crawl);
    expect((await world.deps.ledger.crawl(crawl))?.dryPages).toBe(4);
  });

  test("obeys the limit, and reads no more sitemaps than the crawl would", async () => {
    const { world, records, state } = await run(
      (url) =>
        url === SITEMAP
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

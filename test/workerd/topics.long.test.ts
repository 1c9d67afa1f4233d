import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import { retryCrawl } from "../../src/lifecycle/retry.ts";
import { cancelCrawl } from "../../src/lifecycle/start.ts";
import { readTopicReport } from "../../src/reading/analysis/read-topic-report.ts";
import { explain } from "../../src/reading/explain/explain.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { HOUR_MS, type SiteAnswer, WatchedWorld } from "./watched-world.ts";
import { type Web, World, type WorldOptions } from "./world.ts";

/** Crawls with a subject: the order, the end, the limits, and what they say of themselves. */

useModelLedger();

const SEED = "https://start.test/";
const SUBJECT = "otters rivers";
/** Prose: a text that is stuffed with the words of the subject is not believed. */
const ON =
  "Otters rest on the banks of rivers between two hunts, and whoever walks along the water in spring sees their tracks, hears a whistle at dusk and finds what is left of a meal. ".repeat(
    8,
  );
const OFF = "Invoices are paid by the company. It sends a statement with each invoice of the month. ".repeat(8);

/** The first number of a URL's path, by which the pages of a host follow one another. */
const numberOf = (url: string) => Number(/(\d+)/.exec(new URL(url).pathname)?.[1] ?? 0);

/** Two hosts of `pages` pages each: one on the subject, one off it. Each page leads to three others of its host. */
const twoHosts =
  (pages: number): Web =>
  (url) => {
    const { host } = new URL(url);
    if (host === "start.test") return { links: [`https://bank.test/p/1`, `https://otters.test/p/1`], text: OFF };
    const next = [1, 2, 3].map((step) => numberOf(url) * 3 + step - 2).filter((n) => n <= pages);
    return {
      links: next.map((n) => `https://${host}/p/${n}`),
      text: host === "otters.test" ? `${ON} ${url}` : `${OFF} ${url}`,
      title: host === "otters.test" ? "Otters in rivers" : "Invoices",
    };
  };

async function run(web: Web, options: Partial<CrawlOptions>, more: WorldOptions = {}) {
  const world = new World(web, more);
  const id = await world.start([SEED], { includeExternalLinks: true, maxQueued: 5, ...options });
  await world.runToEnd(id);
  await expectCountersExact(id);
  const crawl = await world.deps.ledger.crawl(id);
  if (crawl === null) throw new Error("the crawl is gone");
  return { world, crawl };
}

const hostsIn = (urls: readonly string[]) => urls.map((url) => new URL(url).host);

test("relevant pages come first, with relevance and priority in their records", async () => {
  const { world, crawl } = await run(twoHosts(40), { topic: SUBJECT });
  expect(crawl.counters.completed).toBe(81);
  expect(crawl.relevant).toBe(40);
  const half = hostsIn(world.fetched.slice(0, 46));
  expect(half.filter((host) => host === "otters.test").length).toBeGreaterThan(36);
  const records = await world.deps.records.list(crawl.id, { cursor: "", limit: 100, sort: "relevance", order: "desc" });
  expect(hostsIn(records.slice(0, 40).map(({ url }) => url)).every((host) => host === "otters.test")).toBe(true);
  const relevant = await world.deps.records.list(crawl.id, { cursor: "", limit: 100, minRelevance: 0.5 });
  expect(relevant.length).toBe(40);
  expect(records.at(0)?.priority).toBeGreaterThan(records.at(-2)?.priority ?? 1_000);
});

test("a crawl without a subject has no relevance, and learns nothing", async () => {
  const { world, crawl } = await run(twoHosts(10), {});
  const records = await world.deps.records.list(crawl.id, { cursor: "", limit: 100 });
  expect(records.every(({ relevance }) => relevance === null)).toBe(true);
  expect(crawl.relevant).toBe(0);
  expect(await env.LEDGER.prepare("SELECT count(*) AS n FROM topics WHERE crawl = ?1").bind(crawl.id).first("n")).toBe(
    0,
  );
});

test("it ends when too few of the last 200 pages are relevant", async () => {
  const web: Web = (url) => {
    const n = numberOf(url);
    const links = [1, 2, 3, 4].map((step) => `https://bank.test/p/${n * 4 + step}`);
    return { links: n < 400 ? links : [], text: `${OFF} ${url}` };
  };
  const { crawl } = await run(web, { topic: SUBJECT, until: 0.05 });
  expect(crawl.status).toBe("cancelled_due_to_limits");
  expect(crawl.counters.completed).toBeGreaterThanOrEqual(200);
  expect(crawl.counters.completed).toBeLessThan(230);
  expect(crawl.counters.cancelled).toBeGreaterThan(100);
  const { results } = await env.LEDGER.prepare(
    "SELECT DISTINCT reason FROM urls WHERE crawl = ?1 AND status = 'cancelled'",
  )
    .bind(crawl.id)
    .all();
  expect(results).toEqual([{ reason: "topic-exhausted" }]);
});

test("a crawl that has ended so can be taken up again", async () => {
  const web: Web = (url) => {
    const n = numberOf(url);
    return {
      links: [1, 2].map((step) => `https://bank.test/p/${n * 2 + step}`).filter(() => n < 170),
      text: OFF + url,
    };
  };
  const { world, crawl } = await run(web, { topic: SUBJECT, until: 0.05, keepDuplicates: true });
  expect(crawl.status).toBe("cancelled_due_to_limits");
  await retryCrawl(crawl, { status: "cancelled", reason: null, limit: null }, world.deps);
  await world.runToEnd(crawl.id);
  await expectCountersExact(crawl.id);
  const again = await world.deps.ledger.crawl(crawl.id);
  expect(again?.status).toBe("completed");
  expect(again?.counters.completed).toBe(again?.counters.discovered);
});

test("without --until, nothing is left out", async () => {
  const { crawl } = await run(twoHosts(120), { topic: SUBJECT });
  expect(crawl.counters).toMatchObject({ completed: 241, cancelled: 0, skipped: 0 });
});

test("URLs of a sitemap go by their own words", async () => {
  const names = Array.from(
    { length: 20 },
    (_, i) => `https://start.test/${i % 2 === 0 ? "otters-in-rivers" : "invoices"}-${i}`,
  );
  const listed = { pages: names.map((url) => ({ url, lastmod: null })) };
  const web: Web = (url) => ({ links: [], text: url.includes("otters") ? `${ON} ${url}` : `${OFF} ${url}` });
  const { world, crawl } = await run(
    web,
    { topic: SUBJECT, source: "sitemaps", maxQueued: 2 },
    { sitemaps: (url) => (url === "https://start.test/sitemap.xml" ? listed : { status: 404 }) },
  );
  expect(crawl.relevant).toBe(10);
  const otters = world.fetched.slice(1, 14).filter((url) => url.includes("otters"));
  expect(otters.length).toBe(10);
});

test("a visit of a watch that finds a page changed counts what it says now", async () => {
  let isOn = true;
  const site = (url: string): SiteAnswer => ({ text: `${isOn ? ON : OFF} ${url}`, links: [] });
  const world = new WatchedWorld(site);
  const id = await world.watch(6 * HOUR_MS, { topic: SUBJECT });
  expect((await world.deps.ledger.crawl(id))?.relevant).toBe(1);
  isOn = false;
  await world.pass(48 * HOUR_MS);
  await expectCountersExact(id);
  expect((await world.deps.ledger.crawl(id))?.relevant).toBe(0);
  expect((await world.deps.records.get(id, "https://a.test/"))?.relevance).toBeLessThan(0.5);
});

test("a host gives exactly as many pages as its limit", async () => {
  const site = twoHosts(40);
  // The last pages of one host link to the other one, which has given its share by then.
  const web: Web = (url) => {
    const page = site(url, 0);
    const late = url.startsWith("https://bank.test/") ? [`https://otters.test/late/${numberOf(url)}`] : [];
    return "links" in page ? { ...page, links: [...page.links, ...late] } : page;
  };
  const { world, crawl } = await run(web, { topic: SUBJECT, limitPerHost: 7 });
  const records = await world.deps.records.list(crawl.id, { cursor: "", limit: 100 });
  const completed = hostsIn(records.filter(({ status }) => status === "completed").map(({ url }) => url));
  for (const host of ["otters.test", "bank.test"]) expect(completed.filter((each) => each === host).length).toBe(7);
  expect(records.filter(({ status }) => status === "skipped").every(({ reason }) => reason === "host-limit")).toBe(
    true,
  );
  const refused = await world.deps.ledger.refusals(crawl.id);
  expect(refused.map(({ reason }) => reason)).toEqual(["host-limit"]);
  expect(world.fetched.length).toBe(15);
});

test("an example is read first, and its text is the subject", async () => {
  const like = ["https://example.test/otter"];
  const web: Web = (url) => (url === like[0] ? { links: [], text: ON, title: "Otters" } : twoHosts(40)(url, 0));
  const { world, crawl } = await run(web, { like });
  expect(world.fetched[0]).toBe(like[0]);
  expect(hostsIn(world.fetched.slice(0, 47)).filter((host) => host === "otters.test").length).toBeGreaterThan(36);
  expect(crawl.relevant).toBeGreaterThanOrEqual(40);
  expect((await readTopicReport(crawl, world.deps)).openExamples).toEqual([]);
});

test("an example that cannot be read holds nothing up for long", async () => {
  const like = ["https://example.test/otter"];
  const web: Web = (url) => (url === like[0] ? { status: 500 } : twoHosts(5)(url, 0));
  const { crawl } = await run(web, { like, topic: SUBJECT });
  expect(crawl.counters).toMatchObject({ completed: 11, errored: 1 });
});

test("a batch that comes twice, and lessons that are lost, change no counter", async () => {
  let turns = 0;
  const world = new World(twoHosts(60), { copies: () => (turns++ % 3 === 0 ? 2 : 1) });
  const { topics } = world.deps;
  const learn = topics.learnFrom.bind(topics);
  topics.learnFrom = async (...args) => {
    if (turns % 2 === 0) throw new Error("the database is away");
    return learn(...args);
  };
  const id = await world.start([SEED], { includeExternalLinks: true, maxQueued: 5, topic: SUBJECT });
  await world.runToEnd(id);
  await expectCountersExact(id);
  expect((await world.deps.ledger.crawl(id))?.relevant).toBe(60);
});

test("what a person marks changes the course from the next batch on, once", async () => {
  const world = new World(twoHosts(60));
  const { marks } = world.deps;
  const id = await world.start([SEED], { includeExternalLinks: true, maxQueued: 5, topic: SUBJECT, store: "files" });
  for (let turn = 0; turn < 4; turn++) await world.turn();
  const before = (await world.deps.topics.find(id))?.learned;
  await marks.put(id, ["https://bank.test/p/1"], "right", world.now);
  await marks.put(id, [SEED], "other", world.now);
  const [, last] = await marks.after(id, 0, 5);
  await world.turn();
  const after = (await world.deps.topics.find(id))?.learned;
  expect(after?.marked).toBe(last?.seq);
  expect(after?.state.best.some(([term]) => term.startsWith("invoic"))).toBe(true);
  expect(before?.state.best.some(([term]) => term.startsWith("invoic"))).toBe(false);
  await world.turn();
  expect((await world.deps.topics.find(id))?.learned.marked).toBe(last?.seq);
});

test("two batches that learn at once both count", async () => {
  const { world, crawl } = await run(twoHosts(20), { topic: SUBJECT });
  const { topics } = world.deps;
  const stored = await topics.find(crawl.id);
  if (stored === null) throw new Error("nothing was learned");
  const lesson = (url: string) => (known: typeof stored.learned) => ({
    ...known,
    openExamples: [...known.openExamples, url],
  });
  // Both begin with the same version.
  await topics.learnFrom(stored, crawl.id, lesson("a"));
  const last = await topics.learnFrom(stored, crawl.id, lesson("b"));
  expect(last.learned.openExamples).toEqual(["a", "b"]);
  expect(await topics.find(crawl.id)).toEqual(last);
});

test("explain says why a link was put where it was", async () => {
  const { world, crawl } = await run(twoHosts(40), { topic: SUBJECT });
  const { steps } = await explain("https://otters.test/p/5", { crawl }, world.deps, "all");
  const step = steps.find(({ step }) => step === "subject");
  expect(step?.rule).toMatch(/^priority \d+$/);
  expect(step?.detail).toMatch(
    /^its link has a score of 0\.\d+: the page that links to it, https:\/\/otters\.test\/p\/2, has 0\.\d+; the words of the link and of the URL have 0\.\d+; the pages of its host otters\.test had 0\.\d+ on average so far; its page is on the subject/,
  );
  const seed = (await explain(SEED, { crawl }, world.deps, "all")).steps.find(({ step }) => step === "subject");
  expect(seed?.detail).toContain("seeds are fetched first");
});

test("the report has the harvest, hosts, words and pages", async () => {
  const { world, crawl } = await run(twoHosts(40), { topic: SUBJECT });
  const report = await readTopicReport(crawl, world.deps);
  expect(report).toMatchObject({ pages: 81, relevant: 40, recent: { pages: 81, relevant: 40 } });
  expect(report.harvest.points.length).toBe(9);
  expect(report.hosts[0]?.host).toBe("otters.test");
  expect(
    report.terms
      .slice(0, 2)
      .map(({ term }) => term.slice(0, 4))
      .toSorted(),
  ).toEqual(["otte", "rive"]);
  expect(report.best[0]?.relevance).toBeGreaterThan(0.5);
  expect(report.doubtful.length).toBe(10);
});

test("a crawl that was cancelled goes on with what it knows", async () => {
  const world = new World(twoHosts(60));
  const id = await world.start([SEED], { includeExternalLinks: true, maxQueued: 5, topic: SUBJECT });
  for (let turn = 0; turn < 6; turn++) await world.turn();
  await cancelCrawl(id, "cancelled_by_user", world.deps);
  const before = (await world.deps.topics.find(id))?.learned.state.pages ?? 0;
  expect(before).toBeGreaterThan(0);
  const crawl = await world.deps.ledger.crawl(id);
  if (crawl === null) throw new Error("the crawl is gone");
  await retryCrawl(crawl, { status: "cancelled", reason: null, limit: null }, world.deps);
  await world.runToEnd(id);
  await expectCountersExact(id);
  expect((await world.deps.ledger.crawl(id))?.relevant).toBe(60);
  expect((await world.deps.topics.find(id))?.learned.state.pages).toBe(121);
});

test("few pages are in motion until the first relevant one, for 100 pages at most", async () => {
  const web =
    (relevantFrom: number): Web =>
    (url) => {
      const at = Number(/\d+$/.exec(url)?.[0] ?? 0);
      const links = Array.from({ length: 150 }, (_, n) => `https://a.test/p/${n}`);
      return { links: url.endsWith("/") ? links : [], text: `${at >= relevantFrom ? ON : OFF} ${url}` };
    };
  const mostMoving = async (relevantFrom: number, upTo: number) => {
    const world = new World(web(relevantFrom));
    const id = await world.start(["https://a.test/"], { maxQueued: 50, topic: SUBJECT });
    let most = 0;
    for (let read = 0; read < upTo; await world.turn()) {
      const crawl = await world.deps.ledger.crawl(id);
      read = crawl?.counters.completed ?? 0;
      if (read < upTo) most = Math.max(most, crawl?.counters.queued ?? 0);
    }
    await world.runToEnd(id);
    await expectCountersExact(id);
    expect((await world.deps.ledger.crawl(id))?.counters.completed).toBe(151);
    return most;
  };
  expect(await mostMoving(1_000, 90)).toBeLessThanOrEqual(5);
  expect(await mostMoving(1_000, 140)).toBeGreaterThan(5);
  expect(await mostMoving(0, 90)).toBeGreaterThan(5);
});

test.each([
  [1, 2],
  [3, 6],
])("with seeds on %i hosts, at most %i pages are in motion until ten are read, and then more", async (hosts, most) => {
  const seeds = Array.from({ length: hosts }, (_, i) => `https://h${i}.test/`);
  const web: Web = (url) => ({
    links: Array.from({ length: 40 }, (_, n) => new URL(`/p/${n}`, url).href),
    text: `${url.includes("/p/") ? ON : OFF} ${url}`,
  });
  const world = new World(web);
  const id = await world.start(seeds, { includeExternalLinks: true, maxQueued: 50, topic: SUBJECT });
  const moving: number[] = [];
  for (let read = 0; read < 30; ) {
    const crawl = await world.deps.ledger.crawl(id);
    read = crawl?.counters.completed ?? 0;
    moving.push(crawl?.counters.queued ?? 0);
    if (read < 10) expect(moving.at(-1), `after ${read} pages`).toBeLessThanOrEqual(most);
    await world.turn();
  }
  expect(Math.max(...moving)).toBeGreaterThan(most);
  await world.runToEnd(id);
  await expectCountersExact(id);
  expect((await world.deps.ledger.crawl(id))?.counters.completed).toBe(41 * hosts);
});

test("without a subject all of maxQueued is in motion at once", async () => {
  const web: Web = (url) => ({ links: Array.from({ length: 40 }, (_, n) => new URL(`/p/${n}`, url).href) });
  const world = new World(web);
  const id = await world.start(["https://a.test/"], { maxQueued: 30 });
  for (let turn = 0; turn < 100 && ((await world.deps.ledger.crawl(id))?.counters.completed ?? 0) < 1; turn++)
    await world.turn();
  expect((await world.deps.ledger.crawl(id))?.counters.queued).toBe(30);
});

/**
 * Two sites whose links have no words. The first one's pages say a little of the subject, the second one's are on it.
 */
const twoSites =
  (first: string): Web =>
  (url) => {
    const { host, pathname } = new URL(url);
    const own = Array.from({ length: 150 }, (_, n) => `https://${host}/p/${n}`);
    const text = host === "first.test" ? first : pathname === "/" ? OFF : ON;
    return { links: pathname === "/" ? own : [], text: `${text} ${url}` };
  };

test.each([
  ["as little of the subject as the other", OFF],
  ["more of the subject than the other", `${OFF} Otters. `],
])("no seed starves another one, even if its home page says %s", async (_, text) => {
  const seeds = ["https://first.test/", "https://second.test/"];
  const world = new World(twoSites(text));
  const id = await world.start(seeds, { includeExternalLinks: true, maxQueued: 50, topic: SUBJECT, limit: 100 });
  await world.runToEnd(id);
  const hosts = hostsIn(world.fetched);
  expect(hosts.filter((host) => host === "second.test").length).toBeGreaterThan(10);
  expect(hosts.slice(0, 24).filter((host) => host === "second.test").length).toBeGreaterThan(8);
  await expectCountersExact(id);
});

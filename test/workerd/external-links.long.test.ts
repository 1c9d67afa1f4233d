import { env } from "cloudflare:test";
import { afterEach, expect, test } from "vitest";
import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import type { ExternalCounts } from "../../src/graph/external-answers.ts";
import type { PageLink } from "../../src/media/links/links.ts";
import { keepAnswers } from "../../src/passes/links/known-answers.ts";
import { readAll } from "../../src/passes/links/report-object.ts";
import { type DoStep, PassRun } from "../../src/passes/pass-run.ts";
import { runPass } from "../../src/passes/run-pass.ts";
import { openSiteReport } from "../../src/reading/analysis/site-report.ts";
import { analyzeCrawl } from "./analyze-crawl.ts";
import { dieNowAndThen } from "./die-now-and-then.ts";
import { keepSite } from "./kept-site.ts";
import { type Answer, World } from "./world.ts";

/** Links that lead out of the crawl: each target is asked once, at its pace, and only what does not exist is broken. */

const SITE = "https://a.test/";
const DAY_MS = 86_400_000;

afterEach(() => env.LEDGER.exec("UPDATE passes SET status = 'errored' WHERE status = 'running'"));

const WEB: Record<string, Answer> = {
  "https://b.test/ok": { links: [] },
  "https://b.test/gone": { status: 410 },
  "https://b.test/none": { status: 404 },
  "https://b.test/fault": { status: 500 },
  "https://b.test/forbidden": { status: 403 },
  "https://b.test/moved": { redirect: "https://c.test/moved" },
  "https://c.test/moved": { redirect: "https://c.test/none" },
  "https://c.test/none": { status: 404 },
  "https://c.test/home": { redirect: `${SITE}b` },
  "https://c.test/lost": { redirect: `${SITE}lost` },
  "https://c.test/circle": { redirect: "https://c.test/circle2" },
  "https://c.test/circle2": { redirect: "https://c.test/circle" },
};

function link(url: string, more: Partial<PageLink> = {}): PageLink {
  return { url, text: "", kind: "a", rel: "", place: "content", fragment: null, nofollow: false, ...more };
}

const LINKS = [
  ...Object.keys(WEB).filter((url) => !url.endsWith("/circle2") && !url.endsWith("c.test/moved")),
  "https://robots.test/x",
  "https://dead.invalid/x",
  "https://dead.invalid/y",
].map((url) => link(url, { text: `To ${url.slice(8)}` }));

async function newSite(web: Record<string, Answer> = WEB, links = LINKS, changes: Partial<CrawlOptions> = {}) {
  const world = new World((url) => web[url] ?? { links: [] }, {
    forbids: (origin) => origin === "https://robots.test",
  });
  const id = await world.start([SITE], changes);
  await world.runToEnd(id);
  await keepSite(id, [
    { url: SITE, page: { title: "A", description: "A", links } },
    {
      url: `${SITE}b`,
      page: { title: "B", description: "B", links: [link("https://b.test/none", { place: "navigation" })] },
      row: { http_status: 200 },
    },
    { url: `${SITE}lost`, row: { status: "errored", reason: "http-status", http_status: 404 } },
  ]);
  world.fetched.length = 0;
  world.requests.length = 0;
  return { world, id };
}

type Site = Awaited<ReturnType<typeof newSite>>;

async function reportOf({ world, id }: Site) {
  const crawl = await world.deps.ledger.crawl(id);
  const report = crawl === null ? null : await openSiteReport(crawl, world.deps);
  if (report === null) throw new Error("there is no report");
  const found: string[] = [];
  for await (const { change, page, target, text, place, detail } of readAll(report.file, ["broken-external-link"]))
    found.push([change, page, target, text, place, detail].join(" | ").replaceAll(SITE, "/"));
  return { found, externals: report.head.externals ?? null, leftOut: report.head.leftOut };
}

function reasonsOf(externals: ExternalCounts | null): Record<string, number> {
  return Object.fromEntries(externals?.notJudged.map(({ why, count }) => [why, count]) ?? []);
}

const WITHOUT_TEXT =
  "2 pages are not compared, and their words not counted: a crawl with --search or --markdown reads their texts.";
const BROKEN = [
  "still | / | https://b.test/gone | To b.test/gone | content | status 410",
  "still | / | https://b.test/moved | To b.test/moved | content | redirects to status 404",
  "still | /b | https://b.test/none |  | navigation | status 404",
  "still | / | https://b.test/none | To b.test/none | content | status 404",
  "still | / | https://c.test/lost | To c.test/lost | content | redirects to status 404",
  "still | / | https://c.test/none | To c.test/none | content | status 404",
  "still | / | https://dead.invalid/x | To dead.invalid/x | content | a host name that does not exist",
  "still | / | https://dead.invalid/y | To dead.invalid/y | content | a host name that does not exist",
];

test("each target is asked once, and what does not exist is found with all its pages", async () => {
  const site = await newSite();
  await analyzeCrawl(site.id, site.world, { checkExternal: true });
  const { found, externals, leftOut } = await reportOf(site);
  expect(found).toEqual(BROKEN);
  expect(externals).toMatchObject({ targets: 13, fine: 2, broken: 7, linksLeftOut: 0 });
  expect(reasonsOf(externals)).toEqual({ robots: 1, "redirect-loop": 1, "status 403": 1, "status 500": 1 });
  expect(leftOut).toEqual([
    "13 URLs of other sites were checked: 7 do not exist.",
    "4 of them are not judged (1: a redirect loop; 1: robots.txt forbids it; 1: status 403; 1: status 500).",
    WITHOUT_TEXT,
  ]);
  expect([...site.world.fetched].sort()).toEqual(Object.keys(WEB).sort());
  // The crawl hurries through its own site (its delay is 0), and not through others.
  for (const requests of Map.groupBy(site.world.requests, ({ host }) => host).values())
    for (const [i, { startedAt }] of requests.entries())
      if (i > 0) expect(startedAt - (requests[i - 1]?.endedAt ?? 0)).toBeGreaterThanOrEqual(1_000);
});

test("only what a reader can click leads out, and exclude patterns hold", async () => {
  const links = [
    link("https://b.test/none", { kind: "area" }),
    link("https://b.test/style", { kind: "link" }),
    link("https://b.test/frame", { kind: "iframe" }),
    link("https://b.test/script", { kind: "script" }),
    link("https://b.test/out/of/it"),
    link(`${SITE}not-in-the-crawl`),
  ];
  const site = await newSite({}, links, { excludePatterns: ["https://b.test/out/**"] });
  await analyzeCrawl(site.id, site.world, { checkExternal: true });
  expect(site.world.fetched).toEqual(["https://b.test/none"]);
});

test("an analysis that is not to ask asks nobody", async () => {
  const site = await newSite();
  await analyzeCrawl(site.id, site.world);
  expect(site.world.requests).toEqual([]);
  expect(await reportOf(site)).toEqual({ found: [], externals: null, leftOut: [WITHOUT_TEXT] });
});

test("a later analysis asks again after a week, and tells what is known for a month", async () => {
  const site = await newSite();
  const { world, id } = site;
  const since = () => world.fetched.splice(0).length;
  await analyzeCrawl(id, world, { checkExternal: true });
  const all = since();
  world.now += 6 * DAY_MS;
  await analyzeCrawl(id, world, { checkExternal: true });
  expect([since(), (await reportOf(site)).found]).toEqual([0, BROKEN]);
  world.now += 2 * DAY_MS;
  await analyzeCrawl(id, world, { checkExternal: true });
  expect([since(), (await reportOf(site)).found]).toEqual([all, BROKEN]);
  world.now += 29 * DAY_MS;
  await analyzeCrawl(id, world);
  expect([since(), (await reportOf(site)).found]).toEqual([0, BROKEN]);
  world.now += 2 * DAY_MS;
  await analyzeCrawl(id, world);
  expect(since()).toBe(0);
  expect((await reportOf(site)).found).toEqual(BROKEN.map((line) => line.replace("still", "mended")));
});

test("a pass whose steps fail, repeat and die asks each target once", async () => {
  const site = await newSite();
  const { world, id } = site;
  const { passObjects } = world.deps;
  const put = passObjects.put.bind(passObjects);
  let faults = 0;
  // The answers of a round are kept; then the step dies.
  passObjects.put = async (pass, name, bytes) => {
    if (/^queue-\d+-[^0]/.test(name) && faults++ % 2 === 0) throw new Error("R2 is away");
    await put(pass, name, bytes);
  };
  const done = new Map<string, unknown>();
  const doStep = dieNowAndThen(done);
  const pass = crypto.randomUUID();
  await world.deps.passes.begin(id, pass, world.now, null, { checkExternal: true });
  const run = () => runPass(new PassRun({ crawl: id, id: pass, checkExternal: true }, doStep, () => world.deps));
  let attempts = 1;
  while (
    !(await run()
      .then(() => true)
      .catch(() => false))
  )
    attempts += 1;
  expect([attempts > 10, faults > 1]).toEqual([true, true]);
  expect((await reportOf(site)).found).toEqual(BROKEN);
  expect([...world.fetched].sort()).toEqual(Object.keys(WEB).sort());
});

test("a host that wants to be left alone is left alone, and asked by a later analysis", async () => {
  const busy = (n: number) => `https://busy.test/${n}`;
  const web: Record<string, Answer> = { [busy(1)]: { status: 503, retryAfterMs: 3_600_000 } };
  const links = [busy(1), busy(2), busy(3), "https://b.test/none"].map((url) => link(url));
  const site = await newSite({ ...WEB, ...web }, links);
  const { world, id } = site;
  await analyzeCrawl(id, world, { checkExternal: true });
  expect(world.fetched.filter((url) => url.includes("busy"))).toEqual([busy(1)]);
  const first = await reportOf(site);
  expect(reasonsOf(first.externals)).toEqual({ "status 503": 1, waits: 2 });
  expect(first.found.length).toBe(2);
  world.now += 2 * 3_600_000;
  await analyzeCrawl(id, world, { checkExternal: true });
  expect(world.fetched.filter((url) => url.includes("busy"))).toEqual([busy(1), busy(2), busy(3)]);
  expect(reasonsOf((await reportOf(site)).externals)).toEqual({ "status 503": 1 });
});

test("a host with many targets is asked in several rounds, between which the pass rests", async () => {
  const links = Array.from({ length: 12 }, (_, i) => link(`https://b.test/${i}`));
  const site = await newSite({}, links, { politeness: { ...slowly() } });
  const { world, id } = site;
  const names: string[] = [];
  const rests: number[] = [];
  const pass = crypto.randomUUID();
  await world.deps.passes.begin(id, pass, world.now, null, { checkExternal: true });
  const doStep: DoStep = (name, work) => {
    names.push(name);
    return work();
  };
  const rest = async (name: string, ms: number) => {
    names.push(name);
    rests.push(ms);
    world.now += ms;
  };
  await runPass(new PassRun({ crawl: id, id: pass, checkExternal: true }, doStep, () => world.deps, rest));
  expect(world.fetched.length).toBe(13);
  expect(rests.length).toBeGreaterThan(5);
  expect(Math.max(...rests)).toBeLessThanOrEqual(5 * 60_000);
  expect(new Set(names).size).toBe(names.length);
  // The gate holds a slot for each URL that it sends away, and the pass comes back at that time.
  const [first, last] = [world.requests[0]?.startedAt ?? 0, world.requests.at(-1)?.startedAt ?? 0];
  expect(last - first).toBeLessThan(13 * 20_000 * 1.3);
  expect((await reportOf(site)).externals).toMatchObject({ targets: 13, fine: 13 });
});

/** A host rests for twenty seconds after each request. */
function slowly() {
  return { minDelayMs: 20_000, maxDelayMs: 30_000, delayFactor: 5, maxConcurrencyPerHost: 1, maxBytesPerSecond: 0 };
}

test("an instance that begins again from its first step asks nothing twice", async () => {
  const site = await newSite();
  const { world, id } = site;
  const pass = crypto.randomUUID();
  await world.deps.passes.begin(id, pass, world.now, null, { checkExternal: true });
  let isFirst = true;
  const doStep: DoStep = (name, work) =>
    isFirst && name.startsWith("external links") ? Promise.reject(new Error("the instance is lost")) : work();
  const run = () => runPass(new PassRun({ crawl: id, id: pass, checkExternal: true }, doStep, () => world.deps));
  await expect(run()).rejects.toThrow("lost");
  isFirst = false;
  await run();
  expect([...world.fetched].sort()).toEqual(Object.keys(WEB).sort());
  expect((await reportOf(site)).found).toEqual(BROKEN);
});

test("the answers to a pass that ends without a result are not asked for again", async () => {
  const site = await newSite();
  const { world, id } = site;
  const doStep: DoStep = (name, work) => (name.startsWith("queue 1") ? Promise.reject(new Error("for good")) : work());
  await expect(analyzeCrawl(id, world, { checkExternal: true, doStep })).rejects.toThrow("for good");
  const [pass] = await world.deps.passes.list(id);
  if (pass === undefined) throw new Error("there is no pass");
  await world.deps.passes.fail(pass, "for good", world.now);
  await keepAnswers(world.deps, pass);
  await world.deps.passObjects.removePass(pass);
  await analyzeCrawl(id, world, { checkExternal: true });
  expect([...world.fetched].sort()).toEqual(Object.keys(WEB).sort());
  expect((await reportOf(site)).found).toEqual(BROKEN);
});

test("a gate that fails costs its host alone, and a settling that fails loses no answer", async () => {
  const site = await newSite();
  const { world, id } = site;
  const { gate } = world.deps;
  world.deps.gate = (host) => ({
    ...gate(host),
    ...(host === "b.test" ? { admit: () => Promise.reject(new Error("the gate is away")) } : {}),
    ...(host === "c.test" ? { settle: () => Promise.reject(new Error("the gate is away")) } : {}),
  });
  await analyzeCrawl(id, world, { checkExternal: true });
  const { found, externals } = await reportOf(site);
  expect(found).toEqual(BROKEN.filter((line) => !line.includes("b.test")));
  expect(reasonsOf(externals)).toMatchObject({ waits: 6 });
  expect(new Set(world.fetched).size).toBe(world.fetched.length);
});

test("the requests are billed to the crawl", async () => {
  const site = await newSite();
  const before = (await site.world.deps.ledger.crawl(site.id))?.usage.gateRequests ?? 0;
  await analyzeCrawl(site.id, site.world, { checkExternal: true });
  expect(((await site.world.deps.ledger.crawl(site.id))?.usage.gateRequests ?? 0) - before).toBeGreaterThan(5);
});

import { env } from "cloudflare:test";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Crawl } from "../../src/crawl/crawl.ts";
import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import type { CrawlHook } from "../../src/crawl/subject/hook.ts";
import { SeenFilter, SeenFilters } from "../../src/frontier/commit/seen-filter.ts";
import { retryCrawl } from "../../src/lifecycle/retry.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { FIRST_SEED, RUNS } from "./platform/chaos-runs.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { type Answer, type Web, World, type WorldOptions } from "./world.ts";

useModelLedger();

const ROOT = "https://a.test/";

/** Links by page; a page is named by its path. A string is the target of a redirect. */
type Site = Record<string, string[] | string>;

const urlOf = (page: string) => (page.startsWith("https:") ? page : ROOT + page);
const pageOf = (url: string) => url.replace(ROOT, "");

const answerOf = (site: Site, url: string): Answer => {
  const leads = site[pageOf(url)];
  if (leads === undefined) return { status: 404 };
  return typeof leads === "string" ? { redirect: urlOf(leads) } : { links: leads.map(urlOf) };
};

/** `fails`: how often a page answers with an error first. */
const webOf =
  (site: Site, fails: Record<string, number> = {}): Web =>
  (url, attempt) =>
    attempt < (fails[pageOf(url)] ?? 0) ? { status: 500 } : answerOf(site, url);

async function depthsOf(crawl: string, which = "status = 'completed'"): Promise<Record<string, number>> {
  const { results } = await env.LEDGER.prepare(`SELECT url, depth FROM urls WHERE crawl = ?1 AND ${which} ORDER BY url`)
    .bind(crawl)
    .all<{ url: string; depth: number }>();
  return Object.fromEntries(results.map(({ url, depth }) => [pageOf(url), depth]));
}

/** The depths of a walk in breadth. A redirect is no link. */
function walk(site: Site, seeds: string[], most: number): Record<string, number> {
  const depths = new Map<string, number>();
  let level = seeds;
  for (let depth = 0; depth <= most; depth++) {
    const next: string[] = [];
    const open = [...level];
    for (let page = open.pop(); page !== undefined; page = open.pop()) {
      if (depths.has(page)) continue;
      depths.set(page, depth);
      const leads = site[page] ?? [];
      if (typeof leads === "string") open.push(leads);
      else next.push(...leads);
    }
    level = next;
  }
  const read = [...depths].filter(([page]) => Array.isArray(site[page]));
  return Object.fromEntries(read.toSorted(([a], [b]) => (urlOf(a) < urlOf(b) ? -1 : 1)));
}

async function crawl(web: Web, options: Partial<CrawlOptions>, surroundings: WorldOptions = {}, seeds = [""]) {
  const world = new World(web, { keepsLinks: true, ...surroundings });
  const id = await world.start(seeds.map(urlOf), options);
  await world.runToEnd(id);
  await expectCountersExact(id);
  return { world, id };
}

const SITE: Site = { "": ["a", "b"], a: ["x"], b: ["c"], c: ["x"], x: ["y", "z"], y: [], z: [] };

test("a page that is found late by its nearer way brings what lies behind it", async () => {
  const undisturbed = await crawl(webOf(SITE), { depth: 3 });
  const { world, id } = await crawl(webOf(SITE, { a: 1 }), { depth: 3 });
  expect(await depthsOf(id)).toEqual({ "": 0, a: 1, b: 1, c: 2, x: 2, y: 3, z: 3 });
  expect(await depthsOf(id)).toEqual(await depthsOf(undisturbed.id));
  expect(world.fetched.filter((url) => url === urlOf("x"))).toHaveLength(1);
  expect((await world.deps.ledger.crawl(id))?.status).toBe("completed");
  expect(
    await env.LEDGER.prepare("SELECT via FROM urls WHERE crawl = ?1 AND url = ?2").bind(id, urlOf("x")).first(),
  ).toEqual({ via: urlOf("a") });
  expect(await world.deps.ledger.refusals(id)).toEqual([]);
});

test.each([
  ["are not followed behind a nearer way either", true, { y: 3 }],
  ["are followed behind a nearer way by a crawl that ignores them", false, { y: 3, z: 3 }],
])("nofollow links %s", async (_, pageRobots, found) => {
  const site: Site = { ...SITE, x: ["y"] };
  const web: Web = (url, attempt) => {
    const answer = webOf(site, { a: 1 })(url, attempt);
    if (!("links" in answer) || url !== urlOf("x")) return answer;
    return pageRobots ? { ...answer, nofollow: [urlOf("z")] } : { ...answer, links: [urlOf("y"), urlOf("z")] };
  };
  const { id } = await crawl(web, { depth: 3, pageRobots });
  expect(await depthsOf(id)).toEqual({ "": 0, a: 1, b: 1, c: 2, x: 2, ...found });
});

test("a page that answered 304 at the last depth is asked for again when it is nearer", async () => {
  const site: Site = { "": ["a", "b"], a: ["x"], b: ["c"], c: ["x"], x: ["y"], y: [] };
  const web: Web = (url, attempt) => {
    const answer = webOf(site, { a: 1 })(url, attempt);
    return "links" in answer && url === urlOf("x") ? { ...answer, lastModified: 1_000 } : answer;
  };
  const { world, id } = await crawl(web, { depth: 3, modifiedSince: 500 });
  expect(await depthsOf(id, "1")).toEqual({ "": 0, a: 1, b: 1, c: 2, x: 2, y: 3 });
  expect(world.fetched.filter((url) => url === urlOf("x"))).toHaveLength(2);
});

test("a hook that fails on links behind a nearer way is asked about the page alone, and then given up", async () => {
  const hook = {
    urlsFound: async (urls: readonly { url: string }[]) => {
      if (urls.some(({ url }) => url === urlOf("y"))) throw new Error("no answer");
      return urls.map(() => ({}));
    },
  };
  const { world, id } = await crawl(webOf(SITE, { a: 1 }), { depth: 3 }, { hook: hook as unknown as CrawlHook });
  const known = await world.deps.ledger.crawl(id);
  expect(known?.status).toBe("completed");
  expect(await depthsOf(id)).toEqual({ "": 0, a: 1, b: 1, c: 2, x: 2 });
  expect(known?.lastFailure?.what).toContain(urlOf("x"));
});

test("a crawl that was cancelled before it looked again goes on with that when it is retried", async () => {
  const { world, id } = await crawl(webOf(SITE, { a: 1 }), { depth: 3 });
  const { ledger } = world.deps;
  // As if it had been cancelled between the commit that lowered x and the look at its links.
  const change = (sql: string) => env.LEDGER.prepare(sql).bind(id, urlOf("x")).run();
  await change("INSERT INTO lowered (crawl, url) VALUES (?1, ?2)");
  await change("UPDATE crawls SET status = 'cancelled_by_user' WHERE id = ?1 AND ?2 > ''");
  const retry = { status: "cancelled", reason: null, limit: null } as const;
  const again = async () => retryCrawl((await ledger.crawl(id)) as Crawl, retry, world.deps);
  expect(await again()).toEqual({ kind: "retried", retried: 1 });
  expect((await ledger.crawl(id))?.status).toBe("running");
  await world.runToEnd(id);
  expect((await ledger.crawl(id))?.status).toBe("completed");
  expect(await env.LEDGER.prepare("SELECT 1 FROM lowered").first()).toBeNull();
  expect(await again()).toEqual({ kind: "retried", retried: 0 });
});

test("a crawl without a depth limit lowers nothing", async () => {
  const { id } = await crawl(webOf(SITE, { a: 1 }), {});
  expect((await depthsOf(id)).x).toBe(3);
});

const PAGES = ["", "p1", "p2", "p3", "p4", "https://b.test/q5", "https://b.test/q6", "https://b.test/q7", "p8", "p9"];
const page = fc.constantFrom(...PAGES);

/** Where a page leads; null if it always fails. A redirect leads to a later page, so none is a loop. */
const leadsOf = (at: number) => {
  const later = PAGES.slice(at + 1);
  return fc.oneof(
    { weight: 8, arbitrary: fc.uniqueArray(later.length > 0 ? fc.constantFrom(...later) : page, { maxLength: 2 }) },
    { weight: 1, arbitrary: fc.uniqueArray(page, { maxLength: 3 }) },
    ...(later.length === 0 ? [] : [{ weight: 1, arbitrary: fc.constantFrom(...later) }]),
    { weight: 1, arbitrary: fc.constant(null) },
  );
};

/** Each page also leads to the next one that does not fail at first. This long way through the site is read first. */
function siteOf(leads: readonly (string[] | string | null)[], fails: Record<string, number>): Site {
  const entries = PAGES.flatMap((name, at): [string, string[] | string][] => {
    const own = leads[at] ?? null;
    const next = PAGES.slice(at + 1).find((other, i) => !(other in fails) && Array.isArray(leads[at + 1 + i]));
    if (own === null || typeof own === "string" || next === undefined) return own === null ? [] : [[name, own]];
    return [[name, [...new Set([...own, next])]]];
  });
  return Object.fromEntries(entries);
}

const disturbedSites = fc.record({
  site: fc.tuple(...PAGES.map((_, at) => leadsOf(at))),
  fails: fc.dictionary(page, fc.constantFrom(1, 2), { minKeys: 1, maxKeys: 4 }),
  seeds: fc.oneof(
    { weight: 4, arbitrary: fc.constant<string[]>([""]) },
    { weight: 1, arbitrary: fc.uniqueArray(page, { minLength: 1, maxLength: 2 }) },
  ),
  listed: fc.uniqueArray(page, { maxLength: 1 }),
  listedAt: fc.constantFrom(0, 1, 2),
  depth: fc.integer({ min: 2, max: 5 }),
  maxQueued: fc.constantFrom(1, 3, 1_000),
  store: fc.constantFrom("warc" as const, "files" as const),
  breaks: fc.array(fc.constantFrom("", "", "", "before", "after"), { maxLength: 30 }),
  copies: fc.array(fc.constantFrom(1, 1, 2), { maxLength: 30 }),
  forgets: fc.boolean(),
});

/** As in chaos.test.ts. */

test("the completed pages and their depths are those of a walk in breadth, whatever happens", {
  timeout: 60_000 + RUNS * 5_000,
}, async () => {
  let looked = 0;
  await fc.assert(
    fc.asyncProperty(
      disturbedSites,
      async ({ site: leads, fails, seeds, listed, listedAt, depth, breaks, copies, forgets, ...options }) => {
        const site = siteOf(leads, fails);
        const broken = breaks.values();
        const copied = copies.values();
        let commits = 0;
        const breakAt = (when: string, isNow: boolean) => {
          if (isNow) throw new Error(`${when} a commit`);
        };
        let next = "";
        const surroundings: WorldOptions = {
          maxRetries: 1_000,
          sitemaps: (url, attempt) =>
            url !== `${ROOT}sitemap.xml` || listed.length === 0
              ? { status: 404 }
              : attempt < listedAt
                ? { status: 500 }
                : { pages: listed.map((name) => ({ url: urlOf(name), lastmod: null })) },
          copies: () => copied.next().value ?? 1,
          beforeCommit: async (found) => {
            commits += 1;
            for (const { crawl: id } of found) await expectCountersExact(id);
            looked += found.flatMap(({ depths }) => depths?.looked ?? []).length;
            next = broken.next().value ?? "";
            breakAt("before", next === "before");
          },
          afterCommit: () => breakAt("after", next === "after"),
          ...(forgets ? { seen: new SeenFilters(1_000, (memory) => new SeenFilter(memory, 0, 1)) } : {}),
        };
        const { id } = await crawl(
          webOf(site, fails),
          { ...options, depth, source: "all", includeExternalLinks: true },
          surroundings,
          seeds,
        );
        // A page that a sitemap lists is as near as one that a seed links to.
        const isRead = listed.length > 0 && seeds.some((seed) => urlOf(seed).startsWith(ROOT));
        const from = "a sitemap's seed";
        const known = isRead ? walk({ ...site, [from]: listed }, [...seeds, from], depth) : walk(site, seeds, depth);
        delete known[from];
        expect(await depthsOf(id)).toEqual(known);
        expect(commits).toBeGreaterThan(0);
        expect(await env.LEDGER.prepare("SELECT 1 FROM lowered").first()).toBeNull();
      },
    ),
    { numRuns: RUNS, seed: FIRST_SEED },
  );
  expect(looked).toBeGreaterThan(0);
});

import { env } from "cloudflare:test";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Crawl } from "../../src/crawl/crawl.ts";
import { STORES } from "../../src/crawl/crawl-options.ts";
import { readStoredPage } from "../../src/store/read-mirror.ts";
import { type FaultPlan, Faults } from "./faults.ts";
import { expectCountersExact, expectIndexExact } from "./ledger-invariant.ts";
import { type Answer, type Sitemaps, type Web, World } from "./world.ts";

/**
 * Crawls generated sites while the platform fails around the pipeline, and checks the rules of docs/reliability.md.
 * `CHAOS_RUNS` sets the number of runs; `npm run test:chaos` has 500.
 */

const RUNS = Number(env.CHAOS_RUNS ?? 40);
const DELAY_MS = 1_000;
const HOSTS = ["a.test", "b.test", "c.test"];

const node = fc.record({
  kind: fc.constantFrom("page", "page", "page", "redirect", "gone", "noindex", "flaky", "busy"),
  links: fc.array(fc.nat(59), { maxLength: 6 }),
  target: fc.nat(59),
  /** Failed attempts before it answers. */
  failures: fc.integer({ min: 1, max: 2 }),
});
const site = fc.record({
  nodes: fc.array(node, { minLength: 1, maxLength: 30 }),
  hosts: fc.integer({ min: 1, max: HOSTS.length }),
  listed: fc.array(fc.nat(59), { maxLength: 10 }),
  store: fc.constantFrom(...STORES),
  search: fc.boolean(),
  assets: fc.boolean(),
});
type GeneratedSite = typeof site extends fc.Arbitrary<infer T> ? T : never;

const plan: fc.Arbitrary<FaultPlan> = fc.record({
  seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  rate: fc.constantFrom(0.01, 0.05, 0.15),
  budget: fc.integer({ min: 0, max: 60 }),
  // A URL whose lane dies three times is given up as poison, so more kills would change the result.
  kills: fc.integer({ min: 0, max: 2 }),
});

function urlOf({ nodes, hosts }: GeneratedSite, i: number): string {
  const n = i % nodes.length;
  return `https://${HOSTS[n % hosts]}/${n === 0 ? "" : n}`;
}

/** The URL of an asset of page `i`. A style sheet has assets of its own. */
function assetOf(generated: GeneratedSite, i: number, kind: "css" | "png"): string {
  return `${urlOf(generated, i)}?${kind}`;
}

function answers(generated: GeneratedSite): { web: Web; sitemaps: Sitemaps } {
  const { nodes, listed } = generated;
  const byUrl = new Map(nodes.map((one, i) => [urlOf(generated, i), one]));
  const web: Web = (url, attempt): Answer => {
    const [page = url, kind] = url.split("?");
    const one = byUrl.get(page);
    if (one === undefined || one.kind === "gone") return { status: 404 };
    const links = one.links.map((i) => urlOf(generated, i));
    if (one.kind === "redirect")
      return { redirect: kind ? assetOf(generated, one.target, "png") : urlOf(generated, one.target) };
    if (one.kind === "noindex" && kind === undefined) return { links, noindex: "meta robots" };
    if (one.kind === "flaky" && attempt < one.failures) return { status: 500 };
    if (one.kind === "busy" && attempt < one.failures) return { status: 503 };
    if (kind === "png") return { links, type: "image/png" };
    const images = one.links.slice(3).map((i) => assetOf(generated, i, "png"));
    if (kind === "css") return { links, type: "text/css", assets: images };
    const styles = one.links.slice(0, 3).map((i) => assetOf(generated, i, "css"));
    return { links, text: `爬虫 at ${url}`, assets: [...styles, ...images] };
  };
  const sitemaps: Sitemaps = (url) =>
    url === `https://${HOSTS[0]}/sitemap.xml`
      ? { pages: listed.map((i) => ({ url: urlOf(generated, i), lastmod: null })) }
      : { status: 404 };
  return { web, sitemaps };
}

/** Enough retries and attempts for every fault. */
const ENOUGH_RETRIES = { maxRetries: 1_000, maxAttempts: 200 };
/** The defaults of the platform and of the crawl options. */
const DEFAULT_RETRIES = { maxRetries: 5, maxAttempts: 3 };

/** Runs a crawl with these faults. Returns every URL with its status and reason. */
async function crawl(
  generated: GeneratedSite,
  faults: Faults | undefined,
  { maxRetries, maxAttempts } = ENOUGH_RETRIES,
) {
  const { web, sitemaps } = answers(generated);
  const world = new World(web, { sitemaps, maxRetries, ...(faults ? { faults } : {}) });
  const politeness = { minDelayMs: DELAY_MS, maxDelayMs: DELAY_MS, delayFactor: 0, maxConcurrencyPerHost: 1 };
  const options = {
    source: "all" as const,
    store: generated.store,
    maxAttempts,
    politeness,
    maxQueued: 10,
    search: generated.search,
    assets: generated.assets,
  };
  const id = await world.start(
    HOSTS.slice(0, generated.hosts).map((host) => `https://${host}/`),
    options,
  );
  await world.runToEnd(id);
  const { results } = await env.LEDGER.prepare("SELECT url, status, reason FROM urls WHERE crawl = ?1 ORDER BY url")
    .bind(id)
    .all<{ url: string; status: string; reason: string | null }>();
  return { world, id, ends: results.map(({ url, status, reason }) => `${url} ${status} ${reason}`) };
}

/** Every page that is completed in the ledger can be read. */
async function expectMirrored({ deps }: World, id: string, ends: string[]): Promise<void> {
  const state = (await deps.ledger.crawl(id)) as Crawl;
  for (const end of ends) {
    const [url = "", status] = end.split(" ");
    if (status === "completed")
      expect(new TextDecoder().decode((await readStoredPage(state, url, deps))?.body)).toBe(url);
  }
}

/** Rule 3 (pace), and rule 4 (robots.txt is fetched first). */
function expectPolite(world: World): void {
  for (const [host, requests] of Map.groupBy(world.requests, ({ host }) => host)) {
    expect(requests[0]?.url, `first of ${host}`).toContain("/robots.txt");
    for (const [i, { url, startedAt }] of requests.entries()) {
      const before = requests[i - 1];
      if (before !== undefined)
        expect(startedAt - before.endedAt, `${before.url}, then ${url}`).toBeGreaterThanOrEqual(DELAY_MS);
    }
  }
}

test("whatever fails, every URL ends once, with the same result, at the pace of its host", {
  timeout: RUNS * 15_000,
}, async () => {
  const faultCounts: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(site, plan, async (generated, faultPlan) => {
      const undisturbed = await crawl(generated, undefined);
      const faults = new Faults(faultPlan);
      const disturbed = await crawl(generated, faults);
      expect(disturbed.ends).toEqual(undisturbed.ends);
      await expectCountersExact(disturbed.id);
      await expectIndexExact(disturbed.id);
      await expectMirrored(disturbed.world, disturbed.id, disturbed.ends);
      expectPolite(disturbed.world);
      for (const [kind, n] of Object.entries(faults.counts)) faultCounts[kind] = (faultCounts[kind] ?? 0) + n;
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
  console.log("faults injected:", JSON.stringify(faultCounts));
  // The faults do happen.
  expect(Object.keys(faultCounts).length).toBeGreaterThan(8);
});

test("with default retries and any number of kills, every URL with another result was given up", {
  timeout: RUNS * 15_000,
}, async () => {
  const givenUp = new Set(["poison", "dead-letter", "parse", "http-status"]);
  await fc.assert(
    fc.asyncProperty(site, plan, fc.integer({ min: 0, max: 12 }), async (generated, faultPlan, kills) => {
      const undisturbed = new Map((await crawl(generated, undefined)).ends.map((end) => [end.split(" ")[0], end]));
      const { ends, id, world } = await crawl(generated, new Faults({ ...faultPlan, kills }), DEFAULT_RETRIES);
      for (const end of ends) {
        const [url, status, reason] = end.split(" ");
        expect(["pending", "queued"]).not.toContain(status);
        expect(undisturbed.has(url), `${url} is not a URL of the site`).toBe(true);
        if (end !== undisturbed.get(url)) expect(givenUp, end).toContain(reason);
      }
      await expectCountersExact(id);
      await expectIndexExact(id);
      expectPolite(world);
    }),
    { numRuns: Math.ceil(RUNS / 2), endOnFailure: true },
  );
});

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
 * Generated sites crawled while the platform fails around the pipeline, against what always holds
 * (docs/reliability.md). `CHAOS_RUNS` says how many; `npm run test:chaos` has 500.
 */

const RUNS = Number(env.CHAOS_RUNS ?? 40);
const DELAY_MS = 1_000;
const HOSTS = ["a.test", "b.test", "c.test"];

const node = fc.record({
  kind: fc.constantFrom("page", "page", "page", "redirect", "gone", "noindex", "flaky", "busy"),
  links: fc.array(fc.nat(59), { maxLength: 6 }),
  target: fc.nat(59),
  /** Before it answers. */
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
  // A URL whose lane dies three times is held to be the cause: more kills than that cannot give the same set.
  kills: fc.integer({ min: 0, max: 2 }),
});

function urlOf({ nodes, hosts }: GeneratedSite, i: number): string {
  const n = i % nodes.length;
  return `https://${HOSTS[n % hosts]}/${n === 0 ? "" : n}`;
}

/**
 * What a page shows: one that its own site has, and of which it may be that it leads to another, as style sheets do.
 */
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

/** Deliveries and tries for every fault that there is. */
const ENOUGH = { maxRetries: 1_000, maxAttempts: 200 };
/** As the platform and the options have them by default. */
const USUAL = { maxRetries: 5, maxAttempts: 3 };

/** Every URL with its end, after a run in which this went wrong. */
async function crawl(generated: GeneratedSite, faults: Faults | undefined, { maxRetries, maxAttempts } = ENOUGH) {
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

/** What the ledger calls completed can be read. */
async function expectMirrored({ deps }: World, id: string, ends: string[]): Promise<void> {
  const kept = (await deps.ledger.crawl(id)) as Crawl;
  for (const end of ends) {
    const [url = "", status] = end.split(" ");
    if (status === "completed")
      expect(new TextDecoder().decode((await readStoredPage(kept, url, deps))?.body)).toBe(url);
  }
}

/** Rule 3, and that robots.txt comes first, which is rule 4. */
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

test("whatever fails, every URL ends as it would have, once, at the hosts' pace", {
  timeout: RUNS * 15_000,
}, async () => {
  const struck: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(site, plan, async (generated, faultPlan) => {
      const quiet = await crawl(generated, undefined);
      const faults = new Faults(faultPlan);
      const loud = await crawl(generated, faults);
      expect(loud.ends).toEqual(quiet.ends);
      await expectCountersExact(loud.id);
      await expectIndexExact(loud.id);
      await expectMirrored(loud.world, loud.id, loud.ends);
      expectPolite(loud.world);
      for (const [kind, n] of Object.entries(faults.counts)) struck[kind] = (struck[kind] ?? 0) + n;
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
  console.log("faults injected:", JSON.stringify(struck));
  // The layer does what it says.
  expect(Object.keys(struck).length).toBeGreaterThan(8);
});

test("with the platform's own patience, however often it is killed: what does not end as it would have says that it was given up", {
  timeout: RUNS * 15_000,
}, async () => {
  const givenUp = new Set(["poison", "dead-letter", "parse", "http-status"]);
  await fc.assert(
    fc.asyncProperty(site, plan, fc.integer({ min: 0, max: 12 }), async (generated, faultPlan, kills) => {
      const quiet = new Map((await crawl(generated, undefined)).ends.map((end) => [end.split(" ")[0], end]));
      const { ends, id, world } = await crawl(generated, new Faults({ ...faultPlan, kills }), USUAL);
      for (const end of ends) {
        const [url, status, reason] = end.split(" ");
        expect(["pending", "queued"]).not.toContain(status);
        expect(quiet.has(url), `${url} was never there`).toBe(true);
        if (end !== quiet.get(url)) expect(givenUp, end).toContain(reason);
      }
      await expectCountersExact(id);
      await expectIndexExact(id);
      expectPolite(world);
    }),
    { numRuns: Math.ceil(RUNS / 2), endOnFailure: true },
  );
});

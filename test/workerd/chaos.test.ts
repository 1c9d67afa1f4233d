import { beforeAll, expect, test } from "vitest";
import { addUsage, type Usage } from "../../src/crawl/bounds/usage.ts";
import type { Crawl } from "../../src/crawl/crawl.ts";
import { type CrawlOptions, DEFAULT_OPTIONS, hasDepthLimit, STORES } from "../../src/crawl/crawl-options.ts";
import { PROOF_PATH } from "../../src/host/ownership-proof.ts";
import { DOCUMENT_KINDS } from "../../src/media/kind/document-kinds.ts";
import { IN_FLIGHT_MS } from "../../src/store/installation/deletions.ts";
import { expectCountersExact, expectIndexExact } from "./ledger-invariant.ts";
import { FIRST_SEED, IS_TRACED, RUNS } from "./platform/chaos-runs.ts";
import {
  endsOf,
  expectBillSane,
  expectDocumentsRead,
  expectDrawn,
  expectFewRequests,
  expectFieldsKept,
  expectGone,
  expectGuestLimits,
  expectMirrored,
  expectNoFlood,
  expectPolite,
  partsIn,
  watchLimit,
} from "./platform/checks.ts";
import { act, DEEDS, type Deed, finish, LOW_LIMIT, NO_LIMIT } from "./platform/deeds.ts";
import type { FaultPlan } from "./platform/faults.ts";
import type { HookRules } from "./platform/hook.ts";
import { expectDescribed } from "./platform/media-checks.ts";
import { Platform } from "./platform/platform.ts";
import { Random } from "./platform/random.ts";
import { drawHook, generateSite, MAX_DOCUMENT_BYTES, type Site, urlOf, webOf } from "./platform/sites.ts";
import { startByList } from "./platform/start-by-list.ts";
import { clear, withStorage } from "./platform/storage.ts";
import { expectExhausted, JUDGED_PAGES, judgeByFewPages } from "./platform/until-checks.ts";
import { expectNearest } from "./platform/walk.ts";
import type { Web } from "./platform/web.ts";

/**
 * Crawls generated sites in the model of the platform (test/workerd/platform), with faults in everything and with users
 * who stop, limit, retry and delete, and checks the rules of docs/reliability.md.
 *
 * `CHAOS_RUNS` sets the number of sites. A site is a seed: `CHAOS_SEED=123 CHAOS_RUNS=1` repeats the one that failed,
 * and `CHAOS_TRACE=1` prints what happened in it.
 */

const DELAY_MS = 1_000;
const MAX_DELAY_MS = 5_000;
/** A URL fails at most twice; a reader that fails has its document fetched again. */
const REQUESTS_NEEDED = 6;
/** Sites that fail before the test gives up. */
const MAX_FAILED = 3;

/** One crawl of a site. */
interface Order {
  seeds: string[];
  options: Partial<CrawlOptions>;
  deeds: Deed[];
  /** Whether its seeds come from a list, in portions. */
  isListed: boolean;
}

/** By host: OWN_HOSTS lists it, it proves that it is own, or neither. */
type Owners = ReadonlyMap<string, "listed" | "proving" | "foreign">;

interface Plan {
  site: Site;
  orders: Order[];
  hook: HookRules | null;
  /** Whose the hosts are. */
  owners: Owners;
  /** What large bodies may hold together: as much as one or two documents, or more than there are. */
  budgetBytes: number;
  faults: FaultPlan;
  consumers: number;
  /** Queues that are nearly empty deliver smaller batches than they may. */
  batchSize: number;
  /** Crawls are spread over so many. */
  ledgers: number;
  maxRetries: number;
  /** With the platform's own limits, faults make a crawl give up URLs, and a retry after them completes it. */
  again: boolean;
}

function planOf(seed: number, isFaulty: boolean): Plan {
  const random = new Random(seed);
  const site = generateSite(random);
  const again = random.chance(0.4);
  const ledgers = random.oneOf([1, 1, 3, 8]);
  const orders = Array.from({ length: random.oneOf([1, 1, 2, 3]) }, () => {
    const order = orderOf(site, again, random);
    return ledgers > 1 && random.chance(0.6) ? divided(order, ledgers) : order;
  });
  const owners: Owners = new Map(site.hosts.map((host) => [host, random.oneOf(["listed", "proving", "foreign"])]));
  const seeds = new Set(orders.flatMap((order) => order.seeds));
  const isDeep = orders.some(({ options }) => hasDepthLimit({ ...DEFAULT_OPTIONS, ...options }));
  const hook = random.chance(0.5) ? drawHook(site, { seeds, hasDepthLimit: isDeep }, random) : null;
  const budgetBytes = random.oneOf([1_000_000, 32 * 1_048_576]);
  const faults = {
    rate: isFaulty ? random.oneOf([0.01, 0.03, 0.1]) : 0,
    budget: random.between(1, 80),
    // A URL whose lane is lost three times is given up as poison.
    kills: again ? random.between(0, 12) : random.between(0, 2),
  };
  const consumers = random.oneOf([1, 3, 20, 250]);
  const batchSize = random.between(1, 5);
  return {
    site,
    orders,
    owners,
    hook,
    budgetBytes,
    faults,
    consumers,
    batchSize,
    ledgers,
    maxRetries: again ? 5 : 1_000,
    again,
  };
}

/** The order as one crawl over several ledgers can have it. */
function divided({ seeds, options, deeds }: Order, shards: number): Order {
  const alone = { topic: "", until: 0, like: [], session: "" };
  return { seeds, options: { ...options, ...alone, shards }, deeds, isListed: false };
}

/** Its name. */
const SESSION = "of-a-member";

function orderOf(site: Site, again: boolean, random: Random): Order {
  const hosts = site.hosts.slice(0, random.between(1, site.hosts.length));
  const page = random.between(0, site.nodes.length - 1);
  // A seed that redirects takes its target's host into the crawl, so what was found before depends on the order.
  const isRedirected = [0, page].some((i) => site.nodes[i]?.kind === "redirect");
  // A subject changes the order alone, and with `until` the crawl may end before it has all.
  const isHurried = random.chance(0.3);
  const topic = random.chance(0.4) ? "爬虫 page" : "";
  const deeds = random.chance(0.5) ? [] : Array.from({ length: random.between(1, 2) }, () => random.oneOf(DEEDS));
  return {
    seeds: [...new Set([...hosts.map((host) => `https://${host}/`), urlOf(site, page)])],
    options: {
      source: random.oneOf(["all", "all", "links"]),
      store: random.oneOf(STORES),
      search: random.chance(0.5),
      assets: random.chance(0.3),
      media: random.chance(0.6),
      // What scripts make here is text alone, so what is learned about it changes no links.
      render: random.oneOf(["never", "never", "never", "auto", "always"]),
      // With a limit that is raised, pages must be left pending.
      maxQueued: deeds.includes("limit") ? 3 : random.oneOf([3, 10, 100_000]),
      maxAttempts: again ? 3 : 200,
      maxRedirects: 100,
      documents: random.chance(0.8) ? [...DOCUMENT_KINDS] : [],
      maxDocumentBytes: MAX_DOCUMENT_BYTES,
      includeExternalLinks: isRedirected || random.chance(0.5),
      depth: random.chance(0.5) ? DEFAULT_OPTIONS.depth : random.between(0, 5),
      politeness: {
        minDelayMs: isHurried ? random.oneOf([0, 0, 50]) : DELAY_MS,
        maxDelayMs: MAX_DELAY_MS,
        // A factor that makes fractions of milliseconds.
        delayFactor: random.oneOf([0, 1.37]),
        maxConcurrencyPerHost: isHurried ? random.oneOf([1, 3, 32]) : 1,
        maxBytesPerSecond: 0,
      },
      limit: deeds.includes("limit") ? LOW_LIMIT : NO_LIMIT,
      maxDurationS: deeds.includes("time limit") ? random.between(60, 600) : 0,
      topic,
      until: topic !== "" && random.chance(0.6) ? random.oneOf([0.3, 0.6, 0.9]) : 0,
      // Pages with an odd number lead to those with an even one.
      savePatterns: random.chance(0.2) ? ["regex:[02468]$"] : [],
      like: random.chance(0.2) ? [urlOf(site, page)] : [],
      // The model's sites let everybody in: it costs their pace, and calls that may fail.
      session: random.chance(0.3) ? SESSION : "",
    },
    deeds,
    isListed: random.chance(0.3),
  };
}

function isInHurry({ politeness }: Partial<CrawlOptions>): boolean {
  return politeness !== undefined && (politeness.minDelayMs < DELAY_MS || politeness.maxConcurrencyPerHost > 1);
}

/** The site, whose hosts name the installation's key as they do. */
function webAndOwners({ site, owners }: Plan): { web: Web; ownHosts: string } {
  const web = webOf(site);
  const listed = [...owners].flatMap(([host, owner]) => (owner === "listed" ? [host] : []));
  return {
    ownHosts: listed.join(" "),
    web: (url, attempt, now) => {
      const isProof = url.endsWith(PROOF_PATH) && owners.get(new URL(url).hostname) === "proving";
      return isProof ? { kind: "page", links: [] } : web(url, attempt, now);
    },
  };
}

/** From when a host is own. */
function ownFrom({ web }: Platform, host: string, owner: "listed" | "proving" | "foreign"): number {
  if (owner !== "proving") return owner === "listed" ? 0 : Number.POSITIVE_INFINITY;
  const proof = web.requests.find((request) => request.host === host && request.url.endsWith(PROOF_PATH));
  return proof?.endedAt ?? Number.POSITIVE_INFINITY;
}

/** The ends of each crawl of the plan when nothing fails and nobody acts. */
async function undisturbed(plan: Plan, storage: DurableObjectStorage): Promise<string[][]> {
  clear(storage);
  const { site, orders, hook } = plan;
  const platform = new Platform(storage, { seed: 0, ...webAndOwners(plan), consumers: 1, hook });
  return platform.run(async () => {
    const ids = [];
    for (const { seeds, options } of orders) {
      ids.push(
        await platform.start(seeds, {
          ...options,
          ...{ limit: NO_LIMIT, maxDurationS: 0, maxAttempts: 200, until: 0, shards: 1 },
        }),
      );
    }
    for (const id of ids) await finish(platform, id, null);
    for (const [i, id] of ids.entries()) expectNearest(platform, id, { site, hook, ...(orders[i] as Order) });
    return Promise.all(ids.map((id) => endsOf(platform, id)));
  });
}

/** The crawl with what all its parts have used. */
function withUsage(platform: Platform, crawl: Crawl): Crawl {
  const usage: Usage = {};
  for (const part of partsIn(platform, crawl.id)) {
    const [row] = platform.database.rows<{ usage: string }>("SELECT usage FROM crawls WHERE id = ?1", part);
    addUsage(usage, JSON.parse(row?.usage ?? "{}") as Usage);
  }
  return { ...crawl, usage };
}

beforeAll(judgeByFewPages);

const urlOfEnd = (end: string): string => end.split(" ")[0] ?? "";

interface Totals {
  faults: Record<string, number>;
  deeds: Record<string, number>;
  urls: number;
  messages: number;
  beats: number;
  repairs: number;
  virtualHours: number;
  mostConsumers: number;
  dead: number;
  /** Files that were described. */
  described: number;
  /** Sites with a crawl that asks for more than a guest gets. */
  hurried: number;
  /** Crawls of a list. */
  listed: number;
  /** Crawls over several ledgers. */
  divided: number;
  /** Ends of crawls that found too little on their subject. */
  exhausted: number;
}

async function disturbed(
  seed: number,
  plan: Plan,
  expected: string[][],
  storage: DurableObjectStorage,
  totals: Totals,
) {
  clear(storage);
  const { orders, again } = plan;
  const trace: string[] | null = IS_TRACED ? [] : null;
  // A patient installation gives up no URL through faults.
  const failures = again ? 8 : 1_000;
  const platform = new Platform(storage, { ...plan, ...webAndOwners(plan), failures, seed, trace });
  const db = platform.database.bindingOf(null);
  try {
    // Crawls that ended for too little on their subject, and were set running again.
    let takenUp = 0;
    const parts = new Map<string, string[]>();
    const startedAt = platform.time.now();
    const states = await platform.run(async () => {
      const ids: string[] = [];
      for (const { seeds, options, isListed } of orders)
        ids.push(await (isListed ? startByList(platform, seeds, options) : platform.start(seeds, options)));
      for (const id of ids) parts.set(id, partsIn(platform, id));
      const wronglySkipped = ids
        .filter((_, i) => orders[i]?.deeds.includes("limit"))
        .map((id) => watchLimit(platform, id, NO_LIMIT));
      const done = await Promise.all(
        orders.map(async ({ deeds }, i) => {
          const id = ids[i] as string;
          const ownTime = new Random(seed + i);
          await Promise.all(deeds.map((deed) => act(platform, id, deed, ownTime)));
          const ends = expected[i] ?? [];
          let exhausted = 0;
          const state = await finish(platform, id, again ? ends : null, async (ended) => {
            if (await expectExhausted(platform, ended, { ends, deeds, again })) exhausted += 1;
          });
          totals.exhausted += exhausted;
          takenUp += exhausted;
          // After a retry the last pages count anew.
          const most = (ends.length + platform.faults.total) / JUDGED_PAGES;
          expect(exhausted, "ends for too little on the subject").toBeLessThanOrEqual(most);
          return state;
        }),
      );
      // Invocations that were held up do not know that their crawl has ended. A deletion and a sweep wait for them.
      await platform.time.sleep(300_000);
      if (done.includes(null) || platform.documents.backlog > 0) await platform.time.sleep(2 * IN_FLIGHT_MS);
      for (const [i, id] of ids.entries())
        if (done[i] === null) for (const part of parts.get(id) ?? [id]) await expectGone(platform, part);
      expect(wronglySkipped.flat()).toEqual([]);
      return Promise.all(ids.map((id) => platform.reader.ledger.crawl(id)));
    });
    for (const [i, state] of states.entries()) {
      const isDeleted = orders[i]?.deeds.includes("delete");
      if (isDeleted) {
        expect(state).toBeNull();
        continue;
      }
      const crawl = state as Crawl;
      const ends = await endsOf(platform, crawl.id);
      expect(ends).toEqual(expected[i]);
      expectNearest(platform, crawl.id, { ...plan, ...(orders[i] as Order) });
      if (plan.faults.rate === 0) expect(crawl.lastFailure, "a failure without a fault").toBeNull();
      const own = partsIn(platform, crawl.id);
      expect(own).toHaveLength(crawl.options.shards);
      if (own.length > 1) totals.divided += 1;
      let described = 0;
      for (const part of own) {
        const state = (await platform.reader.ledger.crawl(part)) as Crawl;
        expect(state.status).toBe(crawl.status);
        await expectCountersExact(part, db);
        await expectIndexExact(part, db);
        const files = await expectDescribed(platform, state);
        const { results } = await db.prepare("SELECT url FROM urls WHERE crawl = ?1").bind(part).all<{ url: string }>();
        const urls = new Set(results.map(({ url }) => url));
        const stored = ends.filter((end) => urls.has(urlOfEnd(end)) && !files.has(urlOfEnd(end)));
        await expectMirrored(state, stored, platform.reader);
        described += files.size;
        expectDrawn(platform, state);
        await expectFieldsKept(platform, part);
      }
      totals.described += described;
      expect(platform.database.rows("SELECT * FROM shard_outbox")).toEqual([]);
      totals.urls += ends.length;
    }
    if (plan.faults.rate === 0) expect(platform.errors).toEqual([]);
    const cut = platform.database.rows("SELECT url FROM urls WHERE truncated IS NOT NULL");
    if (platform.faults.total === 0) expect(cut, "pages that broke off").toEqual([]);
    expect(platform.database.violations, "statements that the database refused").toEqual([]);
    const factors = orders.map(({ options }) => options.politeness?.delayFactor ?? 0);
    // How long a request took whose answer was lost, nobody knows.
    const delayFactor = plan.faults.rate === 0 ? Math.min(...factors) : 0;
    const isHurried = orders.some(({ options }) => isInHurry(options));
    expectPolite(platform, isHurried ? null : { delayMs: DELAY_MS, delayFactor, maxDelayMs: MAX_DELAY_MS });
    const ownSince = new Map([...plan.owners].map(([host, owner]) => [host, ownFrom(platform, host, owner)]));
    expectGuestLimits(platform, (host) => ownSince.get(host) ?? Number.POSITIVE_INFINITY);
    if (isHurried) totals.hurried += 1;
    totals.listed += orders.filter(({ isListed }) => isListed).length;
    const deeds = orders.flatMap((order) => order.deeds);
    expectNoFlood(platform, expected.flat().length, deeds.length + takenUp);
    expectFewRequests(platform, REQUESTS_NEEDED * orders.length, deeds.length);
    expectDocumentsRead(platform);
    expectBillSane(
      platform,
      states.flatMap((state) => (state === null ? [] : withUsage(platform, state))),
    );
    for (const deed of deeds) totals.deeds[deed] = (totals.deeds[deed] ?? 0) + 1;
    for (const [kind, n] of Object.entries(platform.faults.counts))
      totals.faults[kind] = (totals.faults[kind] ?? 0) + n;
    totals.messages += platform.frontier.counts.sent;
    totals.dead += platform.frontier.counts.dead;
    totals.beats += platform.counts.beats;
    totals.repairs += platform.counts.repairs;
    totals.virtualHours += (platform.time.now() - startedAt) / 3_600_000;
    totals.mostConsumers = Math.max(totals.mostConsumers, platform.frontier.mostConsumers);
  } catch (error) {
    const what = {
      seed,
      faults: platform.faults.counts,
      deeds: orders.map(({ deeds }) => deeds),
      again,
      consumers: plan.consumers,
      shards: orders.map(({ options }) => options.shards),
    };
    console.log("failed:", JSON.stringify(what), platform.errors.slice(-5));
    if (trace !== null) console.log(trace.join("\n"));
    throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

test("whatever fails and whatever users do, every URL ends once, with the same result, at the pace of its host", {
  timeout: 60_000 + RUNS * 10_000,
}, async () => {
  const totals: Totals = {
    faults: {},
    deeds: {},
    urls: 0,
    messages: 0,
    beats: 0,
    repairs: 0,
    virtualHours: 0,
    mostConsumers: 0,
    dead: 0,
    described: 0,
    hurried: 0,
    listed: 0,
    divided: 0,
    exhausted: 0,
  };
  const failed: unknown[] = [];
  await withStorage(async (storage) => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + RUNS && failed.length < MAX_FAILED; seed++) {
      // Every second site has faults in everything; the others have only users, and many consumers.
      const plan = planOf(seed, seed % 2 === 1);
      const crawling = undisturbed(plan, storage).catch((error) => {
        throw new Error(`seed ${seed}, undisturbed: ${error}`, { cause: error });
      });
      await crawling
        .then((expected) => disturbed(seed, plan, expected, storage, totals))
        .catch((error) => failed.push(error));
    }
  });
  console.log("chaos:", JSON.stringify(totals));
  if (failed.length > 0) throw new AggregateError(failed, failed.map(String).join("\n"));
});

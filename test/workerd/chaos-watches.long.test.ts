import { expect, test } from "vitest";
import { type CrawlOptions, STORES } from "../../src/crawl/crawl-options.ts";
import type { Watch } from "../../src/crawl/watch/watch.ts";
import { deleteCrawl } from "../../src/lifecycle/delete-crawl.ts";
import { watchCrawl } from "../../src/lifecycle/watch.ts";
import { DOCUMENT_KINDS } from "../../src/media/kind/document-kinds.ts";
import { IN_FLIGHT_MS } from "../../src/store/installation/deletions.ts";
import "./silence-log.ts";
import { expectCountersExact, expectIndexExact } from "./ledger-invariant.ts";
import { FIRST_SEED, IS_TRACED, RUNS } from "./platform/chaos-runs.ts";
import { expectDocumentsKnown, expectGone, expectPolite } from "./platform/checks.ts";
import { insist, LOW_LIMIT, NO_LIMIT } from "./platform/deeds.ts";
import type { FaultPlan } from "./platform/faults.ts";
import { drawLivingHook } from "./platform/living-hook.ts";
import { LivingSite } from "./platform/living-site.ts";
import { Platform } from "./platform/platform.ts";
import { Random } from "./platform/random.ts";
import { clear, withStorage } from "./platform/storage.ts";
import { actOnWatch, cancelWatch, type Life, WATCH_DEEDS, type WatchDeed } from "./platform/watch-deeds.ts";
import { WatchRules } from "./platform/watch-rules.ts";
import { WATCH } from "./rows.ts";

/**
 * Watches sites that change, in the model of the platform (test/workerd/platform), with faults in everything and with
 * users who pause, retry, change the interval, cancel and delete. A world has acts: in each the site lives for a while,
 * then it is quiet for so long that the watch must have noticed all.
 *
 * There is a world for 20 runs of `CHAOS_RUNS`; `CHAOS_SEED` is the first one, and `CHAOS_TRACE=1` prints what happened
 * in it: see chaos.test.ts.
 */

const WORLDS = Math.ceil(RUNS / 20);
/** Sites that fail before the test gives up. */
const MAX_FAILED = 3;
const DELAY_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Before virtual time begins. */
const FIRST_PAGES_AT = 900_000_000;

interface Plan {
  watch: Watch;
  options: Partial<CrawlOptions>;
  faults: FaultPlan;
  acts: { ms: number; edits: number; deeds: WatchDeed[] }[];
  end: "stay" | "cancel" | "delete";
  /** Whether it is a crawl at first. */
  isWatchedLater: boolean;
  hasHook: boolean;
  consumers: number;
  beatMs: number;
}

function planOf(seed: number): Plan {
  const random = new Random(seed);
  const everyH = random.oneOf([1, 2]);
  const acts = Array.from({ length: random.between(1, 2) }, () => ({
    ms: random.between(2, 20) * everyH * HOUR_MS,
    edits: random.between(0, 15),
    deeds: Array.from({ length: random.oneOf([0, 1, 1, 2, 3]) }, () => random.oneOf(WATCH_DEEDS)),
  }));
  const hasLowLimit = acts[0]?.deeds.includes("raise the limit") ?? false;
  return {
    watch: {
      ...WATCH,
      everyS: everyH * 3_600,
      fixed: random.chance(0.5),
      ...(random.chance(0.25) ? { keepDays: 1 } : {}),
    },
    options: {
      source: random.oneOf(["links", "all"]),
      store: random.oneOf(STORES),
      search: random.chance(0.3),
      maxAttempts: 2,
      documents: [...DOCUMENT_KINDS],
      maxQueued: random.oneOf([3, 100_000]),
      limit: hasLowLimit ? LOW_LIMIT : NO_LIMIT,
      includeExternalLinks: true,
      // The home page, which lists all, is not among them.
      savePatterns: random.chance(0.2) ? ["regex:[a-m]$"] : [],
    },
    faults: {
      rate: random.oneOf([0, 0.001, 0.003, 0.01]),
      budget: random.between(1, 200),
      kills: random.between(0, 30),
    },
    acts,
    end: random.oneOf(["stay", "stay", "cancel", "delete"]),
    isWatchedLater: random.chance(0.3),
    hasHook: random.chance(0.4),
    consumers: random.oneOf([1, 3, 20]),
    beatMs: random.oneOf([600_000, 900_000]),
  };
}

interface Totals {
  faults: Record<string, number>;
  deeds: Record<string, number>;
  told: Record<string, number>;
  visits: Record<string, number>;
  beats: number;
  virtualDays: number;
}

/** After this time without changes, a watch has told all: a host in trouble delays it for a day. */
function quietMs(everyMs: number, plan: Plan): number {
  return goneMs(everyMs, plan) + 1.5 * DAY_MS + 2 * everyMs;
}

/** A page that is gone is asked for at each 16th interval (docs/watch.md). */
function goneMs(everyMs: number, plan: Plan): number {
  return 16 * everyMs + boundMs(everyMs, plan);
}

/**
 * The longest time between two visits of a page, with what the budget holds back. A heartbeat visits an eighth of the
 * pages at most, or one, however long it was away (revisit/visit-budget.ts): 16 of them come to each page.
 */
function boundMs(everyMs: number, { watch, beatMs }: Plan): number {
  const lap = Math.max(watch.fixed ? 2 * everyMs : 8 * everyMs, everyMs + 16 * beatMs);
  return lap + HOUR_MS;
}

async function live(seed: number, plan: Plan, storage: DurableObjectStorage, totals: Totals): Promise<void> {
  clear(storage);
  const trace: string[] | null = IS_TRACED ? [] : null;
  const random = new Random(seed + 1_000_000);
  const site = new LivingSite(random, FIRST_PAGES_AT);
  const { faults, consumers, beatMs } = plan;
  const hook = plan.hasHook ? drawLivingHook(site, random) : null;
  const platform = new Platform(storage, { seed, web: site.answer, hook, faults, consumers, beatMs, trace });
  const { time } = platform;
  const db = platform.database.bindingOf(null);
  const jumps: number[] = [];
  const deeds = plan.acts.flatMap((act) => act.deeds);
  const isReopened = deeds.includes("retry") || deeds.includes("raise the limit");
  const startedAt = time.now();
  try {
    await platform.run(async () => {
      const politeness = {
        minDelayMs: DELAY_MS,
        maxDelayMs: 5_000,
        delayFactor: 0,
        maxConcurrencyPerHost: 1,
        maxBytesPerSecond: 0,
      };
      const options = { ...plan.options, politeness, watch: plan.isWatchedLater ? null : plan.watch };
      const id = await platform.start([site.home], options);
      const rules = new WatchRules(platform, id);
      const life: Life = { platform, crawl: id, site, random, jumps };
      if (plan.isWatchedLater) {
        await time.sleep(random.between(0, HOUR_MS));
        await insist(platform, (deps) => watchCrawl(id, plan.watch, deps));
        const crawl = await platform.reader.ledger.crawl(id);
        // It ended before that, and nothing of its site is to be saved: there is nothing to watch.
        if (crawl?.status === "errored") {
          expect(plan.options.savePatterns).not.toEqual([]);
          expect(crawl.counters.completed).toBe(0);
          return;
        }
      }
      for (const { ms, edits, deeds } of plan.acts) {
        platform.faults.isOn = true;
        const later = async (act: () => unknown) => {
          await time.sleep(random.between(0, ms));
          await act();
        };
        await Promise.all([
          time.sleep(ms),
          ...Array.from({ length: edits }, () => later(() => site.edit(time.now()))),
          ...deeds.map((deed) => later(() => actOnWatch(deed, life))),
        ]);
        platform.faults.isOn = false;
        const { watch } = (await platform.reader.ledger.crawl(id))?.options ?? {};
        const everyMs = (watch?.everyS ?? 0) * 1_000;
        await time.sleep(quietMs(everyMs, plan));
        const crawl = await platform.reader.ledger.crawl(id);
        expect(crawl?.status).toBe("watching");
        expect(rules.violations).toEqual([]);
        await expectCountersExact(id, db);
        await expectIndexExact(id, db);
        // A put whose answer is lost leaves a document if the page is none at its next attempt.
        await expectDocumentsKnown(platform, platform.faults.total);
        await rules.expectTrue(site, { answeringMs: boundMs(everyMs, plan), goneMs: goneMs(everyMs, plan) });
        const isInOrder = jumps.length === 0;
        await rules.expectVersions(site, { isAllKept: plan.watch.keepDays === undefined, isInOrder });
        if (!isReopened) expect(rules.reopened).toBe(0);
        for (const [result, n] of Object.entries(crawl?.visits ?? {}))
          totals.visits[result] = (totals.visits[result] ?? 0) + n;
      }
      for (const { kind, n } of platform.database.rows<{ kind: string; n: number }>(
        "SELECT kind, count(*) AS n FROM changes GROUP BY kind",
      ))
        totals.told[kind] = (totals.told[kind] ?? 0) + n;
      if (plan.end === "stay") return;
      platform.faults.isOn = true;
      await time.sleep(random.between(0, 3 * HOUR_MS));
      if (plan.end === "cancel") {
        await cancelWatch(platform, id);
        await time.sleep(HOUR_MS);
        const requests = platform.web.requests.length;
        await time.sleep(10 * HOUR_MS);
        expect(platform.web.requests.length, "requests after the cancel").toBe(requests);
        await expectCountersExact(id, db);
      } else {
        await insist(platform, (deps) => deleteCrawl(id, true, deps));
        await time.sleep(2 * IN_FLIGHT_MS + 10 * beatMs);
        await expectGone(platform, id);
      }
      expect(rules.violations).toEqual([]);
    });
    expectPolite(platform, { delayMs: DELAY_MS }, jumps);
    expect(platform.database.violations, "statements that the database refused").toEqual([]);
    const leastEveryMs = deeds.includes("interval") ? HOUR_MS : plan.watch.everyS * 1_000;
    const intervals = (time.now() - startedAt) / leastEveryMs;
    const asked = platform.web.requests.filter(({ url }) => site.pages.has(url)).length;
    expect(asked, "requests").toBeLessThanOrEqual(2 * site.pages.size * intervals + 20 * platform.faults.total + 100);
    for (const deed of [...deeds, plan.end]) totals.deeds[deed] = (totals.deeds[deed] ?? 0) + 1;
    for (const [kind, n] of Object.entries(platform.faults.counts))
      totals.faults[kind] = (totals.faults[kind] ?? 0) + n;
    totals.beats += platform.counts.beats;
    totals.virtualDays += (time.now() - startedAt) / DAY_MS;
  } catch (error) {
    const what = { seed, faults: platform.faults.counts, deeds, end: plan.end, watch: plan.watch, beatMs };
    console.log("failed:", JSON.stringify(what), platform.errors.slice(-5));
    if (trace !== null) console.log(trace.join("\n"));
    throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

test("whatever fails and whatever users do, a watch visits every page, and tells each change once", {
  timeout: 60_000 + WORLDS * 30_000,
}, async () => {
  const totals: Totals = { faults: {}, deeds: {}, told: {}, visits: {}, beats: 0, virtualDays: 0 };
  const failed: unknown[] = [];
  await withStorage(async (storage) => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + WORLDS && failed.length < MAX_FAILED; seed++) {
      await live(seed, planOf(seed), storage, totals).catch((error) => failed.push(error));
    }
  });
  console.log("chaos of watches:", JSON.stringify(totals));
  if (failed.length > 0) throw new AggregateError(failed, failed.map(String).join("\n"));
});

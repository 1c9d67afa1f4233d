import type { Crawl } from "../../../src/crawl/crawl.ts";
import type { Deps } from "../../../src/frontier/deps.ts";
import { deleteCrawl } from "../../../src/lifecycle/delete-crawl.ts";
import { retryCrawl } from "../../../src/lifecycle/retry.ts";
import { amendCrawl, cancelCrawl, resumeCrawl } from "../../../src/lifecycle/start.ts";
import { cancelByUser, pauseByUser } from "../../../src/lifecycle/stop.ts";
import type { Retry } from "../../../src/store/ledger/retrying.ts";
import { endsOf, partsIn } from "./checks.ts";
import type { Platform } from "./platform.ts";
import type { Random } from "./random.ts";

/**
 * What users do to a crawl at any moment. Whatever they do, a crawl that is not deleted must end with the same URLs and
 * outcomes as one that was left alone, once what was stopped or limited has been retried.
 */

export const DEEDS = ["pause", "cancel", "time limit", "limit", "retry", "delete"] as const;
export type Deed = (typeof DEEDS)[number];

/** The first limit of a crawl whose limit is raised later. */
export const LOW_LIMIT = 5;
export const NO_LIMIT = 100_000;

/** Virtual time after which a crawl counts as one that never ends. */
const TOO_LONG_MS = 2 * 86_400_000;
const POLL_MS = 10_000;
/** Virtual time after which nobody acts any more. */
const LATEST_MS = 200_000;
/** Retries after which a crawl counts as one that cannot be finished. */
const MOST_RETRIES = 500;

/** Repeats a request until the platform lets it through, as a person would. */
export async function insist<T>(platform: Platform, operation: (deps: Deps) => Promise<T>): Promise<T> {
  for (;;) {
    const answer = await platform.request(async (deps) => ({ done: await operation(deps) })).catch(() => null);
    if (answer !== null) return answer.done;
    await platform.time.sleep(platform.random.between(500, 5_000));
  }
}

/** Does the deed to the crawl after some time. */
export async function act(platform: Platform, crawl: string, deed: Deed, random: Random): Promise<void> {
  const { time } = platform;
  // Early moments are the most interesting, and late ones happen too.
  const atMs = random.between(0, random.oneOf([2_000, 20_000, LATEST_MS]));
  const pages = deed === "limit" ? LOW_LIMIT : random.between(0, 2 * LOW_LIMIT);
  if (random.chance(0.5)) await time.sleep(atMs);
  else await transactionAt(platform, crawl, pages, LATEST_MS);
  // A commit's answer is under way now, and what follows from it.
  await time.sleep(random.between(0, 20));
  switch (deed) {
    case "pause":
      await insist(platform, async (deps) => {
        const state = await deps.ledger.crawl(crawl);
        if (state !== null) await pauseByUser(state, deps);
      });
      await time.sleep(random.between(0, random.oneOf([1_000, 300_000])));
      await insist(platform, (deps) => resumeCrawl(crawl, deps));
      return;
    case "cancel":
      // A request that ends between its two steps leaves the second one to the heartbeat.
      if (partsIn(platform, crawl).length > 1)
        await insist(platform, async (deps) => {
          const state = await deps.ledger.crawl(crawl);
          if (state !== null) await cancelByUser(state, deps);
        });
      else if (random.chance(0.5))
        await insist(platform, ({ ledger }) => ledger.cancel(crawl, "cancelled_by_user", time.now()));
      else await insist(platform, (deps) => cancelCrawl(crawl, "cancelled_by_user", deps));
      return;
    case "limit":
      await insist(platform, async (deps) => {
        const state = await deps.ledger.crawl(crawl);
        if (state !== null) await amendCrawl(state, { limit: NO_LIMIT }, deps);
      });
      return;
    case "retry":
      await retry(platform, crawl, { status: "errored", reason: null, limit: null });
      return;
    case "delete":
      await insist(platform, (deps) => deleteCrawl(crawl, true, deps));
      return;
    case "time limit":
  }
}

/** Waits for the transaction that completes this page of the crawl, at most for so long. */
async function transactionAt(
  { database, databases, time }: Platform,
  crawl: string,
  page: number,
  mostMs: number,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => {
    const [row] = database.rows<{ completed: number | null }>(
      "SELECT sum(completed) AS completed FROM crawls WHERE id = ?1 OR id IN (SELECT crawl FROM shard_parts WHERE home = ?1)",
      crawl,
    );
    if ((row?.completed ?? 0) >= page) resolve();
  };
  for (const each of databases) each.onRun.add(look);
  await Promise.race([promise, time.sleep(mostMs)]);
  for (const each of databases) each.onRun.delete(look);
}

async function retry(platform: Platform, crawl: string, what: Retry): Promise<void> {
  await insist(platform, async (deps) => {
    const state = await deps.ledger.crawl(crawl);
    const answer = state === null ? null : await retryCrawl(state, what, deps);
    // The heartbeat brings all parts to where the home is.
    if (answer?.kind === "ending") await platform.time.sleep(POLL_MS);
  });
}

/** Waits until the crawl has ended and nothing of it is open. Null if it was deleted. Throws if it does not end. */
async function ended(platform: Platform, crawl: string): Promise<Crawl | null> {
  const { time, reader, web } = platform;
  const deadline = time.now() + TOO_LONG_MS;
  for (;;) {
    const state = await reader.ledger.crawl(crawl);
    if (state === null) return null;
    const parts = await Promise.all(partsIn(platform, crawl).map((part) => reader.ledger.crawl(part)));
    const isOver = (part: Crawl | null) =>
      part !== null &&
      part.status !== "running" &&
      part.status !== "paused" &&
      part.counters.pending + part.counters.queued === 0;
    if (parts.every(isOver)) return state;
    // Somebody mends the hook that failed too often, and resumes the crawl.
    if (state.status === "paused") await insist(platform, (deps) => resumeCrawl(crawl, deps));
    web.expectNoRunaway();
    if (time.now() > deadline) throw new Error(`the crawl did not end: ${openRowsOf(platform, state)}`);
    await time.sleep(POLL_MS);
  }
}

/** What a crawl waits for, and why. */
function openRowsOf({ database }: Platform, { id, status, lastFailure }: Crawl): string {
  const query =
    "SELECT url, status, attempts, reason, detail FROM urls WHERE crawl = ?1 AND status IN ('pending', 'queued')";
  return JSON.stringify({ status, failure: lastFailure?.what, open: database.rows(query, id).slice(0, 5) });
}

/**
 * The reasons for which a URL is given up because of the platform, not of its host: those of the platform, and those of
 * a host that fails at first, if faults took the attempts in which it would have answered.
 */
const OF_PLATFORM = ["poison", "dead-letter", "parse", "hook-failed", "render"];
const OF_HOST = ["http-status", "timeout", "network", "connection"];
const GIVEN_UP = [...OF_PLATFORM, ...OF_HOST];

/**
 * Retries what was cancelled or left out by a limit, until all is done. With `again`, the expected ends, faults end
 * with the crawl, and what they made it give up is retried too. `onEnd` gets the crawl each time that it has ended.
 * Returns the last state; null if the crawl was deleted.
 */
export async function finish(
  platform: Platform,
  crawl: string,
  again: readonly string[] | null,
  onEnd: (state: Crawl) => Promise<void> = async () => undefined,
): Promise<Crawl | null> {
  let isRetried = false;
  for (let retries = 0; retries < MOST_RETRIES; retries++) {
    const state = await ended(platform, crawl);
    if (state === null) return null;
    await onEnd(state);
    if ((await hasAny(platform, crawl, "status = 'cancelled'")) || hasUnlooked(platform, crawl)) {
      // A crawl that has all its pages takes up nothing again, not even a sitemap.
      await retry(platform, crawl, { status: "cancelled", reason: null, limit: NO_LIMIT });
    } else if (await hasAny(platform, crawl, "status = 'skipped' AND reason = 'limit'")) {
      await retry(platform, crawl, { status: "skipped", reason: "limit", limit: NO_LIMIT });
    } else if (again !== null && !isRetried) {
      isRetried = true;
      platform.faults.isOn = false;
      await expectGivenUp(platform, crawl, again);
      await retry(platform, crawl, { status: "errored", reason: null, limit: null });
    } else {
      return state;
    }
  }
  throw new Error("the crawl needs ever more retries");
}

/**
 * Whether there is such a URL or sitemap. A crawl may be cancelled when all of its pages are in flight, and have none.
 */
async function hasAny(platform: Platform, crawl: string, which: string): Promise<boolean> {
  const db = platform.database.bindingOf(null);
  const parts = JSON.stringify(partsIn(platform, crawl));
  const of = (table: string) =>
    db
      .prepare(`SELECT 1 FROM ${table} WHERE crawl IN (SELECT value FROM json_each(?1)) AND ${which} LIMIT 1`)
      .bind(parts)
      .first();
  return (await of("urls")) !== null || (await of("sitemaps")) !== null;
}

/**
 * Whether the crawl ended before it looked again at pages to which it found a nearer way, or gave a part what another
 * one had found for it.
 */
function hasUnlooked(platform: Platform, crawl: string): boolean {
  const parts = JSON.stringify(partsIn(platform, crawl));
  return ["lowered", "shard_outbox"].some(
    (table) =>
      platform.database.rows(`SELECT 1 FROM ${table} WHERE crawl IN (SELECT value FROM json_each(?1))`, parts).length >
      0,
  );
}

/** `end`: as `endsOf` gives it. */
export function isGivenUp(end: string): boolean {
  const [, status, reason = ""] = end.split(" ");
  return status === "errored" && GIVEN_UP.includes(reason);
}

/** Each URL that is errored against expectation was given up because of the platform. */
async function expectGivenUp(platform: Platform, crawl: string, expected: readonly string[]): Promise<void> {
  for (const end of await endsOf(platform, crawl)) {
    const [url, status, reason] = end.split(" ");
    const isOfFaults = isGivenUp(end) && platform.faults.total > 0;
    if (!isOfFaults && !expected.includes(end)) throw new Error(`${url} is ${status}: ${reason}`);
  }
}

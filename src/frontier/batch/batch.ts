import pLimit from "p-limit"; // the usual limit on running promises; small, no platform
import { systemClock } from "../../core/clock.ts";
import { isDatabaseFull } from "../../store/installation/database-size.ts";
import type { Attempt } from "../attempt.ts";
import { capturedBytes } from "../commit/write-packs.ts";
import type { Deps } from "../deps.ts";
import { HOOK_CALLS } from "../features/hooked-pages.ts";
import { BatchHook } from "../hook/ask-hook.ts";
import { Invocations } from "../lane/invocations.ts";
import type { Activity } from "./activity.ts";
import { type Hint, keyOf } from "./message.ts";
import { pauseRefused } from "./require-room.ts";
import { retryLater } from "./retry-later.ts";

/** What the lanes of one batch share: dependencies, places for fetches, memory, and the report. */

/** The stages of the pipeline. If one fails, people read the words; they have no internal details. */
const STAGES = {
  admit: "the ledger or a host's gate could not be asked",
  hook: "what the hook decided could not be applied",
  fetch: "the mirror could not be written",
  write: "the mirror could not be written",
  compare: "a stored page could not be read",
  commit: "the ledger could not be written",
  schedule: "what follows could not be sent",
} as const;

type Stage = keyof typeof STAGES;

/** The message tells people what the batch could not do. The cause is for the log. */
export class BatchFailure extends Error {
  constructor(stage: Stage, cause: unknown) {
    super(STAGES[stage], { cause });
  }
}

/** Facts about a batch, for the log. */
export interface BatchReport {
  /** URLs that were still queued, and their hosts. */
  urls: number;
  hosts: number;
  /** Transactions: a batch commits once, unless some of its lanes take longer than others. */
  commits: number;
  /** Real time of each stage that started, in milliseconds, summed over hosts and transactions. */
  stagesMs: Partial<Record<Stage, number>>;
  /** URLs that were settled, by crawl and status; `queued` URLs will be retried. */
  settled: Record<string, Partial<Record<string, number>>>;
  /** What failed, and the crawls that it concerns. Their URLs are sent again. */
  failures: { failure: BatchFailure; crawls: string[] }[];
}

/** Pages that a batch may hold in memory before it writes them into a pack, in bytes as they are captured. */
const MAX_HELD_BYTES = 8 * 1024 * 1024;
/**
 * Characters for the search index that a batch may hold before its lanes end, so that their transaction is neither too
 * large for the memory nor too long for D1. A page has up to a million.
 */
const MAX_HELD_TEXT = 2_000_000;

/**
 * What the parts of one delivery share, each of which is a batch of its own ledger: together they have the places and
 * the invocations of one batch, and of its memory each has its part.
 */
export interface Shares {
  invocations: Invocations;
  /** Runs a fetch when fewer than the maximum of the delivery's fetches are running. */
  inPlace: Batch["inPlace"];
  parts: number;
}

export function sharesOf({ limits, hook }: Pick<Deps, "limits" | "hook">, parts = 1): Shares {
  const invocations = new Invocations(limits.invocations, hook === null ? 0 : parts * HOOK_CALLS);
  return { invocations, inPlace: pLimit(limits.fetches), parts };
}

export class Batch {
  readonly deps: Deps;
  readonly activity: Activity;
  readonly report: BatchReport = { urls: 0, hosts: 0, commits: 0, stagesMs: {}, settled: {}, failures: [] };
  /** Runs a fetch when fewer than the maximum of the batch's fetches are running. */
  readonly inPlace: <T>(fetching: () => Promise<T>) => Promise<T>;
  /** Null if the installation has no hook. */
  readonly hook: BatchHook | null;
  readonly #parts: number;
  #heldBytes = 0;
  #heldText = 0;
  #drawings = 0;

  constructor(deps: Deps, activity: Activity, { invocations, inPlace, parts }: Shares = sharesOf(deps)) {
    this.deps = invocations.counting(deps);
    this.activity = activity;
    this.inPlace = inPlace;
    this.#parts = parts;
    this.hook = deps.hook === null ? null : new BatchHook(deps.hook, this.deps);
  }

  /** Whether the batch holds so many captured pages that they must be written now. */
  get isFull(): boolean {
    return this.#heldBytes > MAX_HELD_BYTES / this.#parts;
  }

  /** Whether the batch holds so much text for the search index that it must be committed first. */
  get isFullOfText(): boolean {
    return this.#heldText > MAX_HELD_TEXT / this.#parts;
  }

  /** Whether a browser has drawn as many pages of the batch as it may. */
  get isFullOfDrawings(): boolean {
    return this.#drawings >= this.deps.limits.drawings;
  }

  countDrawing(): void {
    this.#drawings += 1;
  }

  /** Counts what an attempt has captured, until `release`, and its text for the index, until `releaseText`. */
  hold(attempt: Attempt): void {
    this.#heldBytes += capturedBytes(attempt);
    this.#heldText += attempt.text?.length ?? 0;
  }

  release(attempt: Attempt): void {
    this.#heldBytes -= capturedBytes(attempt);
  }

  releaseText(attempt: Attempt): void {
    this.#heldText -= attempt.text?.length ?? 0;
  }

  /** Runs a stage. Throws BatchFailure. */
  async stage<T>(stage: Stage, doing: () => Promise<T>): Promise<T> {
    const startedAt = systemClock.now();
    try {
      return await doing();
    } catch (error) {
      throw new BatchFailure(stage, error);
    } finally {
      const { stagesMs } = this.report;
      stagesMs[stage] = (stagesMs[stage] ?? 0) + systemClock.now() - startedAt;
    }
  }

  /**
   * Notes a failure, and sends the hints that it concerns again later. Throws if they cannot be sent. If the database
   * is full, their crawls pause instead: what is fetched again would not be kept either.
   */
  async giveBack(hints: readonly Hint[], failure: BatchFailure): Promise<void> {
    const crawls = [...new Set(hints.map(({ crawl }) => crawl))];
    this.report.failures.push({ failure, crawls });
    if (isDatabaseFull(failure)) return pauseRefused(crawls, this.deps);
    // A message may arrive twice in one batch.
    const distinct = new Map(hints.map((hint) => [keyOf(hint), hint]));
    await retryLater([...distinct.values()], this.deps);
  }
}

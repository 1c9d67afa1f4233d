import pLimit from "p-limit"; // the usual limit on running promises; small, no platform
import { systemClock } from "../core/clock.ts";
import type { Activity } from "./activity.ts";
import type { Attempt } from "./attempt.ts";
import type { Deps } from "./deps.ts";
import type { Hint } from "./message.ts";
import { retryLater } from "./retry-later.ts";
import type { Work } from "./work.ts";
import { capturedBytes } from "./write-packs.ts";

/** What the lanes of one batch share: dependencies, places for fetches, memory, and the report. */

/** The stages of the pipeline. If one fails, people read the words; they have no internal details. */
const STAGES = {
  admit: "the ledger or a host's gate could not be asked",
  fetch: "the mirror could not be written",
  write: "the mirror could not be written",
  commit: "the ledger could not be written",
  schedule: "what follows could not be sent",
} as const;

type Stage = keyof typeof STAGES;

/** The message tells people what the batch could not do. The cause is for the log. */
export class BatchFailure extends Error {
  /** The crawls whose URLs it concerns. */
  readonly crawls: string[];

  constructor(stage: Stage, cause: unknown, crawls: string[]) {
    super(STAGES[stage], { cause });
    this.crawls = crawls;
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
  /** What failed. The URLs that it concerns are sent again. */
  failures: BatchFailure[];
}

/** Pages that a batch may hold in memory before it writes them into a pack, in bytes as they are captured. */
const MAX_HELD_BYTES = 8 * 1024 * 1024;

export class Batch {
  readonly deps: Deps;
  readonly activity: Activity;
  readonly report: BatchReport = { urls: 0, hosts: 0, commits: 0, stagesMs: {}, settled: {}, failures: [] };
  /** Runs a fetch when fewer than the maximum of the batch's fetches are running. */
  readonly inPlace: <T>(fetching: () => Promise<T>) => Promise<T>;
  #heldBytes = 0;
  readonly #hints: Hint[];

  constructor(hints: Hint[], deps: Deps, activity: Activity) {
    this.#hints = hints;
    this.deps = deps;
    this.activity = activity;
    this.inPlace = pLimit(deps.limits.fetches);
  }

  /** Whether the batch holds so many captured pages that they must be written now. */
  get isFull(): boolean {
    return this.#heldBytes > MAX_HELD_BYTES;
  }

  /** Counts what an attempt has captured, until `release`. */
  hold(attempt: Attempt): void {
    this.#heldBytes += capturedBytes(attempt);
  }

  release(attempt: Attempt): void {
    this.#heldBytes -= capturedBytes(attempt);
  }

  /** Runs a stage of these works. Throws BatchFailure. */
  async stage<T>(stage: Stage, works: readonly Work[], doing: () => Promise<T>): Promise<T> {
    const startedAt = systemClock.now();
    try {
      return await doing();
    } catch (error) {
      throw new BatchFailure(stage, error, [...new Set(works.map(({ row }) => row.crawl))]);
    } finally {
      const { stagesMs } = this.report;
      stagesMs[stage] = (stagesMs[stage] ?? 0) + systemClock.now() - startedAt;
    }
  }

  /** Notes a failure, and sends these works again later. Throws if they cannot be sent. */
  async giveBack(works: readonly Work[], failure: unknown): Promise<void> {
    const keys = new Set(works.map(({ kind, row }) => `${row.crawl} ${kind} ${row.url}`));
    const isAmong = ({ crawl, sitemap, url }: Hint) => keys.has(`${crawl} ${sitemap ? "sitemap" : "page"} ${url}`);
    await this.giveBackHints(this.#hints.filter(isAmong), failure);
  }

  /** Like `giveBack`, for hints. */
  async giveBackHints(hints: Hint[], failure: unknown): Promise<void> {
    const crawls = [...new Set(hints.map(({ crawl }) => crawl))];
    this.report.failures.push(failure instanceof BatchFailure ? failure : new BatchFailure("admit", failure, crawls));
    // A message may arrive twice in one batch.
    const distinct = new Map(hints.map((hint) => [`${hint.crawl} ${hint.epoch} ${hint.sitemap} ${hint.url}`, hint]));
    await retryLater([...distinct.values()], this.deps);
  }
}

import { expect, test } from "vitest";
import type { FrontierMessage } from "../../src/frontier/batch/message.ts";
import { Deeds } from "../../src/lifecycle/deed.ts";
import type { VisitDeps } from "../../src/lifecycle/needs.ts";
import { sendVisits } from "../../src/lifecycle/visits.ts";
import { NOTHING_KNOWN } from "../../src/revisit/site-prior.ts";
import type { DueRow, Sweep, WatchedCrawl } from "../../src/store/watches/due-visits.ts";
import { useModelLedger } from "./platform/model-ledger.ts";

/** A watch whose visits settle as soon as they are sent. */

useModelLedger();

const HOUR_MS = 3_600_000;
const START = Date.UTC(2031, 0, 1);

class Watching {
  now = START;
  readonly rows: DueRow[];
  readonly #deps: VisitDeps;
  readonly #everyMs: number;
  #sweep: Sweep | null = null;
  #settled = 0;

  /** `everyMs`: the mean interval. */
  constructor(size: number, everyMs: number) {
    this.#everyMs = everyMs;
    this.rows = Array.from({ length: size }, (_, seq) => ({
      ...{ url: `https://a.test/${String(seq).padStart(4, "0")}`, seq, visits: 0, visitAt: null, lastAt: START },
      ...{ changes: 0, days: 0, signalledAt: null },
    }));
    const sendBatch = async (messages: Iterable<MessageSendRequest<FrontierMessage>>) => {
      for (const { body } of messages) for (const url of body.urls) this.#settle(url);
    };
    const dueVisits = {
      watches: async () => [this.#watched()],
      next: async (_: string, after: string, most: number) => {
        const pages = this.rows.filter(({ url }) => url > after).slice(0, most);
        return { pages, last: pages.length < most ? null : (pages.at(-1)?.url ?? null) };
      },
      noteSweep: async (_: string, sweep: Sweep) => {
        this.#sweep = sweep;
      },
    };
    const clock = { now: () => this.now, speed: 1, sleep: async () => undefined };
    this.#deps = { clock, frontier: { sendBatch }, dueVisits } as unknown as VisitDeps;
  }

  /** Lets time pass, with 120 heartbeats in an interval. */
  async pass(ms: number): Promise<void> {
    for (const end = this.now + ms; this.now < end; ) {
      this.now += this.#everyMs / 120;
      await sendVisits(this.#deps, new Deeds());
    }
  }

  #watched(): WatchedCrawl {
    const ignore = { urls: [], selectors: [], patterns: [], leastShare: 0 };
    const watch = { everyS: this.#everyMs / 1_000, fixed: true, tell: [], ignore };
    const size = this.rows.length;
    const counts = { size, demand: size, settled: this.#settled, sweep: this.#sweep };
    return { id: "watch", epoch: 1, watch, watchingSince: START, knowledge: NOTHING_KNOWN, askedAt: null, ...counts };
  }

  #settle(url: string): void {
    const row = this.rows.find((one) => one.url === url);
    if (row === undefined) throw new Error(`no page ${url}`);
    Object.assign(row, { visits: row.visits + 1, lastAt: this.now });
    this.#settled += 1;
  }
}

test.each([1, 6, 50, 300])("each of %d pages is visited in each interval", async (size) => {
  const watching = new Watching(size, HOUR_MS);
  await watching.pass(12 * HOUR_MS);
  const visits = watching.rows.map((row) => row.visits);
  expect(Math.min(...visits)).toBeGreaterThanOrEqual(9);
  expect(Math.max(...visits)).toBeLessThanOrEqual(13);
});

test.each([6, 300, 1_200])("after the clock was set back, each of %d pages is visited in an interval", async (size) => {
  const everyMs = 24 * HOUR_MS;
  const watching = new Watching(size, everyMs);
  await watching.pass(2 * everyMs);
  watching.now -= 100 * everyMs;
  await watching.pass(1.5 * everyMs);
  expect(watching.rows.filter(({ lastAt }) => lastAt > watching.now)).toEqual([]);
});

import { describe, expect, test } from "vitest";
import { MAX_MESSAGE_URLS } from "../../../src/crawl/bounds/batch-size.ts";
import { admitLane, bookSlots, FRESH_HOST, type HostState, settleLane } from "../../../src/host/host-state.ts";

/** A crawl without rests fills a queue that delivers what was sent first, one batch at a time. */

const NO_REST = { minDelayMs: 0, maxDelayMs: 30_000, delayFactor: 5, crawlDelayMs: null };
const POLICY = { pace: NO_REST, concurrency: 1, speed: 1, timeoutMs: 30_000, boot: "" };
const PAGES = 5_000;
const LINKS = 20;
/** As wrangler.toml. */
const BATCH_MESSAGES = 2;
/** Between two lanes. */
const DELIVERY_MS = 15;

interface Message {
  crawl: string;
  urls: number;
  at: number;
}

interface Course {
  /** When the last page was fetched. */
  endsAt: number;
  /** The largest number of messages that were due and not delivered. */
  maxDue: number;
  /** From the newcomer's first message to its first page. */
  newcomerWaitedMs: number;
}

interface Conditions {
  laneMs?: (urls: number) => number;
  newcomerAt?: number;
  /** New links of a page. */
  links?: number;
  /** What the gate remembers of its lanes. */
  remember?: (state: HostState) => void;
}

function crawl({ laneMs = () => 60, newcomerAt = 0, links = LINKS, remember }: Conditions = {}): Course {
  const state = structuredClone(FRESH_HOST);
  let queue: Message[] = [{ crawl: "full", urls: 1, at: 0 }];
  if (newcomerAt > 0) queue.push({ crawl: "new", urls: 1, at: newcomerAt });
  const course = { endsAt: 0, maxDue: 0, newcomerWaitedMs: Number.POSITIVE_INFINITY };
  let now = 0;
  let found = 1;
  let n = 0;
  const send = (name: string, delays: number[]) => {
    for (const [delayMs, { length }] of Map.groupBy(delays, (ms) => ms)) {
      // The queue's delays are whole seconds.
      const at = now + Math.floor(delayMs / 1_000) * 1_000;
      for (let left = length; left > 0; left -= MAX_MESSAGE_URLS) {
        queue.push({ crawl: name, urls: Math.min(left, MAX_MESSAGE_URLS), at });
      }
    }
  };
  while (queue.length > 0) {
    queue.sort((a, b) => a.at - b.at);
    now = Math.max(now, queue[0]?.at ?? 0) + DELIVERY_MS;
    const due = queue.filter(({ at }) => at <= now);
    course.maxDue = Math.max(course.maxDue, due.length - BATCH_MESSAGES);
    const batch = due.slice(0, BATCH_MESSAGES);
    queue = queue.slice(batch.length);
    const keys = batch.flatMap((message) => Array.from({ length: message.urls }, () => `${message.crawl} u${n++}`));
    const { slots, grant } = admitLane(state, { ...POLICY, keys, token: `t${n}` }, now);
    expect(slots.map(({ kind }) => kind)).toEqual(keys.map(() => "go"));
    now += laneMs(keys.length);
    const report = { token: grant?.token ?? "", nextAt: now, lastDurationMs: 2, answered: true, failure: null };
    settleLane(state, report, now);
    remember?.(state);
    if (keys.some((key) => key.startsWith("new"))) course.newcomerWaitedMs = now - newcomerAt;
    const count = Math.min(PAGES - found, keys.length * links);
    found += count;
    send("full", bookSlots(state, { crawl: "full", epoch: 0, count }, POLICY, now));
    course.endsAt = now;
  }
  return course;
}

/** All slots of a crawl without rests are due at once if its gate remembers nothing. */
const allAtOnce = (state: HostState) => {
  state.laneTimes = [];
};

describe("a crawl of 5,000 pages without rests", () => {
  const fast: [string, (urls: number) => number][] = [
    ["lanes take 60 ms", () => 60],
    ["lanes take 20 ms and 4 ms for each URL", (urls) => 20 + 4 * urls],
  ];
  const slow: [string, (urls: number) => number][] = [
    ["lanes take 400 ms", () => 400],
    ["lanes take 1.5 s", () => 1_500],
  ];

  test.each([...fast, ...slow])("is not slower than if all its URLs were due at once: %s", (_, laneMs) => {
    const before = crawl({ laneMs, remember: allAtOnce });
    expect(crawl({ laneMs }).endsAt / before.endsAt).toBeLessThan(1.02);
  });

  test("has few messages that are due", () => {
    expect(crawl({ remember: allAtOnce }).maxDue).toBeGreaterThan(350);
    expect(crawl().maxDue).toBeLessThan(100);
  });

  test.each([...fast, ...slow])("lets a newcomer in while it is young: %s", (_, laneMs) => {
    expect(crawl({ laneMs, newcomerAt: 2_000, links: 30 }).newcomerWaitedMs).toBeLessThan(8_000);
  });

  test.each(fast)("lets a newcomer in within seconds: %s", (_, laneMs) => {
    const newcomer = { laneMs, newcomerAt: 5_000 };
    expect(crawl({ ...newcomer, remember: allAtOnce }).newcomerWaitedMs).toBeGreaterThan(8_000);
    expect(crawl(newcomer).newcomerWaitedMs).toBeLessThan(6_000);
  });
});

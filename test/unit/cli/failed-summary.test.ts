import { expect, test } from "vitest";
import type { CrawlDetail } from "../../../src/api/views.ts";
import { describe } from "../../../src/cli/output/summary.ts";

const counts = { queued: 0, completed: 0, disallowed: 0, skipped: 0, errored: 0, cancelled: 0 };

function crawlOf(over: object): CrawlDetail {
  const own = { ...{ status: "completed", total: 9, seconds: 1, bytes: 1, costUsd: 0.5, relevant: null, shells: 0 } };
  const sitemaps = { read: 0, open: 0, failed: 0, listed: 0, problems: [] };
  const parts = { assets: { queued: 0, completed: 0 }, options: {}, refused: [], waitingFor: null, sitemaps };
  return { ...own, ...parts, counts, ...over } as unknown as CrawlDetail;
}

function at(logs: string | null, ...statuses: number[]) {
  const records = async function* () {
    for (const httpStatus of statuses)
      yield { url: `https://a.test/${httpStatus}`, explanation: "it failed", httpStatus };
  };
  return { client: { records } as never, logs };
}

test("a crawl with pages that ask for a log-in names the flag that sends one", async () => {
  const crawl = crawlOf({ counts: { ...counts, errored: 9 } });
  const closed = await describe(crawl, at("logs", 404, 401));
  expect(closed.at(-1)).toMatch(/401 asks for a log-in: --header /);
  expect(await describe(crawl, at("logs", ...[401, 404, 404, 404, 404, 404, 404]))).toEqual(
    expect.arrayContaining(["  ...", expect.stringContaining("--header")]),
  );
  expect((await describe(crawl, at("logs", 404))).join()).not.toContain("--header");
});

const COSTS: [name: string, logs: string | null, completed: number, isTold: boolean][] = [
  ["of a few pages here", "logs", 999, false],
  ["of 1,000 pages here", "logs", 1_000, true],
  ["of a few pages elsewhere", null, 1, true],
];

test.each(COSTS)("the cost of a crawl %s", async (_, logs, completed, isTold) => {
  const lines = await describe(crawlOf({ counts: { ...counts, completed } }), at(logs));
  expect(lines.join().includes("USD at list prices")).toBe(isTold);
});

const FULL = { fullHosts: ["a.test"], refused: [{ reason: "host-limit", count: 9, examples: ["https://a.test/9"] }] };
const HOST_LIMITS: [name: string, crawl: object, said: RegExp | null][] = [
  [
    "ended by it",
    { ...FULL, completed: 125 },
    /^ {2}It ended before its limit of 500 pages, because a\.test had given 125 pages/,
  ],
  [
    "that names some hosts",
    { ...FULL, fullHosts: ["a.test", "b.test"], completed: 250 },
    /a\.test and 1 other host had/,
  ],
  [
    "that has all its pages",
    { ...FULL, completed: 500 },
    /^ {2}a\.test had given 125 pages, the page limit per host\./,
  ],
  ["that goes on", { ...FULL, completed: 125, status: "running" }, /^ {2}a\.test had given 125 pages/],
  ["of a host with exactly so many pages", { ...FULL, refused: [], completed: 125 }, null],
  ["without a full host", { ...FULL, fullHosts: [], completed: 125 }, null],
  ["by a server of an earlier version", { ...FULL, fullHosts: undefined, completed: 125 }, null],
];

test.each(HOST_LIMITS)(
  "the page limit per host of a crawl %s",
  async (_, { completed, ...over }: { completed?: number }, said) => {
    const crawl = crawlOf({ options: { limit: 500, limitPerHost: 125 }, ...over, counts: { ...counts, completed } });
    const lines = await describe(crawl, at("logs"));
    const told = lines.filter((line) => line.includes("page limit per host"));
    if (said === null) expect(lines.join()).not.toContain("per-host");
    else {
      expect(told).toEqual([expect.stringMatching(said)]);
      expect(lines).toContain("    To take all of their pages, crawl again with --limit-per-host 0.");
    }
  },
);

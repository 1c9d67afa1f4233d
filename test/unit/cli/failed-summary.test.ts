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

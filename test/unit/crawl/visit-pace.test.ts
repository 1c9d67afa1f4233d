import { expect, test } from "vitest";
import { crawlRequest } from "../../../src/api/crawls/crawl-request.ts";
import { leastEveryS } from "../../../src/crawl/watch/visit-pace.ts";

const HOUR_S = 3_600;

test.each<[string, number, number, number, number]>([
  ["one page", 1, 1, 1_000, 1],
  ["a site at a page a second", 7_200, 1, 1_000, 2 * HOUR_S],
  ["the same on four hosts", 7_200, 4, 1_000, HOUR_S / 2],
  ["a million pages of one host", 1_000_000, 1, 1_000, 1_000_000],
  ["a million pages without rests", 1_000_000, 1, 0, 60_000],
  ["a million pages of unknown hosts", 1_000_000, Number.POSITIVE_INFINITY, 1_000, 60_000],
])(
  "%s: %d pages on %d hosts with %d ms between requests are visited every %d s at best",
  (_, pages, hosts, minDelayMs, least) => {
    expect(leastEveryS(pages, hosts, { minDelayMs })).toBe(least);
  },
);

test("a watch whose interval is below its own pace is refused, and told what to give", () => {
  const order = { url: "https://a.test/", politeness: { minDelayMs: 90_000 } };
  const { error } = crawlRequest.safeParse({ ...order, watch: { everyS: 60 } });
  expect(error?.issues).toMatchObject([
    {
      path: ["watch", "everyS"],
      message: expect.stringMatching(/every 90000 ms .* give at least 90, or a shorter minDelayMs/),
    },
  ]);
  expect(crawlRequest.safeParse({ ...order, watch: { everyS: 90 } }).success).toBe(true);
});

import { expect, test } from "vitest";
import { crawlRequest, toOptions } from "../../../src/api/crawls/crawl-request.ts";
import { readDefaultCost } from "../../../src/crawl/bounds/default-cost.ts";

test.each([
  [undefined, 0],
  ["", 0],
  ["none", 0],
  [" 5 ", 5],
  ["0.5", 0.5],
  ["0", 0],
  ["five", Number.NaN],
  ["-1", Number.NaN],
  ["$5", Number.NaN],
  ["1e3", Number.NaN],
  ["Infinity", Number.NaN],
])("MAX_COST_USD %j is %d", (setting, expected) => {
  expect(readDefaultCost(setting)).toBe(expected);
});

const url = "https://a.test/";
const installation = (setting?: string) => ({
  userAgent: "Test/1",
  store: "warc" as const,
  maxCostUsd: readDefaultCost(setting),
  documents: [],
  privateAccess: "none" as const,
  allowAddresses: false,
});

test.each([
  ["the installation's, if it sets none", {}, "5", 5],
  ["none, if neither sets one", {}, undefined, 0],
  ["its own, if that is lower", { maxCostUsd: 1 }, "5", 1],
  ["its own, if that is higher", { maxCostUsd: 50 }, "5", 50],
  ["none, if it says so", { maxCostUsd: 0 }, "5", 0],
  ["its own, where the variable cannot be read", { maxCostUsd: 2 }, "five", 2],
])("the cost limit of a crawl is %s", (_, own, setting, expected) => {
  expect(toOptions(crawlRequest.parse({ url, ...own }), installation(setting)).maxCostUsd).toBe(expected);
});

test("a variable that cannot be read refuses crawls, instead of letting them cost anything", () => {
  expect(() => toOptions(crawlRequest.parse({ url }), installation("five"))).toThrow(/MAX_COST_USD.*US dollars/);
});

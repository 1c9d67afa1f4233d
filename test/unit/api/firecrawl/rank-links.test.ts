import { expect, test } from "vitest";
import { rankLinks } from "../../../../src/api/firecrawl/rank-links.ts";

const LINKS = [
  { url: "https://a.test/" },
  { url: "https://a.test/pricing" },
  { url: "https://a.test/x", title: "Pricing of plans" },
  { url: "https://a.test/%C3%BCber" },
];

test.each<[string, number[]]>([
  ["", [0, 1, 2, 3]],
  ["pricing plans", [2, 1, 0, 3]],
  ["PRICING", [1, 2, 0, 3]],
  ["über", [3, 0, 1, 2]],
  ["-- ?", [0, 1, 2, 3]],
])("by %j", (search, order) => {
  expect(rankLinks(LINKS, search)).toEqual(order.map((i) => LINKS[i]));
});

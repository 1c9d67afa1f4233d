import { expect, test } from "vitest";
import { groupHits } from "../../../src/search/group-hits.ts";

const hit = (url: string, twinOf: string | null = null, crawl = "one") => ({ crawl, url, twinOf });
const shown = (hits: Parameters<typeof groupHits>[0]) =>
  groupHits(hits).map(({ crawl, url, twins }) => `${crawl} ${url} ${twins}`);

test.each([
  ["no twins", [hit("a"), hit("b")], ["one a 0", "one b 0"]],
  ["the original is best", [hit("a"), hit("x"), hit("b", "a"), hit("c", "a")], ["one a 2", "one x 0"]],
  ["a twin is best", [hit("b", "a"), hit("a")], ["one b 1"]],
  ["the original is no hit", [hit("b", "a"), hit("c", "a")], ["one b 1"]],
  ["of two crawls", [hit("b", "a"), hit("a", null, "two")], ["one b 0", "two a 0"]],
])("the best hit of each group stands for the others: %s", (_, hits, expected) => {
  expect(shown(hits)).toEqual(expected);
});

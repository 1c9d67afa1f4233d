import { expect, test } from "vitest";
import { prose, version } from "./version.ts";
import { type Ask, WatchedHost } from "./watched-host.ts";

/** Noise of forty pages for a month. */

const range = (count: number) => Array.from({ length: count }, (_, at) => at);
const own = (page: number, count = 4) => range(count).map((part) => prose(100 * page + part));

test.each<[string, (page: number, ask: Ask) => string[]]>([
  ["a counter", (at, { number }) => [...own(at), `You are visitor ${1_000 + 17 * number}`]],
  ["a time", (at, { number }) => [`Generated at 12:03:${10 + (number % 50)}`, ...own(at)]],
  ["a token", (at, { number }) => [...own(at, 2), `Token 8f3a9c0b77d14e5f${number}`, ...own(at + 500, 2)]],
  [
    "random links",
    (at, { number }) => [...own(at), "Related", prose(9_000 + number), prose(19_000 + number), "Imprint"],
  ],
  ["a quotation at the end", (at, { number }) => [...own(at), prose(9_000 + number)]],
  ["a quotation at the beginning", (at, { number }) => [prose(9_000 + number), ...own(at)]],
  [
    "words in a sentence",
    (at, { number }) => [...own(at), `Welcome to our readers from ${prose(number).split(" ")[3]} and beyond`],
  ],
])("%s is told on no page of forty, and none of one", (_, blocks) => {
  const show = (page: number, ask: Ask) => version(blocks(page, ask));
  const host = new WatchedHost(40, show);
  expect(host.run(30)).toEqual([]);
  // Two pages teach it of all, so few looks are needed.
  expect(host.looks).toBeLessThan(60);
  expect(new WatchedHost(1, show).run(30)).toEqual([]);
});

import { describe, expect, test } from "vitest";
import { randomFrom } from "../../../bench/freshness/random.ts";
import { own, prose, version } from "./version.ts";
import { type Ask, DAY_MS, WatchedHost } from "./watched-host.ts";

/**
 * Footers with the day or the time, which the reader takes for content on some pages, beside edits and days of the
 * pages' own. Both directions: what the footer says is told of no page, and what pages say of all.
 */

const range = (count: number) => Array.from({ length: count }, (_, at) => at);

const FOOTERS: Record<string, (day: number) => string> = {
  "the day": (day) => new Date(day * DAY_MS).toUTCString().slice(0, 16),
  "the time": (day) => new Date(day * DAY_MS).toISOString().slice(0, 16),
};
const OWN: Record<string, (page: number, state: number) => string[]> = {
  "a paragraph": (page, state) => [prose(9_000 + 100 * page + state)],
  "a deadline": (page, state) => ["Deadline", FOOTERS["the day"]?.(9 * state + 100 + page) ?? ""],
};

describe.each(Object.keys(FOOTERS))("a footer with %s", (footer) => {
  test.each([
    ["a paragraph", 0],
    ["a paragraph", 2],
    ["a paragraph", 40],
    ["a deadline", 0],
    ["a deadline", 2],
    ["a deadline", 5],
  ])("and %s of each page that changes, where %i of 40 pages have the footer in their content", (what, taken) => {
    const random = randomFrom(1);
    const states = range(40).map(() => {
      const days = [5 * random()];
      while ((days.at(-1) ?? 0) < 60) days.push((days.at(-1) ?? 0) + 1.2 + 6 * random());
      return days;
    });
    const stateOn = (page: number, day: number) => (states[page] ?? []).filter((from) => from <= day).length;
    const menu = range(12).map((at) => `Menu of ${prose(at).slice(0, 12)}`);
    const show = (page: number, { day }: Ask) => {
      const said = OWN[what]?.(page, stateOn(page, day)) ?? [];
      const text = [prose(400 + page).slice(0, 24), ...own(page), ...said, ...own(page + 500)];
      const line = FOOTERS[footer]?.(day) ?? "";
      return version(page < taken ? [...text, line] : text, { pageText: [...menu, ...text, line].join("\n") });
    };
    const told = new WatchedHost(40, show).run(60);
    const seen = new Set(told.map(({ page, day }) => `${page} ${stateOn(page, day)}`));
    const long = states.flatMap((days) =>
      days.filter((from, at) => from > 1 && from < 58 && (days[at + 1] ?? 0) - from > 2),
    );
    expect(seen.size).toBeGreaterThanOrEqual(long.length);
    expect(told.length - seen.size).toBeLessThanOrEqual(0.02 * told.length);
  });
});

import { describe, expect, test } from "vitest";
import { randomFrom } from "../../../bench/freshness/random.ts";
import { own, version } from "./version.ts";
import { type Ask, WatchedHost } from "./watched-host.ts";

/** Numbers in a sentence that many pages have: a page's own where single pages change theirs, else the template. */

const range = (count: number) => Array.from({ length: count }, (_, at) => at);
const PAGES = 40;
const DAYS = 120;

/** A page of a host whose others have this sentence with a number that never changes. */
function page(at: number, sentence: string | null) {
  return version([...own(at).slice(0, 2), ...(sentence === null ? [] : [sentence]), ...own(at + 500), "Imprint"]);
}

/** Days on which a number changes, at random with this mean between two. */
function drawDays(random: () => number, meanDays: number): number[] {
  const days: number[] = [];
  const next = (after: number) => after + meanDays * -Math.log(1 - random());
  for (let day = next(0); day < DAYS; day = next(day)) days.push(day);
  return days;
}

describe("numbers of single pages are told, although their sentence stands on many", () => {
  test.each(range(30))("drawn host %i", (seed) => {
    const random = randomFrom(seed * 7919 + 13);
    const many = [5, 8, 12, 40][seed % 4] ?? 8;
    const meanDays = [12, 20, 30][seed % 3] ?? 20;
    const edits = range(PAGES).map((at) => (at % (PAGES / many) < 1 ? drawDays(random, meanDays) : null));
    const numberOn = (at: number, day: number) => edits[at]?.filter((from) => from <= day).length ?? 0;
    const show = (at: number, { day }: Ask) =>
      page(at, edits[at] === null ? null : `This service is closed (${numberOn(at, day)}).`);
    const notices = new WatchedHost(PAGES, show).run(DAYS + 6);
    for (const at of range(PAGES)) {
      const told = notices.filter((notice) => notice.page === at);
      // What the last notice showed is what the page says now: nothing was lost for good.
      const last = edits[at]?.at(-1);
      const settled = last === undefined ? 0 : numberOn(at, told.at(-1)?.day ?? 0);
      expect.soft([at, settled]).toEqual([at, edits[at]?.length ?? 0]);
    }
    const made = edits.flatMap((days) => days ?? []).length;
    // Two within a day are one notice.
    const distinct = edits.flatMap((days) =>
      (days ?? []).filter((day, i, all) => (all[i + 1] ?? DAYS + 9) - day > 1),
    ).length;
    expect.soft(notices.length / distinct).toBeGreaterThan(0.97);
    expect(notices.length).toBeLessThanOrEqual(made);
  });
});

describe("numbers of most pages that have a sentence are told of none", () => {
  const SENTENCES: [name: string, pages: number, text: (day: number, at: number, number: number) => string][] = [
    ["a date of each day", 40, (day) => `Checked on day ${Math.floor(day)}.`],
    ["a date of each day, on a fifth of the pages", 8, (day) => `Checked on day ${Math.floor(day)}.`],
    ["a count that goes on by itself", 40, (_, at, number) => `Read by ${at * 7 + number} people.`],
    ["a year at the turn of the year", 40, (day) => `Copyright ${day < 60 ? 2026 : 2027} of the site.`],
    ["a fee that is another one each month", 40, (day) => `Shipping costs ${5 + Math.floor(day / 30)} EUR.`],
    ["the same on a fifth of the pages", 8, (day) => `Shipping costs ${5 + Math.floor(day / 30)} EUR.`],
    ["days since a start, each week", 40, (day) => `Open for ${Math.floor(day / 7)} weeks.`],
  ];

  test.each(SENTENCES)("%s", (_, many, text) => {
    const show = (at: number, { day, number }: Ask) => page(at, at % (PAGES / many) < 1 ? text(day, at, number) : null);
    const host = new WatchedHost(PAGES, show);
    expect(host.run(DAYS)).toEqual([]);
    // No page is visited much more often for it.
    expect(host.visits).toBeLessThan(1.3 * PAGES * (DAYS / 0.925));
  });
});

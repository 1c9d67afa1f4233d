import { describe, expect, test } from "vitest";
import { randomFrom } from "../../../bench/freshness/random.ts";
import { isPulsing, NO_PULSES, notePulses } from "../../../src/changes/noise/pulses.ts";
import { DAY_MS } from "./watched-host.ts";

/** Places where all pages show one text, and an hour later all of them another one. */

/** Whether a place is ever taken for one, in so many visits of forty pages a day. */
function pulsesEver(visits: number, textOf: (page: number, hour: number) => string): boolean {
  let pulses = NO_PULSES;
  for (let visit = 0; visit < visits; visit++) {
    const page = (visit * 7) % 40;
    const now = (visit / 40) * DAY_MS;
    const place = { place: "s:a>b", texts: ["", textOf(page, Math.floor(now / 3_600_000))] as const };
    pulses = notePulses(pulses, [place], { page: `p${page}`, now, lines: [], around: [] });
    if (isPulsing(pulses.places["s:a>b"] ?? [], DAY_MS, 1)) return true;
  }
  return false;
}

test("the weather of the hour is found in two days", () => {
  const skies = ["Clear", "Rain", "Snow", "Fog", "Storm"];
  const found = Array.from({ length: 20 }, (_, seed) =>
    pulsesEver(80, (_page, hour) => {
      const random = randomFrom(1_000 * seed + hour);
      random();
      return `${skies[Math.floor(random() * 5)]}, ${Math.floor(random() * 30)} degrees`;
    }),
  );
  expect(found.filter(Boolean).length).toBeGreaterThanOrEqual(17);
});

test.each([1, 2, 3, 5, 8, 12, 15, 20, 30, 60, 1_000])(
  "one of %i texts of each page by itself is none, in a year",
  (texts) => {
    for (let seed = 0; seed < 4; seed++) {
      const random = randomFrom(seed + 17 * texts);
      expect(pulsesEver(14_600, () => `${Math.floor(random() * texts)} left`)).toBe(false);
    }
  },
);

test("a text that stays for a day is none: it is on most pages", () => {
  expect(pulsesEver(4_000, (_, hour) => `The banner of day ${Math.floor(hour / 24)}`)).toBe(false);
});

test("what a page shows twice in a row is no agreement", () => {
  let pulses = NO_PULSES;
  for (let visit = 0; visit < 100; visit++) {
    const place = { place: "s:a>b", texts: ["", `${Math.floor(visit / 2)}`] as const };
    pulses = notePulses(pulses, [place], {
      page: `p${Math.floor(visit / 2)}`,
      now: visit * 60_000,
      lines: [],
      around: [],
    });
  }
  expect(isPulsing(pulses.places["s:a>b"] ?? [], DAY_MS, 1)).toBe(false);
});

describe("lists that each page makes by itself are none, in a year", () => {
  test.each([
    [4, 5],
    [5, 5],
    [4, 7],
    [5, 8],
    [6, 20],
    [4, 30],
  ])("of %i of %i texts", (length, count) => {
    const random = randomFrom(length + 17 * count);
    let pulses = NO_PULSES;
    for (let visit = 0; visit < 14_600; visit++) {
      const texts = Array.from({ length: count }, (_, at) => ({ text: `dish ${at}`, order: random() }));
      const list = texts
        .sort((a, b) => a.order - b.order)
        .slice(0, length)
        .map(({ text }) => text);
      const place = { place: "s:a>b", texts: ["", list.join(" / ")] as const };
      const now = (visit / 40) * DAY_MS;
      pulses = notePulses(pulses, [place], { page: `p${(visit * 7) % 40}`, now, lines: list, around: [] });
      expect(isPulsing(pulses.places["s:a>b"] ?? [], DAY_MS, length)).toBe(false);
    }
  });
});

test("a list of the hour is found within a day where five pages of forty have it in their content, and not on two", () => {
  const foundOn = (isIn: (page: number) => boolean) => {
    let pulses = NO_PULSES;
    for (let visit = 0; visit < 800; visit++) {
      const page = (visit * 7) % 40;
      const now = (visit / 40) * DAY_MS;
      const random = randomFrom(Math.floor(now / 3_600_000));
      random();
      const most = Array.from({ length: 5 }, () => `title ${Math.floor(random() * 600)}`);
      const place = { place: "s:a>b", texts: ["", most.join(" / ")] as const };
      pulses = notePulses(pulses, isIn(page) ? [place] : [], { page: `p${page}`, now, lines: most, around: most });
      if (isPulsing(pulses.places["s:a>b"] ?? [], DAY_MS, 5)) return visit;
    }
    return Number.POSITIVE_INFINITY;
  };
  expect(foundOn((page) => page % 8 === 0)).toBeLessThan(80);
  // A front page and another one, whose lists are theirs.
  expect(foundOn((page) => page < 2)).toBe(Number.POSITIVE_INFINITY);
});

test("what one page has in its content, and others around it, is found where few have it in theirs", () => {
  let pulses = NO_PULSES;
  const found: number[] = [];
  for (let visit = 0; visit < 480; visit++) {
    const page = (visit * 7) % 80;
    const now = (visit / 80) * DAY_MS;
    const random = randomFrom(Math.floor(now / 3_600_000));
    const most = Array.from({ length: 3 }, () => `title ${Math.floor(random() * 60)}`);
    const place = { place: "s:a>b", texts: ["", most.join(" / ")] as const };
    pulses = notePulses(pulses, page % 5 === 0 ? [place] : [], { page: `p${page}`, now, lines: most, around: most });
    if (isPulsing(pulses.places["s:a>b"] ?? [], DAY_MS, 1)) found.push(visit);
  }
  expect(found[0]).toBeLessThan(200);
});

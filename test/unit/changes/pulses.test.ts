import { expect, test } from "vitest";
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
    if (isPulsing(pulses.places["s:a>b"] ?? [], DAY_MS)) return true;
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
  expect(isPulsing(pulses.places["s:a>b"] ?? [], DAY_MS)).toBe(false);
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
    if (isPulsing(pulses.places["s:a>b"] ?? [], DAY_MS)) found.push(visit);
  }
  expect(found[0]).toBeLessThan(200);
});

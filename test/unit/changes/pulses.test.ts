import { describe, expect, test } from "vitest";
import { isPulsing, NO_PULSES, notePulses } from "../../../src/changes/noise/pulses.ts";
import { own, prose, version } from "./version.ts";
import { type Ask, DAY_MS, WatchedHost } from "./watched-host.ts";

/** Places where all pages show one text, and an hour later all of them another one. */

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Whether a place is ever taken for one, in so many visits of forty pages a day. */
function pulsesEver(visits: number, textOf: (page: number, hour: number) => string): boolean {
  let pulses = NO_PULSES;
  for (let visit = 0; visit < visits; visit++) {
    const page = (visit * 7) % 40;
    const now = (visit / 40) * DAY_MS;
    const place = { place: "s:a>b", texts: ["", textOf(page, Math.floor(now / 3_600_000))] as const };
    pulses = notePulses(pulses, [place], { page: `p${page}`, now });
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
    pulses = notePulses(pulses, [place], { page: `p${Math.floor(visit / 2)}`, now: visit * 60_000 });
  }
  expect(isPulsing(pulses.places["s:a>b"] ?? [], DAY_MS)).toBe(false);
});

describe("a watch of forty pages", () => {
  const weather = (day: number) => {
    const random = randomFrom(Math.floor(day * 24) + 5);
    random();
    return `${["Clear", "Rain", "Snow", "Fog"][Math.floor(random() * 4)]}, ${Math.floor(random() * 30)} degrees`;
  };

  test("tells the weather on few, and every edit", () => {
    const show = (page: number, { day }: Ask) =>
      version(["A house of news", weather(day), ...own(day > 20 && page % 5 === 0 ? 900 + page : page), "Imprint"]);
    const told = new WatchedHost(40, show).run(30);
    const isEdit = ({ page, day }: { page: number; day: number }) => page % 5 === 0 && day > 20;
    expect(new Set(told.filter(isEdit).map(({ page }) => page)).size).toBe(8);
    // Until it is known.
    expect(told.filter((notice) => !isEdit(notice)).length).toBeLessThanOrEqual(40);
  });

  test("tells the dish of the day of each page, one of thirty", () => {
    const show = (page: number, { day }: Ask) => {
      const random = randomFrom(Math.floor(day) * 40 + page);
      random();
      return version([...own(page, 2), prose(7_000 + Math.floor(random() * 30)), "Imprint"]);
    };
    const told = new WatchedHost(40, show).run(30);
    expect(told.length).toBeGreaterThan(900);
  });
});

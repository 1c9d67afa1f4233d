import { describe, expect, test } from "vitest";
import { randomFrom } from "../../../bench/freshness/random.ts";
import { own, prose, version } from "./version.ts";
import { type Ask, WatchedHost } from "./watched-host.ts";

/** What a watch tells where all pages show one text for an hour, and where each page has its own. */

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

  /** Five titles of sixty for each part of a day, on all pages. */
  const mostRead = (day: number, seed: number, parts = 24) => {
    const random = randomFrom(Math.floor(day * parts) + 1_000 * seed);
    random();
    return Array.from({ length: 5 }, () => `Title ${prose(3_000 + Math.floor(random() * 60)).slice(0, 20)}`);
  };
  const editionOf = (page: number, day: number) => Math.floor((day + page / 2) / 18);
  const edits = (until: number) => {
    const counts = Array.from({ length: 40 }, (_, page) => editionOf(page, until));
    return counts.reduce((sum, count) => sum + count, 0);
  };

  test.each([1, 2, 3])(
    "tells what is read most in the hour on few of five pages that have it in their text, %i",
    (seed) => {
      const show = (page: number, { day }: Ask) => {
        const list = ["Most read", ...mostRead(day, seed)];
        const edition = editionOf(page, day);
        const text = [prose(400 + page).slice(0, 24), ...own(edition === 0 ? page : 100 * edition + page)];
        const pageText = ["A paper", ...text, ...list, "Imprint"].join("\n");
        return version(page % 8 === 3 ? [...text, ...list] : text, { pageText });
      };
      const told = new WatchedHost(40, show).run(40);
      expect(told.length).toBeGreaterThanOrEqual(0.98 * edits(38));
      expect(told.length).toBeLessThanOrEqual(edits(40) + 4);
    },
  );

  test("tells the list of a front page, which other pages have beside their text", () => {
    const show = (page: number, { day }: Ask) => {
      const list = ["Latest", ...mostRead(day, 7, 4)];
      const text = page === 0 ? ["A paper", ...list] : [prose(400 + page).slice(0, 24), ...own(page)];
      return version(text, { pageText: ["A paper", ...text, ...(page === 0 ? [] : list), "Imprint"].join("\n") });
    };
    const told = new WatchedHost(40, show).run(30);
    expect(told.length).toBeGreaterThan(22);
    expect(told.every(({ page }) => page === 0)).toBe(true);
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

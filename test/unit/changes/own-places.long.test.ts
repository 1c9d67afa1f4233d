import { describe, expect, test } from "vitest";
import { own, prose, version } from "./version.ts";
import { type Ask, WatchedHost } from "./watched-host.ts";

const range = (count: number) => Array.from({ length: count }, (_, at) => at);
const letters = (number: number) => String(number).replaceAll(/\d/g, (digit) => "abcdefghij"[Number(digit)] ?? "");

describe("what comes beside the template is each page's own where it is another one on each", () => {
  const meal = (page: number, day: number) => prose(1_000 + 97 * page + 7 * Math.floor(day));

  test("a meal of the day below a heading of all pages is told each day, on each page", () => {
    const show = (page: number, { day }: Ask) =>
      version([`Canteen ${letters(page)}`, "Today", meal(page, day), ...own(page), "Imprint"]);
    const told = new WatchedHost(40, show).run(60);
    const missed = range(40).map((page) => 59 - told.filter((notice) => notice.page === page).length);
    // Until it is known that each page has another one.
    expect(missed.reduce((sum, count) => sum + count, 0)).toBeLessThan(40);
  });

  test("a banner that comes to all pages at such a place is told of two pages at most", () => {
    const banners = 6;
    const show = (page: number, { day }: Ask) => {
      const week = Math.floor(day / 10);
      const banner = week > 0 && day % 10 < 4 ? [`Closed for the feast of ${letters(week)}`] : [];
      return version([`Canteen ${letters(page)}`, "Today", ...banner, meal(page, (day + page) / 5), ...own(page)]);
    };
    const told = new WatchedHost(40, show).run(10 * banners + 9);
    const meals = range(40).reduce((sum, page) => sum + Math.floor((69 + page) / 5) - Math.floor(page / 5), 0);
    expect(told.length).toBeLessThanOrEqual(meals + 2 * banners);
    expect(told.length).toBeGreaterThan(0.98 * meals);
  });
});

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

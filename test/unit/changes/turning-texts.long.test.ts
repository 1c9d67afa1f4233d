import { describe, expect, test } from "vitest";
import { own, prose, version } from "./version.ts";
import { type Ask, type Notice, WatchedHost } from "./watched-host.ts";

/** Texts of a page of which each request draws one: for good, or until all caches have the new one. */

const range = (count: number) => Array.from({ length: count }, (_, at) => at);
/** 0 to 1, the same for the same numbers. */
function drawn(number: number, seed: number): number {
  const value = Math.sin(number * 12.9898 + seed) * 43_758.5453;
  return value - Math.floor(value);
}
/** A page has another edition each two weeks. */
const editionOf = (page: number, day: number) => Math.floor((day + page / 3) / 14);
/** The pages and editions of which something was told, without the first editions. */
const editionsOf = (told: readonly Notice[]) =>
  new Set(told.flatMap(({ page, day }) => (editionOf(page, day) === 0 ? [] : [`${page} ${editionOf(page, day)}`])));
/** The days on which a page changes: each state lasts for 3 to 15 days. */
function statesOf(page: number, seed: number): number[] {
  const days = [10 * drawn(page, seed + 0.5)];
  while ((days.at(-1) ?? 0) < 60) days.push((days.at(-1) ?? 0) + 3 + 12 * drawn(100 * page + days.length, seed + 0.5));
  return days;
}
const stateOn = (days: readonly number[], day: number) => days.filter((from) => from <= day).length;

describe.each([1, 2, 3])("drawn host %i", (seed) => {
  test("a headline of two that each request draws is told of few pages, and their edits of all", () => {
    const show = (page: number, { day, number }: Ask) => {
      const name = prose(400 + page).slice(0, 24);
      const title = drawn(number, seed) < 0.5 ? name : `Why ${name} matters`;
      const [first, ...others] = own(page);
      const edited = editionOf(page, day) === 0 ? first : prose(5_000 + 31 * page + editionOf(page, day));
      return version([title, edited ?? "", ...others, "Imprint"], { title: `${title} | A paper` });
    };
    const told = new WatchedHost(40, show).run(50);
    const edits = range(40).reduce((sum, page) => sum + editionOf(page, 48), 0);
    expect(told.length).toBeGreaterThanOrEqual(edits);
    expect(told.length).toBeLessThan(edits + 12);
  });

  test("an edit between two advertisements with one label is told, and none of these is", () => {
    const show = (page: number, { day, number }: Ask) => {
      const [first = "", ...others] = own(page);
      const edition = editionOf(page, day);
      const edited = edition === 0 ? prose(page) : prose(5_000 + 31 * page + edition);
      const ad = (place: number) => [
        "Advertisement",
        `Buy ${prose(9_000 + Math.floor(30 * drawn(number, seed + place))).slice(0, 60)}`,
      ];
      return version([prose(400 + page).slice(0, 24), first, ...ad(1), edited, ...ad(2), ...others, "Imprint"]);
    };
    const told = new WatchedHost(40, show).run(50);
    const edits = range(40).reduce((sum, page) => sum + editionOf(page, 48), 0);
    expect(told.length).toBeGreaterThanOrEqual(0.98 * edits);
    expect(told.length).toBeLessThanOrEqual(edits + 6);
  });

  test("an edit that half of the requests show for a day and a half is told once", () => {
    const show = (page: number, { day, number }: Ask) => {
      const edition = editionOf(page, drawn(number, seed) < 0.5 ? Math.max(0, day - 1.5) : day);
      const edited = `${prose(page)} ${edition === 0 ? "" : prose(5_000 + 31 * page + edition)} ${prose(7 + page)}`;
      return version([prose(400 + page).slice(0, 24), edited, ...own(page), "Imprint"]);
    };
    const told = new WatchedHost(40, show).run(50);
    const edits = range(40).reduce((sum, page) => sum + editionOf(page, 43), 0);
    expect(told.length).toBeGreaterThanOrEqual(0.98 * edits);
    expect(told.filter(({ backTo }) => backTo !== null).length).toBeLessThanOrEqual(0.05 * edits);
    const late = told.map(({ page, day }) => (day + page / 3) % 14).toSorted((one, other) => one - other);
    expect(late[Math.floor(0.9 * late.length)]).toBeLessThan(7);
  });

  test("a list in an order that each request draws is told where it has one item more, or one less", () => {
    const show = (page: number, { day, number }: Ask) => {
      const names = range(8 + editionOf(page, day)).map((at) => prose(700 + 50 * page + at).slice(0, 30));
      const order = (name: string) => drawn(number * 7 + name.charCodeAt(3) + name.charCodeAt(9) * 3, seed);
      const shuffled = names.toSorted((a, b) => order(a) - order(b));
      return version([prose(400 + page).slice(0, 24), ...shuffled, ...own(page), "Imprint"]);
    };
    const told = new WatchedHost(40, show).run(50);
    const edits = range(40).reduce((sum, page) => sum + editionOf(page, 48), 0);
    expect(told.length).toBeGreaterThanOrEqual(0.98 * edits);
    const until = range(40).reduce((sum, page) => sum + editionOf(page, 50), 0);
    expect(told.length).toBeLessThanOrEqual(1.02 * until);
  });

  test("two lists of cards in an order that each request draws are told where a card has another price", () => {
    const show = (page: number, { day, number }: Ask) => {
      const cards = (list: number) => {
        const items = range(5).map((at) => {
          const price = 20 + at + (at === page % 5 && list === 0 ? editionOf(page, day) : 0);
          const card = [`Model ${prose(700 + 50 * page + 10 * list + at).slice(0, 30)}`, `It costs ${price}.50 EUR`];
          return { card, order: drawn(number * 11 + 5 * list + at, seed) };
        });
        return items.toSorted((a, b) => a.order - b.order).flatMap(({ card }) => card);
      };
      const name = prose(400 + page).slice(0, 24);
      return version([name, ...cards(0), prose(page), ...cards(1), ...own(page), "Imprint"]);
    };
    const told = new WatchedHost(40, show).run(50);
    const edits = range(40).reduce((sum, page) => sum + editionOf(page, 48), 0);
    expect(told.length).toBeGreaterThanOrEqual(0.98 * edits);
    const until = range(40).reduce((sum, page) => sum + editionOf(page, 50), 0);
    expect(told.length).toBeLessThanOrEqual(1.02 * until);
  });

  test("a paragraph that comes and goes beside a tip is told where it stays, and no tip is", () => {
    const show = (page: number, { day, number }: Ask) => {
      const more = editionOf(page, day) % 2 === 1 ? [prose(3_000 + page)] : [];
      return version([
        prose(400 + page).slice(0, 24),
        ...own(page),
        ...more,
        `Tip: ${prose(Math.floor(12 * drawn(number, seed)))}`,
      ]);
    };
    const told = new WatchedHost(40, show).run(60);
    const edits = range(40).reduce((sum, page) => sum + editionOf(page, 50), 0);
    expect(editionsOf(told).size).toBeGreaterThanOrEqual(0.98 * edits);
    expect(told.length).toBeLessThanOrEqual(1.02 * range(40).reduce((sum, page) => sum + editionOf(page, 60), 0));
  });

  test("a price that one request of seven shows in another currency is told where it changes", () => {
    const show = (page: number, { day, number }: Ask) => {
      const euros = 40 + page + 7 * editionOf(page, day);
      const price = drawn(number, seed) < 1 / 7 ? `$${euros * 2}.00` : `${euros}.00 EUR`;
      return version([prose(400 + page).slice(0, 24), price, ...own(page), "Imprint"]);
    };
    const told = new WatchedHost(40, show).run(60);
    const edits = range(40).reduce((sum, page) => sum + editionOf(page, 50), 0);
    expect(editionsOf(told).size).toBeGreaterThanOrEqual(0.95 * edits);
    expect(told.length).toBeLessThan(1.2 * edits);
  });

  test.each([3, 12])("a paragraph that comes and goes beside one of the page's own %i tips is told", (tips) => {
    const states = range(40).map((page) => statesOf(page, seed));
    const show = (page: number, { day, number }: Ask) => {
      const more = stateOn(states[page] ?? [], day) % 2 === 1 ? [prose(3_000 + page)] : [];
      const tip = `Tip: ${prose(50_000 + 20 * page + Math.floor(tips * drawn(number, seed)))}`;
      return version([prose(400 + page).slice(0, 24), ...own(page), ...more, tip]);
    };
    const told = new WatchedHost(40, show).run(60);
    const seen = new Set<string>();
    let wrong = 0;
    for (const { page, day } of told) {
      const state = `${page} ${stateOn(states[page] ?? [], day)}`;
      // The first days find that there is noise.
      if (day > 5 && (seen.has(state) || state.endsWith(" 0"))) wrong += 1;
      seen.add(state);
    }
    const turns = states.reduce((sum, days) => sum + days.filter((day) => day > 5 && day < 52).length, 0);
    expect([...seen].length).toBeGreaterThanOrEqual(0.9 * turns);
    expect(wrong).toBeLessThanOrEqual(0.04 * told.length);
  });
});

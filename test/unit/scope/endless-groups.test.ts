import { describe, expect, test } from "vitest";
import {
  EMPTY_ENDLESS,
  type HostEndless,
  isNewsByNumbers,
  isSample,
  isSlowed,
  learnPages,
  QUIET_PAGES,
  quickenedGroups,
} from "../../../src/scope/endless-groups.ts";
import { KnownWords } from "../../../src/scope/known-words.ts";
import { changedShapes, numbersOf } from "../../../src/scope/number-shapes.ts";
import { type PageSayings, sayingsOf } from "../../../src/scope/page-sayings.ts";
import { groupsOf } from "../../../src/scope/url-groups.ts";

const ORIGIN = "https://a.test";

interface Page {
  path: string;
  text: string;
  title?: string;
  links?: string[];
  pictures?: string[];
}

const groupOf = ({ path }: Page) => groupsOf(ORIGIN + path)[0] ?? "";

function saysOf(page: Page): PageSayings {
  const { path, text, title, links = [], pictures = [] } = page;
  const written = { title: title ?? null, text, links: links.map((to) => ORIGIN + to), pictures };
  return sayingsOf({ url: ORIGIN + path, ...written }, (to) => groupsOf(to)[0] === groupOf(page));
}

const learn = (host: HostEndless, page: Page): HostEndless =>
  learnPages(host, [{ group: groupOf(page), says: saysOf(page) }]);

const learnAll = (pages: number, page: (n: number) => Page, from = EMPTY_ENDLESS) =>
  Array.from({ length: pages }, (_, n) => page(n)).reduce(learn, from);
const slowedOf = (host: HostEndless) => Object.keys(host.groups).filter((group) => isSlowed(host, group));
const ITEMS = Array.from({ length: 20 }, (_, i) => `/item-${String.fromCharCode(97 + i)}`);

const QUIET: Record<string, (n: number) => Page> = {
  "a counter": (n) => ({ path: `/f?c=${n}`, text: `Facet ${n}\nFilter ${2 * n}`, links: [`/f?c=${2 * n}`] }),
  "the same page": (n) => ({ path: `/v?key=k${n}x`, text: "About us\nWe sell what we make" }),
  "months without events": (n) => ({
    path: `/cal?year=${2000 + Math.floor(n / 12)}&month=${1 + (n % 12)}`,
    text: `${new Date(Date.UTC(2000, n % 12)).toLocaleString("en", { month: "long", timeZone: "UTC" })} ${2000 + Math.floor(n / 12)}\nNo events`,
  }),
  "a list of known items under a heading of known words": (n) => ({
    path: `/shop?c=${n % 7}&s=${Math.floor(n / 7)}`,
    text: `${["red", "blue", "green"][n % 3]}, ${["large", "small"][n % 2]}: ${n * 3} results`,
    links: ITEMS.filter((_, i) => (i * 7 + n) % 3 === 0),
  }),
  "a login that returns to the page": (n) => ({ path: `/p?n=${n}`, text: "Hello", links: [`/login?return=/p?n=${n}`] }),
};

test.each(Object.entries(QUIET))("%s: slowed", (_, page) => {
  expect(slowedOf(learnAll(350, page))).toHaveLength(1);
});

const NEWS: Record<string, (n: number) => Page> = {
  "a number that is not in the URL": (n) => ({ path: `/i?id=${n}`, text: `Screw\nWeight ${10_000 + n * 7} mg` }),
  "known numbers under another title": (n) => ({
    path: `/screw/m${n % 9}x${Math.floor(n / 9)}`,
    title: `Screw M${n % 9}×${Math.floor(n / 9)}`,
    text: `Price ${n % 40} EUR`,
  }),
  "a picture": (n) => ({ path: `/photo/${n}`, text: "Taken by us", pictures: [`${ORIGIN}/img/${n}.jpg`] }),
  "a name of known words": (n) => ({
    path: `/p?id=${n}`,
    text: `${["red", "blue", "green", "pink"][n % 4]} ${"abcdefghij"[Math.floor(n / 4) % 10]}x ${"klmnopqrst"[Math.floor(n / 40) % 10]}y`,
  }),
  "links to new pages": (n) => ({ path: `/list?page=${n}`, text: "More", links: [`/item-${"ab"[n % 2]}${n}q`] }),
};

test.each(Object.entries(NEWS))("%s: at full speed", (_, page) => {
  expect(slowedOf(learnAll(390, page))).toEqual([]);
});

test("a group is slowed at the 200th page without news, and has its speed again at the first one with news", () => {
  const quiet = (n: number): Page => ({ path: `/v?key=k${n}x`, text: "About us" });
  // The first page is news.
  expect(slowedOf(learnAll(QUIET_PAGES, quiet))).toEqual([]);
  const slowed = learnAll(QUIET_PAGES + 1, quiet);
  expect(slowedOf(slowed)).toEqual([`${ORIGIN}/v?**`]);
  const again = learn(slowed, { path: "/v?key=k999x", text: "Something else" });
  expect(quickenedGroups(slowed, again)).toEqual([`${ORIGIN}/v?**`]);
});

describe("numbers that change from visit to visit", () => {
  const facet = (n: number): Page => ({ path: `/v?key=k${n}x`, text: `About us\nMade in ${n * 7}.${n} ms` });
  const noiseOf = (page: Page, again: Page) => changedShapes(numbersOf(saysOf(page)), numbersOf(saysOf(again)));
  const noise = noiseOf(facet(1), { ...facet(1), text: "About us\nMade in 3.5 ms" });
  const learnWith = (host: HostEndless, page: Page, shapes: readonly number[]) =>
    learnPages(host, [{ group: groupOf(page), says: saysOf(page), noise: shapes }]);

  test("are news without another look, and none after it", () => {
    expect(slowedOf(learnAll(300, facet))).toEqual([]);
    const known = learnWith(learnAll(1, facet), facet(1), noise);
    expect(slowedOf(learnAll(300, facet, known))).toEqual([`${ORIGIN}/v?**`]);
  });

  test("are noted with a page that was counted before, too", () => {
    const once = learnAll(2, facet);
    expect(learnWith(once, facet(1), noise).groups[`${ORIGIN}/v?**`]).toMatchObject({ pages: 2, noise });
    expect(learnWith(once, facet(1), [])).toBe(once);
  });

  test("do not hide other news, nor other numbers, nor numbers of another group", () => {
    const known = learnWith(learnAll(1, facet), facet(1), noise);
    const slowed = learnAll(300, facet, known);
    for (const text of ["Something else\nMade in 8 ms", "About us\nMade in 8 ms\nWeight 8 g"])
      expect(slowedOf(learn(slowed, { path: "/v?key=k999x", text }))).toEqual([]);
    const other = (n: number): Page => ({ path: `/w?key=k${n}x`, text: `About us\nMade in ${n * 7}.${n} ms` });
    expect(slowedOf(learnAll(300, other, slowed))).toEqual([`${ORIGIN}/v?**`]);
  });

  test.each<[string, boolean, Page]>([
    ["a known line with another number", true, { path: "/v?key=k999x", text: "About us\nWeight 12 g" }],
    ["a picture with another number in its query", true, { path: "/v?key=k9x", text: "", pictures: ["/i?r=3"] }],
    ["another line", false, { path: "/v?key=k999x", text: "Something else\nWeight 12 g" }],
    ["a picture", false, { path: "/v?key=k999x", text: "", pictures: ["/i/3.jpg"] }],
    ["nothing", false, { path: "/v?key=k999x", text: "About us" }],
  ])("%s is news by its numbers alone: %s", (_, isByNumbers, page) => {
    const host = learnAll(3, facet);
    const judged = { group: groupOf(page), says: saysOf(page) };
    expect(isNewsByNumbers(host, KnownWords.from(host.known), judged)).toBe(isByNumbers);
  });
});

test("a page that is learned twice counts once", () => {
  const page = { path: "/v?key=1", text: "About us" };
  const once = learn(EMPTY_ENDLESS, page);
  expect(learn(once, page)).toBe(once);
});

test("one in 50 URLs is a sample, and one in 1,000 beyond those that are listed", () => {
  const urls = Array.from({ length: 20_000 }, (_, n) => `${ORIGIN}/v?key=${n}`);
  const samples = (held: number) => urls.filter((url) => isSample("crawl", url, held, 10)).length;
  expect(samples(0)).toBeGreaterThan(300);
  expect(samples(0)).toBeLessThan(500);
  expect(samples(10)).toBeLessThan(50);
});

test.each([
  ["/shop?color=red", ["/shop?**", "/**"]],
  ["/product/17", ["/product/*", "/product/**", "/**"]],
  ["/product/", ["/product/", "/product/**", "/**"]],
  ["/a/b/c", ["/a/b/*", "/a/**", "/**"]],
  ["/about", ["/*", "/**"]],
  ["/item-17.html", ["/item-*.html", "/**"]],
])("the groups of %s", (path, groups) => {
  expect(groupsOf(ORIGIN + path)).toEqual(groups.map((group) => ORIGIN + group));
});

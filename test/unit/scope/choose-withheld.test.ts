import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chooseWithheld, type WithheldLink } from "../../../src/scope/choose-withheld.ts";
import { drawnPlace } from "../../../src/scope/same-page-rules.ts";

const PAGE = "https://a.test/item-";

function links(count: number, changes: Partial<WithheldLink> = {}, from = 0): WithheldLink[] {
  return Array.from({ length: count }, (_, i) => {
    return { url: `${PAGE}${from + i}?view=full`, same: [`${PAGE}${from + i}`], ...changes };
  });
}

const FACTS = {
  tested: 0,
  isRuled: () => true,
  isStored: () => true,
  orderOf: (url: string) => drawnPlace("crawl", url),
};

const urlsOf = (some: readonly WithheldLink[]) => some.map(({ url }) => url).toSorted();

describe("tests of a rule", () => {
  test.each<[string, WithheldLink[], number, number]>([
    ["all of up to a hundred URLs", links(99), 0, 99],
    ["a hundred of more", links(800), 0, 100],
    ["a tenth of many", links(3_001), 0, 301],
    ["none again", links(900), 100, 0],
    ["as many more as there are more URLs", links(2_900), 100, 200],
    ["a hundred of those that copies led to, if there are too few others", links(5_000, { ofCopy: true }), 0, 100],
    ["others first", [...links(60), ...links(5_000, { ofCopy: true }, 60)], 0, 100],
  ])("are %s", (_, all, tested, expected) => {
    const { released, tests, kept, isOpen } = chooseWithheld(all, { ...FACTS, tested });
    expect([released.length, tests.length, kept.length, isOpen]).toEqual([0, expected, all.length - expected, false]);
    const own = all.filter(({ ofCopy }) => ofCopy === undefined);
    if (own.length < all.length) expect(urlsOf(tests)).toEqual(expect.arrayContaining(urlsOf(own)));
  });

  test("are drawn by the crawl, so that a site cannot know them", () => {
    const drawn = (crawl: string) =>
      urlsOf(chooseWithheld(links(1_000), { ...FACTS, orderOf: (url) => drawnPlace(crawl, url) }).tests);
    expect(drawn("one")).toEqual(drawn("one"));
    expect(drawn("one").filter((url) => drawn("two").includes(url)).length).toBeLessThan(30);
  });
});

describe("URLs are released", () => {
  test("if no rule speaks of them any more", () => {
    const { released, kept } = chooseWithheld(links(500), { ...FACTS, isRuled: () => false });
    expect([released.length, kept.length]).toEqual([500, 0]);
  });

  test("if no URL of their page was stored, more of them at each look", () => {
    const ofOnePage = Array.from({ length: 9 }, (_, i) => ({ url: `${PAGE}1?zs=${i}x`, same: [`${PAGE}1`] }));
    let left: WithheldLink[] = ofOnePage;
    const released: number[] = [];
    while (left.length > 0) {
      const choice = chooseWithheld(left, { ...FACTS, isStored: () => false });
      released.push(choice.released.length);
      expect(choice.isOpen).toBe(choice.kept.length > 0);
      left = choice.kept;
    }
    expect(released).toEqual([1, 2, 4, 2]);
  });

  test("no more once one of them is stored", () => {
    const ofOnePage = Array.from({ length: 9 }, (_, i) => ({ url: `${PAGE}1?zs=${i}x`, same: [`${PAGE}1`] }));
    const first = chooseWithheld(ofOnePage, { ...FACTS, isStored: () => false });
    const stored = first.released[0]?.url;
    const second = chooseWithheld(first.kept, { ...FACTS, tested: 100, isStored: (url) => url === stored });
    expect([second.released.length, second.kept.length, second.isOpen]).toEqual([0, 8, false]);
  });
});

test("each URL is in one of the three, and a look at what is kept decides nothing else", () => {
  const link = fc.record({
    url: fc.integer({ min: 0, max: 400 }).map((i) => `${PAGE}${i}?view=full`),
    same: fc.integer({ min: 0, max: 50 }).map((i) => [`${PAGE}${i}`]),
    ofCopy: fc.option(fc.constant(true as const), { nil: undefined }),
  });
  const all = fc.uniqueArray(link, { selector: ({ url }) => url, maxLength: 400 });
  fc.assert(
    fc.property(all, fc.nat(200), fc.nat(4), (drawn, tested, lost) => {
      const some = drawn.map(({ ofCopy, ...one }) => (ofCopy === undefined ? one : { ...one, ofCopy }));
      const isStored = (url: string) => Number(url.slice(PAGE.length)) % 5 >= lost;
      const { released, tests, kept } = chooseWithheld(some, { ...FACTS, tested, isStored });
      expect(urlsOf([...released, ...tests, ...kept])).toEqual(urlsOf(some));
      const again = chooseWithheld(
        kept.filter(({ same }) => same.some(isStored)),
        { ...FACTS, tested: tested + tests.length, isStored },
      );
      expect([again.released.length, again.tests.length, again.isOpen]).toEqual([0, 0, false]);
    }),
  );
});

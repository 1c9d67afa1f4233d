import { describe, expect, test } from "vitest";
import { randomFrom } from "../../../bench/freshness/random.ts";
import { noteShownTexts, noteStoredTexts, type ShownTexts } from "../../../src/changes/noise/lasting-texts.ts";
import type { PageVersion } from "../../../src/changes/page-version.ts";
import { version } from "./version.ts";

/** What has changed at places of noise: each look shows it, and none did before. */

const FIRST = ["Name", "First part.", "Tip: one", "Imprint"];

/** The visit at which something is found to have changed, and the version with that; null for never. */
function firstLasting(
  looks: readonly (readonly string[])[],
  stored = FIRST,
): { at: number; blocks: readonly string[] } | null {
  let shown: ShownTexts | undefined;
  const before = version(stored);
  for (const [at, blocks] of looks.entries()) {
    if (blocks.join() === stored.join()) {
      if (shown !== undefined) shown = noteStoredTexts(shown);
      continue;
    }
    const { texts, lasting } = noteShownTexts(shown, 0, before, version(blocks), null);
    shown = texts;
    if (lasting !== null) return { at, blocks: lasting.blocks };
  }
  return null;
}

const repeat = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const tip = (number: number) => `Tip: ${number}`;

describe("a block beside a tip that each request draws", () => {
  const page = (tipNumber: number, ...more: string[]) => ["Name", "First part.", ...more, tip(tipNumber), "Imprint"];

  test("has come once six looks in a row show it", () => {
    const looks = [...repeat(8, (at) => page(at)), ...repeat(9, (at) => page(50 + at, "There is more."))];
    expect(firstLasting(looks)).toEqual({
      at: 13,
      blocks: ["Name", "First part.", "There is more.", "Tip: one", "Imprint"],
    });
  });

  test("has gone once six looks in a row lack it", () => {
    const stored = ["Name", "First part.", "Second part.", "Tip: one", "Imprint"];
    const looks = [...repeat(8, (at) => page(at, "Second part.")), ...repeat(9, (at) => page(50 + at))];
    expect(firstLasting(looks, stored)).toEqual({ at: 13, blocks: FIRST });
  });

  test("has not come for good where it is there for less", () => {
    const looks = repeat(60, (at) => (at % 12 < 4 ? page(at, "There is more.") : page(at)));
    expect(firstLasting(looks)).toBeNull();
  });
});

test("a price in two currencies has changed once the looks show two new ones alone", () => {
  const page = (euros: number, at: number) => [
    "Name",
    at % 5 === 2 ? `$${euros * 2}` : `${euros} EUR`,
    "Text.",
    "Imprint",
  ];
  const looks = [...repeat(9, (at) => page(40, at)), ...repeat(12, (at) => page(44, at))];
  expect(firstLasting(looks, page(40, 0))).toMatchObject({ at: 13 });
});

test("what its visits found stored counts where nothing else is known", () => {
  const page = (euros: number) => version(["Name", `${euros} EUR`, "Imprint"]);
  let shown: ShownTexts | undefined;
  const found = repeat(6, () => {
    const noted = noteShownTexts(shown, 20, page(40), page(44), null);
    shown = noted.texts;
    return noted.lasting !== null;
  });
  expect(found).toEqual([false, false, false, false, true, true]);
});

test("a title changes as a block does", () => {
  const titled = (title: string) => version(FIRST, { title });
  let shown: ShownTexts | undefined;
  let lasting: PageVersion | null = null;
  for (let at = 0; at < 6; at++) {
    const noted = noteShownTexts(shown, 20, titled("Old"), titled(at % 2 === 0 ? "New" : "Why new"), null);
    shown = noted.texts;
    lasting ??= noted.lasting;
  }
  expect(lasting?.title).toMatch(/New|Why new/u);
});

/** Of sites whose pages say the same all the time: the share of pages that are told once in a hundred looks. */
function wrongOf(page: (draw: () => number) => string[]): number {
  const pages = 150;
  const random = randomFrom(7);
  const wrong = repeat(pages, () =>
    firstLasting(
      repeat(100, () => page(random)),
      page(random),
    ),
  ).filter((found) => found !== null);
  return wrong.length / pages;
}

describe.each([2, 3, 4, 5, 8, 12, 30, 1_000])("one of %i texts for each request", (texts) => {
  test("is no change of its page", () => {
    const share = wrongOf((draw) => ["Name", "Text.", `Tip: ${Math.floor(draw() * texts)}`, "Imprint"]);
    expect(share).toBeLessThan(0.05);
  });
});

describe.each([5, 8, 12, 30])("four of %i items for each request", (items) => {
  test("are no change of their page", () => {
    const share = wrongOf((draw) => {
      const drawn = repeat(4, () => `Item ${Math.floor(draw() * items)}`);
      return ["Name", "Text.", "See also", ...new Set(drawn), "Imprint"];
    });
    expect(share).toBeLessThan(0.06);
  });
});

test("a counter, a token and a list of random links do not fill the memory of a page", () => {
  const random = randomFrom(3);
  let shown: ShownTexts | undefined;
  for (let at = 0; at < 300; at++) {
    const blocks = repeat(60, () => `Link ${Math.floor(random() * 9_999)}`);
    shown = noteShownTexts(shown, 0, version(FIRST), version([...FIRST, ...blocks, `${at} readers`]), null).texts;
  }
  expect(JSON.stringify(shown).length).toBeLessThan(1_500);
});

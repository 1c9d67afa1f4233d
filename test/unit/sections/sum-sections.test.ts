import fc from "fast-check";
import { expect, test } from "vitest";
import { packColumns, readColumns } from "../../../src/passes/text/section-columns.ts";
import { SECTION_KINDS, SECTION_STATUSES } from "../../../src/sections/section.ts";
import { literalPrefix, sectionName } from "../../../src/sections/section-name.ts";
import {
  countPlaces,
  placeOf,
  type RankedExample,
  type SectionRow,
  SectionSums,
} from "../../../src/sections/sum-sections.ts";

/** The sums of sections: each row counts once. */

const PAGE: SectionRow = {
  pattern: 0,
  kind: "article",
  status: "completed",
  bytes: 10,
  fetchMs: 2,
  words: 100,
  contentLinks: 3,
  navigationLinks: 7,
  rank: 0.5,
  changes: 0,
  days: 0,
};
const rows = (count: number, changes: Partial<SectionRow> = {}): SectionRow[] =>
  Array.from({ length: count }, () => ({ ...PAGE, ...changes }));

function sum(all: readonly SectionRow[], patterns = 100, examples: [number, RankedExample[]][] = []) {
  const counts = new Uint32Array(countPlaces(patterns));
  for (const { pattern, kind } of all) {
    const place = placeOf(pattern, kind);
    counts[place] = (counts[place] ?? 0) + 1;
  }
  const sums = new SectionSums(counts);
  for (const row of all) sums.add(row);
  for (const [place, some] of examples) sums.addExamples(place, some);
  return sums.finish(
    Array.from({ length: patterns }, (_, i) => `https://a.test/${i}/*`),
    (rank) => Math.round(rank * 100),
  );
}

test.each([
  { rows: [...rows(20), ...rows(6, { kind: "listing" })], kinds: { article: 20, listing: 6 } },
  { says: "too few", rows: [...rows(20), ...rows(4, { kind: "listing" })], kinds: { article: 24 } },
  { says: "too small a share", rows: [...rows(90), ...rows(10, { kind: "listing" })], kinds: { article: 100 } },
  { says: "nothing known", rows: [...rows(20), ...rows(60, { kind: "other" })], kinds: { article: 80 } },
  { says: "nothing read", rows: [...rows(20), ...rows(60, { kind: null, status: "queued" })], kinds: { article: 80 } },
  { says: "no page", rows: rows(3, { kind: null, status: "errored" }), kinds: { null: 3 } },
  { says: "assets", rows: [...rows(10), ...rows(10, { kind: "asset" })], kinds: { article: 10, asset: 10 } },
])("kinds of one pattern are sections if there are enough: $kinds", ({ rows: all, kinds }) => {
  expect(Object.fromEntries(sum(all).sections.map(({ kind, urls }) => [String(kind), urls]))).toEqual(kinds);
});

test("a section has medians, a mean rank, a rate, and its best pages as examples", () => {
  const example = (url: string, rank: number, isStored = true) => ({ url, title: url, rank, isStored });
  const found = sum(
    [
      ...rows(1, { words: 50, rank: 0.1, changes: 1, days: 10 }),
      ...rows(1, { words: 70, rank: 0.3, changes: 2, days: 20, contentLinks: null }),
      ...rows(1, { words: null, status: "errored", rank: 0.9, navigationLinks: 9 }),
    ],
    1,
    [
      [placeOf(0, "article"), [example("b", 0.1), example("a", 0.1), example("gone", 0.9, false)]],
      [placeOf(0, "other"), [1, 2, 3].map((i) => example(`${i}`, i))],
    ],
  );
  expect(found.sections).toMatchObject([
    { urls: 3, words: 50, contentLinks: 3, navigationLinks: 7, rank: 20, changesPerMonth: 3, bytes: 30, fetchMs: 6 },
  ]);
  expect(found.sections[0]?.examples.map(({ url }) => url)).toEqual(["3", "2", "1", "a", "b"]);
  expect(found.others).toBeNull();
});

const row: fc.Arbitrary<SectionRow> = fc.record({
  pattern: fc.nat(99),
  kind: fc.option(fc.constantFrom(...SECTION_KINDS)),
  status: fc.constantFrom(...SECTION_STATUSES),
  bytes: fc.nat(),
  fetchMs: fc.nat(),
  words: fc.option(fc.nat()),
  contentLinks: fc.option(fc.nat()),
  navigationLinks: fc.option(fc.nat()),
  rank: fc.double({ min: 0, max: 1, noNaN: true }),
  changes: fc.nat(),
  days: fc.nat(),
});

test("each row counts in one section, or in the sum of the others, and at most 50 are named", () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 300 }), (all) => {
      const { sections, others, total } = sum(all);
      expect(sections.length).toBeLessThanOrEqual(50);
      const parts = [...sections, ...(others === null ? [] : [others])];
      const add = (of: (part: (typeof parts)[number]) => number) => parts.reduce((some, part) => some + of(part), 0);
      expect(add(({ urls }) => urls)).toBe(all.length);
      expect(add(({ bytes }) => bytes)).toBe(all.reduce((some, { bytes }) => some + bytes, 0));
      expect(add(({ fetchMs }) => fetchMs)).toBe(total.fetchMs);
      for (const name of SECTION_STATUSES)
        expect(add(({ statuses }) => statuses[name])).toBe(all.filter(({ status }) => status === name).length);
      const names = sections.map(({ pattern, kind }) => `${pattern} ${kind}`);
      expect(new Set(names).size).toBe(names.length);
    }),
  );
});

test("columns keep what is summed up", () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 20 }), (all) => {
      const columns = all.map(({ rank: _, changes: __, days: ___, ...rest }) => rest);
      expect([...readColumns(new Uint8Array(packColumns(columns)))]).toEqual(columns);
    }),
  );
});

test.each([
  ["https://a.test/", "home", "Home page", "https://a.test/"],
  ["https://a.test/index.html", "documentation", "Home page", "https://a.test/index.html"],
  ["https://a.test/blog/*/*", "article", "Articles in /blog/", "https://a.test/blog/"],
  ["https://a.test/git-*.html", "documentation", "Documentation in /git-*", "https://a.test/git-"],
  ["https://a.test/*-members.html", "documentation", "Documentation in /*-members", "https://a.test/"],
  ["https://a.test/ref_*_api.html", "documentation", "Documentation in /ref_*_api", "https://a.test/ref_"],
  ["https://a.test/*/page-2", "forum", "Forum in /", "https://a.test/"],
  ["https://a.test/list?page=*", "listing", "Lists in /list?page=*", "https://a.test/list?page="],
  ["https://a.test/about", "other", "Pages in /about", "https://a.test/about"],
  ["https://a.test/**", null, "Other URLs in /", "https://a.test/"],
  ["*://*/**", "other", "Other pages in /", ""],
] as const)("%s is called after its kind and place", (pattern, kind, name, prefix) => {
  expect([sectionName(pattern, kind), literalPrefix(pattern)]).toEqual([name, prefix]);
});

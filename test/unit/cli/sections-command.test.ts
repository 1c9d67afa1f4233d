import { expect, test } from "vitest";
import type { SectionsView, SectionView } from "../../../src/api/views.ts";
import { describeSections } from "../../../src/cli/queries/sections-command.ts";

/** The sections of a site in a terminal. */

const counts = { urls: 1_200, statuses: { completed: 1_000, errored: 200 }, bytes: 5_000_000, fetchMs: 10 };
const shares = { pageShare: 0.5, byteShare: 0.5, timeShare: 0.052 };
const SECTION: SectionView = {
  name: "Articles in /blog/",
  pattern: "https://a.test/blog/*",
  prefix: "https://a.test/blog/",
  kind: "article",
  ...counts,
  ...shares,
  words: null,
  contentLinks: 3,
  navigationLinks: 9,
  rank: 96,
  changesPerMonth: null,
  examples: [],
};

function describe(sections: SectionView[], others: SectionsView["others"] = null): string[] {
  const found = { analyzedAt: "2026-11-23T02:27:00.000Z", total: counts, sections, others };
  return describeSections("id", found, { state: ".orbweaver" }).split("\n");
}

test("a column that says nothing of any section is left out", () => {
  expect(describe([SECTION])).toEqual([
    "1,200 URLs in 1 section, analyzed at 2026-11-23 02:27 UTC.",
    "All patterns begin with https://a.test",
    "",
    "URLs   stored  pages  bytes  time  kind     pattern",
    "1,200  1,000   50%    5 MB   5.2%  article  /blog/*",
    "",
    "With examples: npm run orbweaver -- sections id --json",
  ]);
});

test("words, changes, several hosts, what was not read, and the sum of the others", () => {
  const second = { ...SECTION, pattern: "https://b.test/*", kind: null, words: 1_500, changesPerMonth: 2.04 };
  expect(describe([SECTION, second], { sections: 7, ...counts, ...shares })).toEqual([
    "1,200 URLs in 9 sections, analyzed at 2026-11-23 02:27 UTC.",
    "",
    "URLs   stored  pages  bytes  time  kind      words  changes/month  pattern",
    "1,200  1,000   50%    5 MB   5.2%  article   -      -              https://a.test/blog/*",
    "1,200  1,000   50%    5 MB   5.2%  not read  1,500  2.0            https://b.test/*",
    "1,200  1,000   50%    5 MB   5.2%                                  7 smaller sections",
    "",
    "With examples: npm run orbweaver -- sections id --json",
  ]);
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseQuery } from "../../../src/search/query.ts";
import { type Candidate, rankByLeads, rankByNames } from "../../../src/search/rank-hits.ts";

/** A candidate: its title, the end of its URL, and its BM25. */
type Written = [title: string | null, end: string, bm25: number, rank?: number | null];

const candidate = ([title, end, bm25, rank = null]: Written): Candidate => ({
  title,
  url: `https://a.test/docs/${end}`,
  bm25,
  rank,
});

/** The first candidate is expected to come first. */
test.each<[query: string, ...candidates: Written[]]>([
  ["the better text of two without names", [null, "1", 3], [null, "2", 2]],
  [
    "git commit",
    ["git-commit(1)", "git-commit.html", 1],
    ["git-commit-tree(1)", "git-commit-tree.html", 2],
    ["FAQ", "f", 2.2],
  ],
  [
    "commits",
    ["git-commit(1)", "git-commit.html", 1],
    ["git-verify-commit(1)", "git-verify-commit.html", 1.1],
    ["News", "n", 1.2],
  ],
  ["hooks", ["githooks(5)", "githooks", 1], ["How to rebuild from the update hook", "how-to-rebuild", 1.2]],
  [
    "release notes",
    [null, "release-notes", 2],
    ["Notes", "1", 2.2],
    ["The long story of a release, and notes", "2", 2],
  ],
  ["爬虫", ["网络爬虫", "1", 2], ["搜索", "2", 2.2]],
  ["crawl*", ["Crawlers", "1", 2], ["Robots", "2", 2.2]],
  ["it", ["A word", "1", 2.2], ["git", "git", 2]],
  ["one of two that match alike has more links", [null, "1", 2, 130], [null, "2", 2.1, 96], [null, "3", 2, null]],
  ["a page without an analysis counts as average", [null, "1", 2, null], [null, "2", 2, 90]],
  ["commit git", ["git-commit(1)", "git-commit.html", 1, 90], ["Index", "index", 2, 140]],
])("%s", (query, ...written) => {
  const candidates = written.map(candidate);
  for (const given of [candidates, candidates.toReversed()])
    expect(rankByNames(parseQuery(query), given)[0]).toMatchObject(candidates[0] as Candidate);
});

describe("first sentences", () => {
  const ranked = rankByNames(parseQuery("last modified line"), [
    candidate([null, "1", 3]),
    candidate([null, "2", 2]),
    candidate([null, "3", 1.9]),
  ]);
  const order = (leads: string[]) =>
    rankByLeads(parseQuery("last modified line"), ranked, leads).map(({ url }) => url.at(-1));

  test("put the page first that they are about", () => {
    expect(order(["Coding guidelines", "Show who last modified each line of a file", ""])).toEqual(["2", "1", "3"]);
  });

  test("count for the pages alone whose sentences are given", () => {
    expect(order([])).toEqual(["1", "2", "3"]);
    expect(order(["", "last modified line"])).toEqual(["2", "1", "3"]);
  });
});

test("ranking keeps every candidate, with a finite score, best first", () => {
  const word = fc.constantFrom("git", "commit", "commits", "爬虫", "über", "-", "", "A");
  const name = fc.array(word, { maxLength: 6 }).map((words) => words.join(" "));
  const given = fc.record({
    url: fc.oneof(
      name.map((text) => `https://a.test/${encodeURIComponent(text)}`),
      fc.string(),
    ),
    title: fc.option(name),
    rank: fc.option(fc.integer({ min: 0, max: 255 })),
    bm25: fc.double({ min: 0, max: 50, noNaN: true }),
  });
  fc.assert(
    fc.property(name, fc.array(given), (query, candidates) => {
      const terms = parseQuery(query);
      const leads = candidates.map(({ title }) => title ?? "");
      const ranked = rankByLeads(terms, rankByNames(terms, candidates), leads);
      expect(ranked.map(({ score: _, ...each }) => each)).toEqual(expect.arrayContaining(candidates));
      expect(ranked).toHaveLength(candidates.length);
      const scores = ranked.map(({ score }) => score);
      expect(scores.every(Number.isFinite)).toBe(true);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    }),
  );
});

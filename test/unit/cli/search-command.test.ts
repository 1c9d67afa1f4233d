import { Command } from "commander";
import { expect, test, vi } from "vitest";
import type { SearchHitView, SearchView } from "../../../src/api/views.ts";
import { Client } from "../../../src/cli/installation/client.ts";
import { addSearchCommand, describeHits } from "../../../src/cli/queries/search-command.ts";

const HIT: SearchHitView = {
  crawl: "c",
  url: "https://a.test/",
  title: "A\n title",
  snippet: [
    { text: "a ", hit: false },
    { text: "hit", hit: true },
    { text: " \u001b[31m", hit: false },
  ],
  score: 1,
  fetchedAt: null,
  twins: 0,
  rank: null,
  inLinks: null,
  authority: null,
};
const NO_HITS: SearchView = { hits: [], total: 0, isAtLeast: false, cursor: null, note: null, corrected: [] };
const bold = (text: string) => `<${text}>`;

test("a hit has three lines, without control sequences", () => {
  expect(describeHits({ ...NO_HITS, hits: [HIT], total: 12 }, bold)).toBe(
    "1. A title\n   https://a.test/\n   a <hit> \ufffd[31m\n\n12 pages match. These are the first 1; --limit N shows more, up to 100.",
  );
  expect(describeHits({ ...NO_HITS, hits: [{ ...HIT, title: null, snippet: [] }], total: 1 }, bold)).toBe(
    "1. (no title)\n   https://a.test/\n\n1 page matches.",
  );
});

test("a hit says for how many pages it stands", () => {
  expect(describeHits({ ...NO_HITS, hits: [{ ...HIT, twins: 1 }], total: 1 }, bold)).toContain(
    "\n   1 other page with the same text; --twins shows each\n",
  );
});

test("a note about the hits comes before them", () => {
  const note = "No page has all of the words. These pages have some of them.";
  expect(describeHits({ ...NO_HITS, hits: [HIT], total: 20_000, isAtLeast: true }, bold)).toContain(
    "At least 20,000 pages match.",
  );
  expect(describeHits({ ...NO_HITS, hits: [HIT], total: 1, note }, bold)).toMatch(
    /^No page has all [^\n]*\n\n1\. A title/,
  );
});

test("without hits, the note says why", () => {
  expect(describeHits(NO_HITS, bold)).toBe("No page matches.");
  expect(describeHits({ ...NO_HITS, note: "Nothing is indexed." }, bold)).toBe("Nothing is indexed.");
});

test.each([
  [["crawler", "-robots"], "crawler -robots", 10, "group"],
  [["-robots", "crawler", "--limit", "5"], "crawler -robots", 5, "group"],
  [["--limit", "5", "crawler", "-history", "web", "--twins"], "crawler -history web", 5, "all"],
])("%j searches for %s", async (args, query, limit, twins) => {
  const search = vi.spyOn(Client.prototype, "search").mockResolvedValue(NO_HITS);
  vi.spyOn(console, "log").mockReturnValue();
  const program = new Command();
  addSearchCommand(program);
  await program.parseAsync(["search", ...args, "--remote", "https://a.test", "--token", "t"], { from: "user" });
  const asked = { crawl: undefined, limit, order: "relevance", twins };
  expect(search).toHaveBeenCalledExactlyOnceWith(expect.any(String), asked);
  expect(search.mock.calls[0]?.[0].split(" ").toSorted()).toEqual(query.split(" ").toSorted());
  vi.restoreAllMocks();
});

test("a misspelled option is an error, not a word", async () => {
  const program = new Command();
  addSearchCommand(program);
  const typed = program.parseAsync(["search", "crawler", "--lmit", "5"], { from: "user" });
  await expect(typed).rejects.toThrow("There is no option --lmit");
});

import { expect, test } from "vitest";
import type { SearchView } from "../../../src/api/views.ts";
import { SearchHits } from "../../../src/console/records/search-hits.tsx";

const HIT: SearchView["hits"][number] = {
  crawl: "c1",
  url: "https://a.test/?x=<b>",
  title: null,
  snippet: [
    { text: "before <script>", hit: false },
    { text: "spiders&", hit: true },
  ],
  score: 1,
  fetchedAt: "2026-01-01T00:00:00.000Z",
  twins: 0,
  rank: null,
  inLinks: null,
  authority: null,
};
const render = (changes: Partial<SearchView>, twins: "group" | "all" = "group", order = "") => {
  const of = { hits: [HIT], total: 1, isAtLeast: false, cursor: null, note: null, corrected: [], ...changes };
  return String(SearchHits({ of, q: "a b", crawl: "c1", order, twins }));
};

test("a hit says for how many pages it stands, and leads to all of them", () => {
  const html = render({ hits: [{ ...HIT, twins: 2 }] });
  expect(html).toContain('<a href="/search?q=a+b&amp;crawl=c1&amp;twins=all">2 other pages with the same text</a>');
  expect(render({})).not.toContain("same text");
  expect(render({ cursor: "20" }, "all")).toContain("crawl=c1&amp;twins=all&amp;cursor=20");
});

test("a number of pages that is a lower bound is called so", () => {
  expect(render({ total: 20_000, isAtLeast: true })).toMatch(/at least\s+20,000 pages/);
  expect(render({ total: 20_000 })).not.toContain("at least");
});

test("hits are marked, and text of the page is escaped", () => {
  const html = render({});
  expect(html).toContain("before &lt;script&gt;<mark>spiders&amp;</mark>");
  expect(html).toContain(`href="/crawls/c1/record?url=${encodeURIComponent(HIT.url)}"`);
  expect(html).toContain("a.test/?x=&lt;b&gt;");
  expect(html).not.toContain("More");
});

test("a further part is linked, and an empty result shows its note", () => {
  expect(render({ cursor: "20" })).toContain('href="/search?q=a+b&amp;crawl=c1&amp;cursor=20"');
  expect(render({ cursor: "20" }, "group", "authority")).toContain("crawl=c1&amp;order=authority&amp;cursor=20");
  expect(render({ hits: [], note: "Nothing is indexed here." })).toContain("Nothing is indexed here.");
  expect(render({ note: "No page has all of the words." })).toContain("1 page. No page has all of the words.");
});

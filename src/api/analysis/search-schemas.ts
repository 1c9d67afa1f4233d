import * as z from "zod";
import type { SearchHit } from "../../crawl/page/search-hit.ts";
import { MAX_RANKED, MOST_MATCHES } from "../../store/records/search-sql.ts";
import { minRelevance } from "../records/record-schemas.ts";
import {
  choice,
  count,
  isoOrNull,
  listOf,
  NEXT_CURSOR,
  objectOf,
  queryInteger,
  requestOf,
  time,
} from "../requests/fields.ts";

/** Requests and answers of /api/search. */

/** Maximum number of hits of one query, over all pages of results. */
const SEARCH_DEPTH = MAX_RANKED;

const SEARCH_ORDERS = ["relevance", "authority"] as const;

export const searchQuery = requestOf({
  q: z
    .string("say what to look for")
    .trim()
    .min(1, "say what to look for")
    .max(1_000)
    .describe(
      'Words that a page must contain. If no page has all of them, pages with any of them. `"a phrase"`, `begin*` and `-without` work too.',
    ),
  crawl: z
    .string()
    .min(1)
    .optional()
    .describe("Search only this crawl: its id, the beginning of it, or `latest`. Without it: all crawls."),
  limit: queryInteger(1, 100, 10).describe("Maximum number of hits in one answer."),
  twins: choice(["group", "all"], "group").describe(
    "Pages with the same text, or almost the same, that an analysis found: the best hit of each group (`group`), or each page (`all`).",
  ),
  order: choice(SEARCH_ORDERS, "relevance").describe(
    "`relevance`: how well a page matches. `authority`: of the best 200 pages, first those to which the others and their neighbours link most (HITS). It needs `crawl`, and that crawl must be analyzed.",
  ),
  minRelevance,
  /** The number of hits before this page. */
  cursor: queryInteger(0, SEARCH_DEPTH, 0).describe(NEXT_CURSOR),
});

const searchHitView = objectOf({
  crawl: z.string().describe("The newest of the searched crawls that has the page with this text."),
  url: z.string().describe("The canonical URL."),
  title: z.string().nullable().describe("The title of the page."),
  snippet: listOf({
    text: z.string().describe("Plain text."),
    hit: z.boolean().describe("Whether this piece matches the query."),
  }).describe("The best matching part of the page, in pieces."),
  score: z
    .number()
    .describe("Higher is better: how well the title, the URL and the text match. Comparable only within one query."),
  fetchedAt: time.nullable().describe("When the page was fetched."),
  twins: count.describe("Number of other hits with the same text, or almost the same, that are left out."),
  rank: z.int().nullable().describe("PageRank as a logarithmic step, 0 to 255, as in its record. null: not analyzed."),
  inLinks: count.nullable().describe("Number of URLs of its crawl that link to it. null: not analyzed."),
  authority: z
    .number()
    .nullable()
    .describe("With `order=authority`: the score of the links, 0 to 1. Otherwise null, and after the best 200 pages."),
});
export type SearchHitView = z.output<typeof searchHitView>;

/** The closed list of notes. */
export const SEARCH_NOTES = {
  anyWord: "No page has all of the words. These pages have some of them.",
  nearestWords: "No page has some of the words as they are written. These pages have the nearest words.",
  notIndexed: "This crawl was started without search, so none of its pages is indexed.",
  nothingIndexed: "Nothing is indexed here: only the pages of crawls that are started with `search` (`--search`) are.",
} as const;
export type SearchNote = (typeof SEARCH_NOTES)[keyof typeof SEARCH_NOTES];

export const searchView = objectOf({
  hits: z.array(searchHitView).describe("The hits, best first. Each URL appears once."),
  total: count.describe("Number of URLs that match, without twins that are left out."),
  isAtLeast: z
    .boolean()
    .describe(
      `Whether \`total\` is a lower bound: of more than ${MOST_MATCHES} pages that match, the newest are looked at.`,
    ),
  corrected: listOf({
    word: z.string().describe("A word of the query that no page has."),
    by: z.string().describe("The nearest word that pages have, for which was searched instead."),
  }).describe("Words that were searched for by the nearest word, because they look mistyped."),
  cursor: z
    .string()
    .nullable()
    .describe(`Cursor of the next page of results. null: there are no more, or ${SEARCH_DEPTH} hits were returned.`),
  note: z
    .string()
    .nullable()
    .describe(
      "Why no query can find anything, that no hit has all of the words, or that hits have the nearest words. Otherwise null.",
    ),
});
export type SearchView = z.output<typeof searchView>;

export function viewHit({ fetchedAt, ...hit }: SearchHit): SearchHitView {
  return { ...hit, fetchedAt: isoOrNull(fetchedAt) };
}

import { Hono } from "hono";
import type { Crawl } from "../../crawl/crawl.ts";
import type { Deps } from "../../frontier/deps.ts";
import { askLedgers, homeOf, type LedgersDeps } from "../../frontier/ledgers.ts";
import { describeSilent, searchCrawls } from "../../reading/all-crawls.ts";
import { openAuthorities, type ReadAuthorities } from "../../reading/analysis/read-authorities.ts";
import type { PassResults } from "../../reading/needs.ts";
import { parseQuery, type Term } from "../../search/query.ts";
import { runsOf } from "../../search/scripts.ts";
import { findAnyCrawl, findCrawl } from "../crawls/crawl-routes.ts";
import { RequestProblem, refusal } from "../requests/request-problem.ts";
import { SEARCH_NOTES, type SearchNote, type SearchView, searchQuery, viewHit } from "./search-schemas.ts";

/** /api/search: full-text search in all crawls, or in one. */

/** Each word costs a lookup in the index. */
const MAX_WORDS = 32;
/** A phrase is compared with each place of its words, and a beginning merges the lists of all words that have it. */
const MAX_COMPARED = 4;
const MAX_PHRASE_WORDS = 16;
/** Characters of scripts without spaces: such a word is a phrase of its trigrams. */
const MAX_CHARACTERS = 32;
/** In characters. Fewer begin too many words. */
const LEAST_BEGINNING = 3;

export const searchRoutes = new Hono<{ Bindings: Env }>();

searchRoutes.get("/", async (c) => {
  const { q, crawl: id, limit, order, cursor: offset, twins, minRelevance } = searchQuery.parse(c.req.query());
  const terms = searchTerms(q);
  const find = order === "authority" ? findCrawl : findAnyCrawl;
  const crawl = id === undefined ? null : await find(id, c.var.deps);
  const request = { crawl: crawl?.id ?? null, limit, offset, allTwins: twins === "all", minRelevance };
  const scoreUrls = order === "authority" ? await authoritiesOf(crawl, c.var.deps) : undefined;
  const { found, silent } = await searchCrawls(terms, { ...request, scoreUrls }, c.var.deps, crawl?.shards ?? null);
  const { hits, total, isAtLeast, ranked, matchesAny, corrected } = found;
  const end = offset + limit;
  const result: SearchView = {
    hits: hits.map(viewHit),
    total,
    isAtLeast,
    cursor: end < ranked ? String(end) : null,
    corrected: hits.length === 0 ? [] : corrected,
    note:
      hits.length === 0
        ? await emptyIndexNote(crawl, c.var.deps)
        : matchesAny
          ? SEARCH_NOTES.anyWord
          : corrected.length > 0
            ? SEARCH_NOTES.nearestWords
            : null,
  };
  return c.json({ success: true, result, errors: [], messages: describeSilent(silent) });
});

/** Throws if there is no link graph to order by. */
async function authoritiesOf(crawl: Crawl | null, given: PassResults & LedgersDeps): Promise<ReadAuthorities> {
  if (crawl === null)
    throw new RequestProblem(
      "invalid-query",
      "The order by authority takes the links of one crawl: name it by crawl (--crawl ID).",
      "crawl",
    );
  const read = await openAuthorities(crawl.id, homeOf(given, crawl.id));
  if (read !== null) return read;
  throw refusal(409, `This crawl has no link graph yet. Analyze it first: orbweaver analyze ${crawl.id}`);
}

/** Throws RequestProblem for a query that names nothing to look for. */
export function searchTerms(query: string): Term[] {
  const terms = parseQuery(query);
  const spaced = terms.filter(({ unspaced }) => !unspaced);
  if (terms.length - spaced.length + wordsIn(spaced) > MAX_WORDS)
    throw new RequestProblem("invalid-query", `A query may have at most ${MAX_WORDS} words.`);
  const beginning = terms.find(({ prefix, text }) => prefix && [...text].length < LEAST_BEGINNING);
  if (beginning !== undefined)
    throw new RequestProblem(
      "invalid-query",
      `The beginning of a word needs at least ${LEAST_BEGINNING} characters: ${beginning.text}* has fewer.`,
    );
  if (terms.filter(isCompared).length > MAX_COMPARED)
    throw new RequestProblem(
      "invalid-query",
      `A query may have at most ${MAX_COMPARED} phrases and beginnings of words. Words with signs inside, such as to-do, are phrases.`,
    );
  if (wordsIn(spaced.filter(isCompared)) > MAX_PHRASE_WORDS)
    throw new RequestProblem(
      "invalid-query",
      `Phrases may have at most ${MAX_PHRASE_WORDS} words together. Leave out the quotes to look for the words alone.`,
    );
  const characters = terms.flatMap(({ unspaced, text }) => (unspaced ? Array.from(text) : [])).length;
  if (characters > MAX_CHARACTERS)
    throw new RequestProblem(
      "invalid-query",
      `A query may have at most ${MAX_CHARACTERS} characters of scripts without spaces. Name the words that matter.`,
    );
  if (terms.every(({ excluded }) => excluded))
    throw new RequestProblem("invalid-query", "The query names no word to look for, such as: crawler -robots");
  return terms;
}

function wordsIn(terms: readonly Term[]): number {
  return terms.reduce((sum, { text }) => sum + runsOf(text).length, 0);
}

function isCompared({ text, prefix, unspaced }: Term): boolean {
  return !unspaced && (prefix || runsOf(text).length > 1);
}

/** The reason if no query can find anything, else null. */
async function emptyIndexNote(
  crawl: Crawl | null,
  deps: LedgersDeps & Pick<Deps, "searchHits">,
): Promise<SearchNote | null> {
  if (crawl !== null) return crawl.options.search ? null : SEARCH_NOTES.notIndexed;
  const { answers } = await askLedgers(deps, ({ searchHits }) => searchHits.isEmpty());
  return answers.every((isEmpty) => isEmpty) ? SEARCH_NOTES.nothingIndexed : null;
}

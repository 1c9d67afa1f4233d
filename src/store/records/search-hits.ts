import type { SearchHit } from "../../crawl/page/search-hit.ts";
import { groupHits, type Twinned } from "../../search/group-hits.ts";
import { beginningsOf, markHits } from "../../search/mark-hits.ts";
import { type Beginnings, isShort } from "../../search/match-expression.ts";
import {
  type Correction,
  MOST_CORRECTED,
  mayBeMistyped,
  nearestWord,
  nearWords,
  splitNames,
  stemsOf,
} from "../../search/nearest-words.ts";
import type { Term } from "../../search/query.ts";
import {
  type Candidate,
  LEAD_DEPTH,
  LEAD_LENGTH,
  type Ranked,
  rankByLeads,
  rankByNames,
} from "../../search/rank-hits.ts";
import { toPieces } from "../../search/snippet.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";
import {
  askCandidates,
  BEGINNINGS,
  type CandidateQuery,
  LEADS,
  MOST_BEGINNINGS,
  MOST_MATCHES,
  WINDOWS,
  WORD_PAGES,
} from "./search-sql.ts";

/** Searches the index, best hits first. If several crawls have stored a URL, the newest copy that matches counts. */

export interface SearchPage {
  hits: SearchHit[];
  /** URLs that match, without twins that are left out. */
  total: number;
  /** Whether more may match, because only the newest MOST_MATCHES were looked at. */
  isAtLeast: boolean;
  /** Hits that can be shown: as many as match, or fewer if they are too many to rank. */
  ranked: number;
  /** Whether a hit may lack some of the words, because no page has all of them. */
  matchesAny: boolean;
  /** Words that no page has, with those that were searched for instead. */
  corrected: Correction[];
}

export interface SearchRequest extends CandidateQuery {
  limit: number;
  offset: number;
  /** Whether pages with the same text, or almost the same, are hits of their own. */
  allTwins: boolean;
  /** Orders the best hits by these scores of their URLs instead; of equal ones, the better hit is first. */
  scoreUrls?: ((urls: readonly string[]) => Promise<ReadonlyMap<string, number>>) | undefined;
}

type CandidateRow = Candidate &
  Twinned &
  Omit<SearchHit, "snippet" | "score" | "authority" | "twins"> & { id: number; total: number; looked: number };

/** The number of hits that links may order. Kleinberg takes 200 (src/graph/base-set.ts). */
const AUTHORITY_DEPTH = 200;

/** Characters in which the first places of the words are looked for, over all hits that are shown. */
const LOOKED_FOR_WINDOWS = 5_000_000;

const LAST_CHARACTER = "\u{10ffff}";

export class SearchHits extends LedgerStore {
  /**
   * Finds the pages with all terms; if there are none, with the nearest words for those that no page has; then with the
   * parts of names; then with any of the words.
   */
  async find(terms: Term[], request: SearchRequest): Promise<SearchPage> {
    const beginnings = await this.#beginnings(terms.filter(isShort));
    const withAll = await this.#find("all", terms, beginnings, request);
    if (withAll.total > 0) return withAll;
    const corrected = await this.#correct(terms);
    const typed = terms.map((term) => {
      const by = corrected.find(({ word }) => word === term.text)?.by;
      return by === undefined || !mayBeMistyped(term) ? term : { ...term, text: by };
    });
    const tries = [corrected.length > 0 ? typed : null, splitNames(typed)];
    for (const asked of tries) {
      if (asked === null) continue;
      const found = await this.#find("all", asked, beginnings, request);
      if (found.total > 0) return { ...found, corrected };
    }
    const parts = splitNames(typed) ?? typed;
    if (parts.filter(({ excluded }) => !excluded).length < 2) return withAll;
    return { ...(await this.#find("any", parts, beginnings, request)), corrected };
  }

  /** The nearest words for those that no page has. */
  async #correct(terms: readonly Term[]): Promise<Correction[]> {
    const words = [...new Set(terms.filter(mayBeMistyped).map(({ text }) => text))];
    const known = await this.#wordPages(stemsOf(words));
    const mistyped = words.filter((word) => !stemsOf([word]).some((stem) => known.has(stem))).slice(0, MOST_CORRECTED);
    const corrected: Correction[] = [];
    for (const word of mistyped) {
      const by = nearestWord(word, await this.#wordPages(stemsOf(nearWords(word).keys())));
      if (by !== null) corrected.push({ word, by });
    }
    return corrected;
  }

  /** The number of pages that have each stem, of those that any has. */
  async #wordPages(stems: readonly string[]): Promise<Map<string, number>> {
    if (stems.length === 0) return new Map();
    const results = await this.all<{ term: string; pages: number }>(WORD_PAGES, [toJson(stems)]);
    return new Map(results.map(({ term, pages }) => [term, pages]));
  }

  /** Whether the index is empty. */
  async isEmpty(): Promise<boolean> {
    return (await this.first("SELECT 1 FROM search_pages LIMIT 1")) === null;
  }

  async #find(
    needed: "all" | "any",
    terms: Term[],
    beginnings: Beginnings,
    { crawl, limit, offset, allTwins, minRelevance, scoreUrls }: SearchRequest,
  ): Promise<SearchPage> {
    const asked = askCandidates(terms, beginnings, needed, { crawl, minRelevance });
    if (asked === null) return { hits: [], total: 0, isAtLeast: false, ranked: 0, matchesAny: false, corrected: [] };
    const results = await this.all<CandidateRow>(asked.sql, [...asked.values]);
    const ranked = await orderByScores(await this.#rank(terms, results), scoreUrls);
    const groups = allTwins ? ranked.map((hit) => ({ ...hit, twins: 0 })) : groupHits(ranked);
    const shown = groups.slice(offset, offset + limit);
    const windows = await this.#windows(
      shown.map(({ id }) => id),
      terms,
    );
    const unspaced = terms.filter((term) => term.unspaced && !term.excluded).map(({ text }) => text);
    return {
      hits: shown.map(({ id, bm25: _, total: __, looked: ___, twinOf: ____, ...hit }) => ({
        ...hit,
        snippet: toPieces(markHits(windows.get(id) ?? "", terms), unspaced),
      })),
      total: (results[0]?.total ?? 0) - (ranked.length - groups.length),
      isAtLeast: (results[0]?.looked ?? 0) >= MOST_MATCHES,
      ranked: groups.length,
      matchesAny: needed === "any",
      corrected: [],
    };
  }

  async #rank(terms: Term[], candidates: CandidateRow[]): Promise<Ranked<CandidateRow>[]> {
    const ranked = rankByNames(terms, candidates);
    if (ranked.length < 2) return ranked;
    const ids = ranked.slice(0, LEAD_DEPTH).map(({ id }) => id);
    const results = await this.all<{ id: number; lead: string }>(LEADS, [toJson(ids), LEAD_LENGTH]);
    const leads = new Map(results.map(({ id, lead }) => [id, lead]));
    return rankByLeads(
      terms,
      ranked,
      ids.map((id) => leads.get(id) ?? ""),
    );
  }

  async #windows(ids: number[], terms: Term[]): Promise<Map<number, string>> {
    if (ids.length === 0) return new Map();
    const depth = Math.floor(LOOKED_FOR_WINDOWS / ids.length);
    const results = await this.all<{ id: number; window: string }>(WINDOWS, [
      toJson(ids),
      toJson(beginningsOf(terms)),
      depth,
    ]);
    return new Map(results.map(({ id, window }) => [id, window]));
  }

  async #beginnings(short: Term[]): Promise<Beginnings> {
    if (short.length === 0) return new Map();
    const statement = this.db.prepare(BEGINNINGS);
    const each = Math.floor(MOST_BEGINNINGS / short.length);
    const answers = await this.db.batch<{ term: string }>(
      short.map(({ text }) => statement.bind(text.toLowerCase(), text.toLowerCase() + LAST_CHARACTER, each)),
    );
    return new Map(short.map(({ text }, i) => [text, (answers[i]?.results ?? []).map(({ term }) => term)]));
  }
}

async function orderByScores<T extends { url: string }>(
  ranked: readonly T[],
  scoreUrls: SearchRequest["scoreUrls"],
): Promise<(T & { authority: number | null })[]> {
  const best = scoreUrls === undefined ? [] : ranked.slice(0, AUTHORITY_DEPTH);
  const scores = await scoreUrls?.(best.map(({ url }) => url));
  const scored = best.map((hit) => ({ ...hit, authority: scores?.get(hit.url) ?? 0 }));
  const others = ranked.slice(best.length).map((hit) => ({ ...hit, authority: null }));
  return [...scored.sort((a, b) => b.authority - a.authority), ...others];
}

function toJson(list: readonly unknown[]): string {
  return JSON.stringify(list);
}

import type { SearchHit } from "../../crawl/page/search-hit.ts";
import { groupHits, type Twinned } from "../../search/group-hits.ts";
import { beginningsOf, markHits } from "../../search/mark-hits.ts";
import { type Beginnings, isShort } from "../../search/match-expression.ts";
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
} from "./search-sql.ts";

/** Searches the index, best hits first. If several crawls have stored a URL, the newest copy that matches counts. */

interface SearchPage {
  hits: SearchHit[];
  /** URLs that match, without twins that are left out. */
  total: number;
  /** Whether more may match, because only the newest MOST_MATCHES were looked at. */
  isAtLeast: boolean;
  /** Hits that can be shown: as many as match, or fewer if they are too many to rank. */
  ranked: number;
  /** Whether a hit may lack some of the words, because no page has all of them. */
  matchesAny: boolean;
}

interface SearchRequest extends CandidateQuery {
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
  /** Finds the pages with all terms; if there are none, the pages with any of them. */
  async find(terms: Term[], request: SearchRequest): Promise<SearchPage> {
    const beginnings = await this.#beginnings(terms.filter(isShort));
    const withAll = await this.#find("all", terms, beginnings, request);
    if (withAll.total > 0 || terms.filter(({ excluded }) => !excluded).length < 2) return withAll;
    return this.#find("any", terms, beginnings, request);
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
    if (asked === null) return { hits: [], total: 0, isAtLeast: false, ranked: 0, matchesAny: false };
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

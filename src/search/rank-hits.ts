import { lastPartOf, wordsOf } from "./name-words.ts";
import type { Term } from "./query.ts";

/**
 * Orders the pages that match. BM25 counts words in the whole row, so the title of a long page hardly counts. Its
 * title, the last part of its URL and its first sentences say what a page is about: a page whose name is the query
 * comes first. PageRank decides between pages that match alike. bench/search-ranking.ts measures it.
 */

export interface Candidate {
  url: string;
  title: string | null;
  /** Greater for a better match. */
  bm25: number;
  /** PageRank as a logarithmic step, 0 to 255; null before an analysis. */
  rank: number | null;
}

/** `score`: greater for better; comparable within one query. */
export type Ranked<T extends Candidate> = T & { score: number };

/** Number of the best pages whose first sentences count too. */
export const LEAD_DEPTH = 50;
/** Characters that count as the first sentences. */
export const LEAD_LENGTH = 200;

/** What each part adds to a score at most; the best BM25 counts as 1. */
const TITLE_WEIGHT = 1;
const URL_WEIGHT = 1;
const LEAD_WEIGHT = 1;
/** What the greatest PageRank adds. The pages of a manual differ by a sixth of it. */
const RANK_WEIGHT = 1;
const MAX_RANK = 255;
/** The rank of an average page, which a page counts as that was not analyzed. */
const AVERAGE_RANK = 96;
/** What a title, or a part of it, adds that is the query word by word. */
const SAME_TITLE_WEIGHT = 2.5;
/** The name of a page stands beside that of its site or chapter. */
const TITLE_PARTS = /\s[|—–·»:-]{1,2}\s|:\s/u;
/** Words of a query that are compared. */
const MAX_WORDS = 32;
/** A shorter word at the beginning or the end of another one is chance: `it` in `git`. */
const MIN_PART = 4;

interface QueryWord {
  word: string;
  /** Whether it is the beginning of a word. */
  prefix: boolean;
}

/** Best first; of equal ones, in the order given. A bench gives other weights of PageRank. */
export function rankByNames<T extends Candidate>(
  terms: readonly Term[],
  candidates: readonly T[],
  rankWeight = RANK_WEIGHT,
): Ranked<T>[] {
  const query = queryWords(terms);
  const best = candidates.reduce((most, { bm25 }) => Math.max(most, bm25), Number.MIN_VALUE);
  return sorted(
    candidates.map((candidate) => {
      const title = TITLE_WEIGHT * scoreName(query, wordsOf(candidate.title ?? ""));
      const end = URL_WEIGHT * scoreName(query, wordsOf(lastPartOf(candidate.url)));
      const linked = (rankWeight * (candidate.rank ?? AVERAGE_RANK)) / MAX_RANK;
      const same = isTitle(query, candidate.title ?? "") ? SAME_TITLE_WEIGHT : 0;
      return { ...candidate, score: candidate.bm25 / best + title + end + linked + same };
    }),
  );
}

/** Whether the title, or a part of it, has the words of the query in their order and no others. */
function isTitle(query: readonly QueryWord[], title: string): boolean {
  const wanted = query.map(({ word }) => word).join(" ");
  return [title, ...title.split(TITLE_PARTS)].some((part) => wordsOf(part).join(" ") === wanted);
}

/** Ranks the first of `ranked` again, those for which `leads` has the beginning of the text. */
export function rankByLeads<T extends Candidate>(
  terms: readonly Term[],
  ranked: readonly Ranked<T>[],
  leads: readonly string[],
): Ranked<T>[] {
  const query = queryWords(terms);
  const first = ranked.slice(0, leads.length).map((each, i) => {
    const share = shareOf(query, wordsOf((leads[i] ?? "").slice(0, LEAD_LENGTH)));
    return { ...each, score: each.score + LEAD_WEIGHT * share ** 2 };
  });
  return [...sorted(first), ...ranked.slice(leads.length)];
}

function sorted<T extends { score: number }>(pages: T[]): T[] {
  return pages.sort((a, b) => b.score - a.score);
}

function queryWords(terms: readonly Term[]): QueryWord[] {
  const wanted = terms.filter(({ excluded }) => !excluded);
  const words = wanted.flatMap(({ text, prefix }) => {
    const all = wordsOf(text);
    return all.map((word, i) => ({ word, prefix: prefix && i === all.length - 1 }));
  });
  return [...new Map(words.map((each) => [each.word, each])).values()].slice(0, MAX_WORDS);
}

/** From 0 to 1: the share of the query that is in the name, squared, times the share of the name that is the query. */
function scoreName(query: readonly QueryWord[], name: readonly string[]): number {
  if (name.length === 0) return 0;
  const covered = name.map((word) => Math.max(0, ...query.map((wanted) => matchOf(wanted, word))));
  return (shareOf(query, name) ** 2 * covered.reduce((sum, each) => sum + each, 0)) / name.length;
}

/** The share of the query's words that are among `words`. */
function shareOf(query: readonly QueryWord[], words: readonly string[]): number {
  if (query.length === 0) return 0;
  return query.filter((wanted) => words.some((word) => matchOf(wanted, word) > 0)).length / query.length;
}

/** How much of the word is matched. Names put words together: `hook` in `githooks`. */
function matchOf({ word, prefix }: QueryWord, found: string): number {
  if (found === word || (prefix && found.startsWith(word))) return 1;
  const isPart = word.length >= MIN_PART && (found.startsWith(word) || found.endsWith(word));
  return isPart ? word.length / found.length : 0;
}

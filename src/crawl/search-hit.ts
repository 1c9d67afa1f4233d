/** What a search finds. */

/** Of the matches so many are looked at for copies of one URL; what is ranked below them is not found. */
export const MOST_MATCHES = 1_000;

export interface SearchHit {
  crawl: string;
  url: string;
  title: string;
  /** The place that fits best, in pieces; `hit` where a piece is what was looked for. */
  snippet: { text: string; hit: boolean }[];
  /** Higher is better; only of hits of one answer. */
  score: number;
  fetchedAt: number | null;
}

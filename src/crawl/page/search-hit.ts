import type { SnippetPiece } from "../../search/snippet.ts";

/** A page that a search found. */
export interface SearchHit {
  /** The newest of the searched crawls with this match. */
  crawl: string;
  url: string;
  title: string | null;
  snippet: SnippetPiece[];
  /** Greater for better; comparable within one query. */
  score: number;
  fetchedAt: number | null;
  /** The number of other hits with the same text, or almost the same, that are left out. */
  twins: number;
  /** Of the crawl's last analysis, as in a record; null before it. */
  rank: number | null;
  inLinks: number | null;
  /** By HITS among the hits and their neighbours, 0 to 1; null unless it was asked for. */
  authority: number | null;
}

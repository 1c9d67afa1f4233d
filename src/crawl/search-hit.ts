import type { SnippetPiece } from "../search/snippet.ts";

/** A page that was found by what it says. */
export interface SearchHit {
  /** The newest crawl that has it so, of those that were asked. */
  crawl: string;
  url: string;
  title: string | null;
  snippet: SnippetPiece[];
  /** BM25, greater for better; comparable within one query. */
  score: number;
  fetchedAt: number | null;
}

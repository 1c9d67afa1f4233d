/** A part of a page's Markdown that an index keeps as one entry. Plain data. */
export interface Chunk {
  /** A UUID of the page's URL, the headings and the text. It stays while those stay. */
  id: string;
  /** The headings above all of its text, from the outermost one. */
  headings: readonly string[];
  /** The fragment of the innermost of these headings; null if the page has none for it. */
  anchor: string | null;
  /** The page's URL with that fragment, or with a text fragment that finds the heading. */
  link: string;
  /** Its number within the page, from 0. */
  order: number;
  /** Where it begins in the page's Markdown, and how much of it it covers, in characters. */
  offset: number;
  length: number;
  /** Estimated. */
  tokens: number;
  /** Markdown. A table that is cut has its header in each part, and code its fences. */
  text: string;
}

export const DEFAULT_CHUNK_TOKENS = 512;
/** Smaller chunks say too little. */
export const MIN_CHUNK_TOKENS = 64;
/** Embedding models read some 8,192 tokens. */
export const MAX_CHUNK_TOKENS = 8_192;

/** What is kept of a page, to learn from it: at most 4 KB of JSON. */

import { strongestTerms } from "./page-vector.ts";
import { hashTerm } from "./terms.ts";
import { packNumbers } from "./weights/packed-numbers.ts";

export interface TermSample {
  /** The strongest terms of the page's vector. */
  terms: [term: string, weight: number][];
  /** Packed hashes of the page's distinct terms. */
  seen: string;
  /** Packed hashes of the terms of its title. */
  title: string;
}

const MAX_TERMS = 48;
/** UTF-8 bytes of all `terms` together. */
const MAX_TERM_BYTES = 1_400;
const MAX_SEEN = 384;
const MAX_TITLE = 24;
const encoder = new TextEncoder();

export function sampleOf(vector: ReadonlyMap<string, number>, title: readonly string[]): TermSample {
  let bytes = 0;
  const terms = strongestTerms(vector, MAX_TERMS).filter(([term]) => {
    bytes += encoder.encode(term).length;
    return bytes <= MAX_TERM_BYTES;
  });
  const seen = new Set<number>();
  for (const term of vector.keys()) {
    if (seen.size >= MAX_SEEN) break;
    seen.add(hashTerm(term));
  }
  return {
    terms,
    seen: packNumbers([...seen]),
    title: packNumbers([...new Set(title.slice(0, MAX_TITLE).map(hashTerm))]),
  };
}

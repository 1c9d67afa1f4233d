import type { PageTerms } from "../page-terms.ts";

/**
 * How many pages have each term, in a table of a fixed size whose places are hashes of terms. A term that shares its
 * place with another counts as more frequent than it is, so it weighs a little less.
 */

export type Field = keyof PageTerms;
export const FIELDS = ["text", "title", "url", "anchors"] as const satisfies Field[];

/** 4 MB: some 100,000 terms leave nine in ten places free. */
const PLACES = 2 ** 20;

export class DocumentFrequencies {
  readonly #counts: Uint32Array;
  #pages: number;

  /** `counts`: what `counts` of another one was. */
  constructor(counts: Uint32Array = new Uint32Array(PLACES), pages = 0) {
    this.#counts = counts;
    this.#pages = pages;
  }

  get counts(): Uint32Array {
    return this.#counts;
  }

  get pages(): number {
    return this.#pages;
  }

  add(page: PageTerms): void {
    this.#pages += 1;
    for (const field of FIELDS)
      for (const place of new Set(page[field].map(([term]) => placeOf(field, term))))
        this.#counts[place] = (this.#counts[place] as number) + 1;
  }

  /** The number of pages that have the term. */
  of(field: Field, term: string): number {
    return this.#counts[placeOf(field, term)] as number;
  }

  /** The inverse document frequency, smoothed: 1 for a term of all pages. */
  weigh(field: Field, term: string): number {
    return 1 + Math.log((1 + this.#pages) / (1 + this.of(field, term)));
  }
}

const SEEDS: Record<Field, number> = { text: 0x811c_9dc5, title: 0x510e_527f, url: 0x6b43_a9b5, anchors: 0x3c6e_f372 };

/** FNV-1a of the UTF-16 units, and the final mix of MurmurHash3. */
function placeOf(field: Field, term: string): number {
  let hash = SEEDS[field];
  for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), 0x0100_0193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) & (PLACES - 1);
}

import type { PageTerms } from "../page-terms.ts";
import type { DocumentFrequencies } from "../weights/document-frequencies.ts";
import type { SparseVector } from "../weights/sparse-vector.ts";

/** What a page says, as weights of terms: tf-idf of its text, as a vector of length 1. */

export type TermWeights = [term: string, weight: number][];

/** The heaviest terms of a page count. */
export const MAX_PAGE_TERMS = 100;
/** A term on more of the pages does not tell them apart. */
const MAX_SHARE = 0.2;
/** In a small crawl, a term may be on so many pages. */
const ALWAYS_ALLOWED = 10;
const ONLY_DIGITS = /^\p{N}+$/u;

/** Heaviest first. Empty for a page without a term that others have. */
export function weighTerms({ text }: PageTerms, frequencies: DocumentFrequencies): TermWeights {
  const most = Math.max(MAX_SHARE * frequencies.pages, ALWAYS_ALLOWED);
  const weights = text.flatMap(([term, count]): TermWeights => {
    const pages = frequencies.of("text", term);
    if (pages < 2 || pages > most || ONLY_DIGITS.test(term)) return [];
    return [[term, (1 + Math.log(count)) * Math.log((1 + frequencies.pages) / (1 + pages))]];
  });
  const heaviest = weights.sort(([, a], [, b]) => b - a).slice(0, MAX_PAGE_TERMS);
  const length = Math.sqrt(heaviest.reduce((sum, [, weight]) => sum + weight * weight, 0)) || 1;
  // Rounded, so that they take little room between two steps.
  return heaviest.map(([term, weight]) => [term, Math.round((weight / length) * 10_000) / 10_000]);
}

/** Numbers terms in the order in which they come. */
export class TermNumbers {
  readonly #numbers: Map<string, number>;

  /** `terms`: those of another one, in order. */
  constructor(terms: readonly string[] = []) {
    this.#numbers = new Map(terms.map((term, number) => [term, number]));
  }

  get terms(): string[] {
    return [...this.#numbers.keys()];
  }

  /** The vector of a page, of all its terms. */
  add(weights: TermWeights): SparseVector {
    for (const [term] of weights) if (!this.#numbers.has(term)) this.#numbers.set(term, this.#numbers.size);
    return this.find(weights);
  }

  /** The vector of a page, of the terms that have a number. */
  find(weights: TermWeights): SparseVector {
    const known = weights.filter(([term]) => this.#numbers.has(term));
    return {
      indexes: Uint32Array.from(known, ([term]) => this.#numbers.get(term) as number),
      values: Float32Array.from(known, ([, weight]) => weight),
    };
  }
}

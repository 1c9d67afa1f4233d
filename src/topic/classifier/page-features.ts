import type { PageTerms } from "../page-terms.ts";
import { type DocumentFrequencies, FIELDS, type Field } from "../weights/document-frequencies.ts";
import type { SparseVector } from "../weights/sparse-vector.ts";

/**
 * The features of a page: its terms, weighted by the logarithm of their frequency. Each field has length 1, and a
 * share of the whole, so that a long text does not drown the words of a URL.
 */

const SHARES: Record<Field, number> = { text: 1, title: 0.7, url: 0.7, anchors: 0.5 };
/**
 * The power of the inverse document frequency. A word that many titles or URLs have tells kinds of pages apart, as
 * `howto` does, and it must not weigh less than a name that one page has.
 */
const IDF_POWERS: Record<Field, number> = { text: 0.5, title: 0, url: 0, anchors: 0 };

/** Numbers the features of the examples. Features that no example has say nothing. */
export class FeatureNumbers {
  readonly #numbers: Map<string, number>;
  readonly #most: number;

  /** `names`: those of another one, in order. `most`: the number of features at most. */
  constructor(names: readonly string[] = [], most = Number.POSITIVE_INFINITY) {
    this.#numbers = new Map(names.map((name, number) => [name, number]));
    this.#most = most;
  }

  get size(): number {
    return this.#numbers.size;
  }

  get names(): string[] {
    return [...this.#numbers.keys()];
  }

  find(name: string): number | undefined {
    return this.#numbers.get(name);
  }

  add(name: string): void {
    if (this.#numbers.size < this.#most && !this.#numbers.has(name)) this.#numbers.set(name, this.#numbers.size);
  }
}

function nameFeature(field: Field, term: string): string {
  return `${field[0]} ${term}`;
}

/** Numbers the features of an example that other pages have, too. */
export function noteFeatures(page: PageTerms, frequencies: DocumentFrequencies, numbers: FeatureNumbers): void {
  for (const field of FIELDS)
    for (const [term] of page[field]) if (frequencies.of(field, term) > 1) numbers.add(nameFeature(field, term));
}

export function toFeatures(page: PageTerms, frequencies: DocumentFrequencies, numbers: FeatureNumbers): SparseVector {
  const indexes: number[] = [];
  const values: number[] = [];
  let total = 0;
  for (const field of FIELDS) {
    const start = values.length;
    let sum = 0;
    for (const [term, count] of page[field]) {
      const weight = (1 + Math.log(count)) * frequencies.weigh(field, term) ** IDF_POWERS[field];
      sum += weight * weight;
      const number = numbers.find(nameFeature(field, term));
      if (number === undefined) continue;
      indexes.push(number);
      values.push(weight);
    }
    const scale = SHARES[field] / (Math.sqrt(sum) || 1);
    for (let i = start; i < values.length; i++) values[i] = (values[i] as number) * scale;
    if (sum > 0) total += SHARES[field] ** 2;
  }
  const length = Math.sqrt(total) || 1;
  return { indexes: Uint32Array.from(indexes), values: Float32Array.from(values, (value) => value / length) };
}

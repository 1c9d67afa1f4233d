/** A page as a vector of tf-idf weights: Salton and Buckley, "Term-weighting approaches", 1988. */

export function countTerms(
  terms: readonly string[],
  weight = 1,
  counts = new Map<string, number>(),
): Map<string, number> {
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + weight);
  return counts;
}

/** The vector of length 1; empty for no terms. */
export function toVector(counts: ReadonlyMap<string, number>, idf: (term: string) => number): Map<string, number> {
  const vector = new Map<string, number>();
  let squares = 0;
  for (const [term, count] of counts) {
    const weight = (1 + Math.log(count)) * idf(term);
    if (weight <= 0) continue;
    vector.set(term, weight);
    squares += weight * weight;
  }
  const length = Math.sqrt(squares);
  for (const [term, weight] of vector) vector.set(term, weight / length);
  return vector;
}

/** The terms of the greatest weights, greatest first, rounded. */
export function strongestTerms(vector: ReadonlyMap<string, number>, max: number): [term: string, weight: number][] {
  return [...vector]
    .sort(([a, more], [b, less]) => less - more || (a < b ? -1 : 1))
    .slice(0, max)
    .map(([term, weight]): [string, number] => [term, Number(weight.toFixed(4))])
    .filter(([, weight]) => weight > 0);
}

import { hashWords, visitShingles } from "../src/twins/shingles.ts";

/** All shingles of texts, by which estimates are checked. */

/** The distinct shingles of a text as numbers of 53 bits. Empty for fewer than three words. */
export function shinglesOf(text: string): Set<number> {
  const shingles = new Set<number>();
  visitShingles(hashWords(text), (high, low) => shingles.add((high >>> 11) * 2 ** 32 + low));
  return shingles;
}

/** The Jaccard index of two sets, 0 to 1: how much of what both have together is in both. Two empty sets have 1. */
export function similarityOf(one: ReadonlySet<number>, other: ReadonlySet<number>): number {
  let shared = 0;
  for (const shingle of one) if (other.has(shingle)) shared += 1;
  const all = one.size + other.size - shared;
  return all === 0 ? 1 : shared / all;
}

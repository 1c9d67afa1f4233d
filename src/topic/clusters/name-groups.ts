import type { SparseVector } from "../weights/sparse-vector.ts";

/**
 * Names groups by their words, by a class-based tf-idf: Grootendorst, "BERTopic: neural topic modeling with a
 * class-based TF-IDF procedure", 2022. Here a term counts once a page, so no long page names its group alone.
 */

const MAX_WORDS = 8;
/** A word that fewer pages of the group have does not stand for it. */
const LEAST_SHARE = 0.1;

/** The words of each group, the best first. `groups`: their pages. `terms`: the terms by their numbers. */
export function nameGroups(groups: readonly (readonly SparseVector[])[], terms: readonly string[]): string[][] {
  const counts = groups.map(countPages);
  const totals = new Map<number, number>();
  for (const own of counts) for (const [term, pages] of own) totals.set(term, (totals.get(term) ?? 0) + pages);
  const all = groups.reduce((sum, { length }) => sum + length, 0);
  return counts.map((own, group) => {
    const size = groups[group]?.length ?? 0;
    const scored = [...own].flatMap(([term, pages]): [number, number][] => {
      const share = pages / size;
      // How much more frequent it is here than everywhere.
      const ratio = share / ((totals.get(term) ?? pages) / all);
      return share < LEAST_SHARE || pages < 2 ? [] : [[term, share * Math.log(1 + ratio)]];
    });
    scored.sort(([a, one], [b, other]) => other - one || a - b);
    return scored.slice(0, MAX_WORDS).map(([term]) => terms[term] ?? "");
  });
}

function countPages(pages: readonly SparseVector[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { indexes } of pages) for (const term of indexes) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

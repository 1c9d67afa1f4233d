/** From this similarity on, two texts are twins: `estimateSimilarity` of their sketches. */
export const MIN_SIMILARITY = 0.9;

/** Beyond so many originals, the other members of a group have none: their texts drift, such as those of a calendar. */
const MAX_ORIGINALS = 200;

interface Twin {
  original: number;
  /** 0 to 1. */
  similarity: number;
}

/**
 * Groups verified twins. Whoever is a twin of a member belongs to the group, whose original is the member that
 * `compare` puts first. A member that is no twin of the original has another one: the first of those members. So each
 * twin is verified with its original. `pairs`: nodes. Returns the original of each member that has one.
 */
export function groupTwins(
  pairs: Iterable<readonly [node: number, other: number]>,
  compare: (node: number, other: number) => number,
  similarityOf: (node: number, other: number) => number,
): Map<number, Twin> {
  const twins = new Map<number, Twin>();
  for (const members of joinPairs(pairs)) {
    let rest = members.sort(compare);
    for (let originals = 0; rest.length > 1 && originals < MAX_ORIGINALS; originals++) {
      const [original, ...others] = rest as [number, ...number[]];
      rest = others.filter((node) => {
        const similarity = similarityOf(node, original);
        if (similarity >= MIN_SIMILARITY) twins.set(node, { original, similarity });
        return similarity < MIN_SIMILARITY;
      });
    }
  }
  return new Map([...twins].sort(([a], [b]) => a - b));
}

/** The members of each group: union-find. */
function joinPairs(pairs: Iterable<readonly [node: number, other: number]>): number[][] {
  const parents = new Map<number, number>();
  const rootOf = (node: number): number => {
    let root = node;
    for (let above = parents.get(root); above !== undefined && above !== root; above = parents.get(root)) root = above;
    // Shortens the way for the next one.
    for (let at = node; at !== root; ) {
      const above = parents.get(at) as number;
      parents.set(at, root);
      at = above;
    }
    return root;
  };
  for (const [node, other] of pairs) {
    const [first, second] = [rootOf(node), rootOf(other)];
    parents.set(first, first);
    parents.set(second, first);
  }
  return [...Map.groupBy(parents.keys(), rootOf).values()];
}

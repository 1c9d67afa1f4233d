/** From this similarity on, two texts are twins: `similarityOf` of their shingles. */
export const MIN_SIMILARITY = 0.9;

/**
 * Groups verified twins: whoever is a twin of a member belongs to the group. `pairs`: nodes. Returns the original of
 * each other member: the one of its group that `compare` puts first.
 */
export function groupTwins(
  pairs: Iterable<readonly [node: number, other: number]>,
  compare: (node: number, other: number) => number,
): Map<number, number> {
  const parents = new Map<number, number>();
  const rootOf = (node: number): number => {
    let root = node;
    for (let above = parents.get(root); above !== undefined; above = parents.get(root)) root = above;
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
    if (first === second) continue;
    if (compare(first, second) <= 0) parents.set(second, first);
    else parents.set(first, second);
  }
  return new Map([...parents.keys()].sort((a, b) => a - b).map((node) => [node, rootOf(node)]));
}

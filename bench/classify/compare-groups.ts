/**
 * Compares groups of pages with known classes: purity, normalized mutual information (Strehl and Ghosh, 2002, by the
 * arithmetic mean), and the adjusted Rand index (Hubert and Arabie, 1985). Pages without a class do not count.
 */
export function compareGroups(groups: readonly (readonly number[])[], classOf: (page: number) => string | null) {
  const pairs = groups.flatMap((members, group) =>
    members.flatMap((page) => {
      const name = classOf(page);
      return name === null ? [] : [{ group: String(group), name }];
    }),
  );
  const all = pairs.length;
  const byGroup = countBy(pairs.map(({ group }) => group));
  const byClass = countBy(pairs.map(({ name }) => name));
  const byBoth = countBy(pairs.map(({ group, name }) => `${group} ${name}`));
  const best = new Map<string, number>();
  for (const [key, count] of byBoth) {
    const group = key.slice(0, key.indexOf(" "));
    best.set(group, Math.max(best.get(group) ?? 0, count));
  }
  const [ofGroups, ofClasses] = [entropyOf(byGroup, all), entropyOf(byClass, all)];
  const shared = ofGroups + ofClasses - entropyOf(byBoth, all);
  const expected = (pairsIn(byGroup) * pairsIn(byClass)) / ((all * (all - 1)) / 2);
  const most = (pairsIn(byGroup) + pairsIn(byClass)) / 2;
  return {
    classes: byClass.size,
    purity: [...best.values()].reduce((sum, count) => sum + count, 0) / all,
    nmi: (2 * shared) / (ofGroups + ofClasses),
    adjustedRand: (pairsIn(byBoth) - expected) / (most - expected),
  };
}

function countBy(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function entropyOf(counts: ReadonlyMap<string, number>, all: number): number {
  return -[...counts.values()].reduce((sum, count) => sum + (count / all) * Math.log(count / all), 0);
}

function pairsIn(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + (count * (count - 1)) / 2, 0);
}

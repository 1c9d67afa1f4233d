/** The name that a mistyped one was meant to be, as command lines suggest it. */

/** The largest part of a name that may differ. */
const MAX_DIFFERENCE = 0.4;

/**
 * The nearest of these names, or null if none is near. Cases do not count. A dotted name such as `options.limit` is
 * also near by its last part alone: the key stands at another place.
 */
export function nearestName(typed: string, names: readonly string[]): string | null {
  const word = typed.toLowerCase();
  const ranked = names.map((name) => {
    const own = name.toLowerCase().split(".").at(-1) ?? "";
    return { name, difference: distance(word, own) / Math.max(word.length, own.length) };
  });
  const [best] = ranked.sort((a, b) => a.difference - b.difference);
  return best !== undefined && best.difference <= MAX_DIFFERENCE ? best.name : null;
}

/**
 * The number of letters to insert, delete, replace, or swap with their neighbour (optimal string alignment,
 * https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance).
 */
function distance(a: string, b: string): number {
  let [beforeLast, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, replaced);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwapped) least = Math.min(least, (beforeLast[j - 2] ?? 0) + 1);
      row.push(least);
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length] ?? 0;
}

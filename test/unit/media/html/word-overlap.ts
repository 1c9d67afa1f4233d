/** How much two texts have in common, in words: a Chinese or Japanese character is one. */

export interface Overlap {
  f1: number;
  recall: number;
  precision: number;
}

const WORD =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[\p{L}\p{N}\p{M}]+?(?=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[^\p{L}\p{N}\p{M}]|$)/gu;

export function wordOverlap(found: string, expected: string): Overlap {
  const left = count(expected);
  let common = 0;
  const foundWords = words(found);
  for (const word of foundWords) {
    const times = left.get(word) ?? 0;
    if (times === 0) continue;
    left.set(word, times - 1);
    common += 1;
  }
  const expectedCount = words(expected).length;
  const recall = expectedCount === 0 ? 1 : common / expectedCount;
  const precision = foundWords.length === 0 ? Number(expectedCount === 0) : common / foundWords.length;
  return { recall, precision, f1: recall + precision === 0 ? 0 : (2 * recall * precision) / (recall + precision) };
}

function words(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? [];
}

function count(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

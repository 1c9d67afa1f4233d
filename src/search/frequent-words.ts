import { stemOf } from "./mark-hits.ts";
import { hasUnspaced, runsAt } from "./scripts.ts";

/**
 * Leaves out of a text for the index the words that it repeats without end. A search compares each place of its words,
 * so a megabyte of `x y x y` would cost it as much as thousands of pages. A page is found by the first places as well.
 */

/** In an English text of a megabyte, `the` is some 12,000 times; in a Chinese one, 的 some 16,000 times. */
export const MOST_PLACES = 20_000;

/** The text with at most MOST_PLACES of each word, or of each character of a script without spaces. */
export function leaveOutFrequent(text: string): string {
  if (text.length < MOST_PLACES) return text;
  const places = new Map<string, number>();
  const stems = new Map<string, string>();
  const isKept = (word: string) => {
    const count = places.get(word) ?? 0;
    places.set(word, count + 1);
    return count < MOST_PLACES;
  };
  let kept = "";
  let from = 0;
  for (const { run, at } of runsAt(text)) {
    let left = run;
    if (hasUnspaced(run)) left = Array.from(run).filter(isKept).join("");
    else {
      const stem = stems.get(run) ?? stemOf(run);
      stems.set(run, stem);
      if (!isKept(stem)) left = "";
    }
    if (left.length === run.length) continue;
    kept += text.slice(from, at) + left;
    from = at + run.length;
  }
  return kept + text.slice(from);
}

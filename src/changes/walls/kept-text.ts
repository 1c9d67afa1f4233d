import { tokenize } from "../tokenize.ts";
import type { ViewedVersion } from "../view-version.ts";

/** How much of what a page said by itself is left in another answer, in any language. */

/** Whether a page says nothing of what it said. */
export interface KeptText {
  /** The share of the earlier pairs of neighbouring words that is left, 0 to 1. */
  share: number;
  /** Whether its title, without what the host's titles have in common, still is there. */
  keepsName: boolean;
  /** Characters of the earlier version: its own title and text. */
  had: number;
}

/**
 * Two texts of one language share many words and few pairs of neighbours: unrelated English texts have about a
 * twentieth of their pairs in common.
 */
const MOST_LEFT = 0.15;

export function keptText(before: ViewedVersion, after: ViewedVersion): KeptText {
  const old = pairsOf(before);
  const left = countOf(pairsOf(after));
  let kept = 0;
  for (const pair of old) {
    const n = left.get(pair) ?? 0;
    if (n === 0) continue;
    kept += 1;
    left.set(pair, n - 1);
  }
  return {
    share: old.length === 0 ? 1 : kept / old.length,
    keepsName: before.title !== "" && before.title === after.title,
    had: before.title.length + before.blocks.reduce((sum, { length }) => sum + length, 0),
  };
}

/** Whether nothing of the page is left but chance. */
export function isLost({ share }: KeptText): boolean {
  return share < MOST_LEFT;
}

/** The pairs of neighbouring words of the title and of the text, with their ends. */
function pairsOf({ title, blocks }: ViewedVersion): string[] {
  const pairs: string[] = [];
  for (const text of [title, blocks.join("\n")]) {
    if (text === "") continue;
    let last = "";
    for (const token of tokenize(text.toLowerCase())) {
      if (!/[\p{L}\p{N}]/u.test(token)) continue;
      pairs.push(`${last} ${token}`);
      last = token;
    }
    pairs.push(`${last} `);
  }
  return pairs;
}

function countOf(pairs: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const pair of pairs) counts.set(pair, (counts.get(pair) ?? 0) + 1);
  return counts;
}

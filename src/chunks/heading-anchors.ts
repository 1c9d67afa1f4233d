import type { Section } from "./section-tree.ts";

/** Finds the fragments of a page's headings: Markdown has none, the page's metadata has them. */

export interface PageHeading {
  text: string;
  /** The fragment; absent if it has none. */
  id?: string;
}

/** Headings of the metadata that are passed over to find one: those that were left out of the Markdown. */
const MOST_PASSED = 20;

/** By the number of the heading. Both are in the order of the page. */
export function anchorsOf(sections: readonly Pick<Section, "number" | "title">[], headings: readonly PageHeading[]) {
  const anchors = new Map<number, string>();
  const names = headings.map(({ text }) => lettersOf(text));
  let at = 0;
  for (const { number, title } of sections) {
    const name = lettersOf(title);
    const found = names.slice(at, at + MOST_PASSED).indexOf(name);
    if (found === -1) continue;
    const { id } = headings[at + found] ?? {};
    if (id !== undefined) anchors.set(number, id);
    at += found + 1;
  }
  return anchors;
}

function lettersOf(text: string): string {
  return text
    .normalize("NFKC")
    .replace(/[^\p{L}\p{M}\p{N}]/gu, "")
    .toLowerCase();
}

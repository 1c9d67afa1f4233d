import { ownString } from "../../core/own-string.ts";
import { hashOf } from "../page-version.ts";
import { codeLines, endOfFence } from "./code-fence.ts";
import { markdownKey, textKey } from "./line-keys.ts";
import { firstAndLast } from "./template-hashes.ts";

/**
 * Counts on how many siblings each line stands: pages of one URL pattern. A line on at least half of them, and on at
 * least ten, is their template: menus, notices, footers, whatever element they stand in.
 */

/** With fewer pages, nothing is left out. */
export const LEAST_SIBLINGS = 10;
/**
 * Standard deviations that a line of a sample must be above half: one that stands on fewer than half of all siblings is
 * taken for template in one of 30,000 samples.
 */
const DEVIATIONS = 4;

/** The keys of a page's lines, each once. */
export interface PageLines {
  text: readonly string[];
  markdown: readonly string[];
  /** Those of `text` that are headings. */
  headings: readonly string[];
}

/** A page as it was read. */
interface ReadText {
  text: string;
  markdown: string;
  headings: readonly { text: string }[];
}

/** Lines of code do not count: programs have the same lines. Of a long page, 400 lines count. */
export function linesOfPage({ text, markdown, headings }: ReadText): PageLines {
  const code = new Set(codeLines(markdown).map(textKey));
  const found = keysOf(text.split("\n").map(textKey), code);
  const named = new Set(headings.map((heading) => textKey(heading.text)));
  return {
    text: found,
    markdown: keysOf(uncoded(markdown).map(markdownKey), new Set()),
    headings: found.filter((key) => named.has(key)),
  };
}

function keysOf(keys: readonly (string | null)[], without: ReadonlySet<string | null>): string[] {
  const counted = firstAndLast(keys.filter((key) => key !== null));
  return [...new Set(counted)].filter((key) => !without.has(key)).map(ownString);
}

function uncoded(markdown: string): string[] {
  const lines = markdown.split("\n");
  const left: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const end = endOfFence(lines, at);
    if (end === null) left.push(lines[at] ?? "");
    at = end ?? at + 1;
  }
  return left;
}

/** A line's key, and the number of siblings on which it stands at least. */
export type SpreadLine = readonly [key: string, pages: number];

/** The template of siblings. */
export interface SiblingLines {
  /** The number of siblings. */
  pages: number;
  text: readonly SpreadLine[];
  markdown: readonly SpreadLine[];
  /** The keys of `text` that are headings. */
  headings: readonly string[];
}

/** On how many pages a line stands, and on how many that differ from all before. */
type Count = [pages: number, distinct: number];

/** What was counted so far, as plain data. */
export interface CountedLines {
  pages: number;
  /** Hashes of the pages' texts. */
  distinct: string[];
  text: Record<string, Count>;
  markdown: Record<string, Count>;
  /** On how many pages a line of text is a heading. */
  headings: Record<string, number>;
}

export class SiblingCounts {
  #pages: number;
  readonly #distinct: Set<string>;
  readonly #text: Map<string, Count>;
  readonly #markdown: Map<string, Count>;
  readonly #headings: Map<string, number>;

  constructor(counted?: CountedLines) {
    this.#pages = counted?.pages ?? 0;
    this.#distinct = new Set(counted?.distinct);
    this.#text = new Map(Object.entries(counted?.text ?? {}));
    this.#markdown = new Map(Object.entries(counted?.markdown ?? {}));
    this.#headings = new Map(Object.entries(counted?.headings ?? {}));
  }

  /** The number of pages that were counted. */
  get pages(): number {
    return this.#pages;
  }

  /** A page that says the same as one before counts as a page, but its lines are no further evidence. */
  add({ text, markdown, headings }: PageLines): void {
    this.#pages += 1;
    const hash = hashOf(`${text.join("\n")}\n\n${markdown.join("\n")}`);
    const isNew = !this.#distinct.has(hash);
    this.#distinct.add(hash);
    for (const key of text) countLine(this.#text, key, isNew);
    for (const key of markdown) countLine(this.#markdown, key, isNew);
    for (const key of headings) this.#headings.set(key, (this.#headings.get(key) ?? 0) + 1);
  }

  /**
   * The lines on at least half of the siblings, and on at least `least`; null if there are none. `siblings`: their
   * number; more than were counted, if those are a sample.
   */
  find(siblings: number, least = LEAST_SIBLINGS): SiblingLines | null {
    const isSample = this.#pages < siblings;
    const [pages, distinct] = [marginOf(this.#pages, isSample), marginOf(this.#distinct.size, isSample)];
    const isShared = (count: number, of: number, margin: number) => count >= Math.max(least, of / 2 + margin);
    const linesIn = (counts: ReadonlyMap<string, Count>) =>
      [...counts]
        .filter(([, [all]]) => isShared(all, this.#pages, pages))
        .filter(([, [, differing]]) => isShared(differing, this.#distinct.size, distinct))
        .map(([key, [all]]): SpreadLine => [key, ((all - pages) / this.#pages) * siblings]);
    const found = { text: linesIn(this.#text), markdown: linesIn(this.#markdown) };
    // The title of one page is a link on others.
    const isHeading = (key: string) => 2 * (this.#headings.get(key) ?? 0) >= (this.#text.get(key)?.[0] ?? 0);
    return withHeadings(siblings, found, isHeading);
  }

  toData(): CountedLines {
    return {
      pages: this.#pages,
      distinct: [...this.#distinct],
      text: Object.fromEntries(this.#text),
      markdown: Object.fromEntries(this.#markdown),
      headings: Object.fromEntries(this.#headings),
    };
  }
}

function countLine(counts: Map<string, Count>, key: string, isNew: boolean): void {
  const [pages, distinct] = counts.get(key) ?? [0, 0];
  counts.set(key, [pages + 1, distinct + (isNew ? 1 : 0)]);
}

/** How far a count of a sample may be above that of all siblings, as it were. No line of a tiny sample is so far. */
function marginOf(pages: number, isSample: boolean): number {
  return isSample ? (DEVIATIONS * Math.sqrt(pages)) / 2 : 0;
}

function withHeadings(
  pages: number,
  { text, markdown }: Pick<SiblingLines, "text" | "markdown">,
  isHeading: (key: string) => boolean,
): SiblingLines | null {
  if (text.length === 0 && markdown.length === 0) return null;
  return { pages, text, markdown, headings: text.flatMap(([key]) => (isHeading(key) ? [key] : [])) };
}

/** The lines that stand on at least half of `pages` pages, by what groups of them have. Null if there are none. */
export function joinSiblings(pages: number, templates: readonly SiblingLines[]): SiblingLines | null {
  const least = Math.max(LEAST_SIBLINGS, pages / 2);
  const sum = (part: "text" | "markdown") => {
    const sums = new Map<string, number>();
    for (const template of templates) for (const [key, on] of template[part]) sums.set(key, (sums.get(key) ?? 0) + on);
    return [...sums].filter(([, on]) => on >= least);
  };
  const headings = new Set(templates.flatMap((template) => template.headings));
  return withHeadings(pages, { text: sum("text"), markdown: sum("markdown") }, (key) => headings.has(key));
}

/** The lines of these siblings that are among those of all pages of their origin, too. Null if there are none. */
export function sharedWithAll(siblings: SiblingLines | null, all: SiblingLines | null): SiblingLines | null {
  if (siblings === null || all === null) return null;
  const among = (part: "text" | "markdown") => {
    const keys = new Set(all[part].map(([key]) => key));
    return siblings[part].filter(([key]) => keys.has(key));
  };
  const headings = new Set(siblings.headings);
  return withHeadings(all.pages, { text: among("text"), markdown: among("markdown") }, (key) => headings.has(key));
}

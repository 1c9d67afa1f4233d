import type { TemplateLines } from "../../changes/template/clean-text.ts";
import { LEAST_SIBLINGS, type SiblingLines } from "../../changes/template/sibling-lines.ts";
import { findPattern, type PatternTree } from "../../sections/pattern-tree.ts";
import type { Crawl } from "../crawl.ts";

/**
 * The template of a crawl: the lines that the pages of a URL pattern have in common. It is learned once, when the crawl
 * has ended.
 */

/** As it is stored: lines by their numbers in `lines`. */
export interface CrawlTemplate {
  tree: PatternTree;
  lines: readonly string[];
  /** By the number of the pattern in the tree. */
  patterns: Record<string, NumberedLines>;
}

interface NumberedLines {
  pages: number;
  text: readonly number[];
  markdown: readonly number[];
  headings: readonly number[];
}

export function packTemplate(tree: PatternTree, found: ReadonlyMap<number, SiblingLines>): CrawlTemplate {
  const numbers = new Map<string, number>();
  const numberOf = (key: string) => {
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  };
  const pack = ({ pages, text, markdown, headings }: SiblingLines): NumberedLines => ({
    pages,
    text: text.map(([key]) => numberOf(key)),
    markdown: markdown.map(([key]) => numberOf(key)),
    headings: headings.map(numberOf),
  });
  const patterns = Object.fromEntries([...found].map(([pattern, lines]) => [pattern, pack(lines)]));
  return { tree, lines: [...numbers.keys()], patterns };
}

/** The template of a page: the lines, and the number of siblings that have them in common. */
export interface PageTemplate extends TemplateLines {
  pages: number;
}

/** A template that is ready for use on many pages. */
export class OpenTemplate {
  readonly #template: CrawlTemplate;
  readonly #open = new Map<NumberedLines, PageTemplate>();

  constructor(template: CrawlTemplate) {
    this.#template = template;
  }

  /** The template of the page at a canonical URL; null if its siblings have none. */
  of(url: string): PageTemplate | null {
    const { tree, patterns } = this.#template;
    const found = patterns[findPattern(url, tree)];
    if (found === undefined) return null;
    const known = this.#open.get(found);
    if (known !== undefined) return known;
    const { lines } = this.#template;
    const setOf = (numbers: readonly number[]) => new Set(numbers.map((number) => lines[number] ?? ""));
    const { pages, text, markdown, headings } = found;
    const opened = { pages, text: setOf(text), markdown: setOf(markdown), headings: setOf(headings) };
    this.#open.set(found, opened);
    return opened;
  }
}

/** What a record says of the template of its page. */
export interface TemplateNote {
  /** The number of siblings that have the left-out lines in common. */
  pages: number;
  /** The number of lines that were left out. */
  removed: number;
}

/** When the crawl ended, or became a watch: its template is that of these pages. Null while it has not. */
export function endOf({ watchingSince, finishedAt }: Pick<Crawl, "watchingSince" | "finishedAt">): number | null {
  return watchingSince ?? finishedAt;
}

/**
 * Whether the template of a crawl that has ended is fixed, because it is learned or because there is nothing to learn.
 */
export function isFixed(crawl: Crawl): boolean {
  const end = endOf(crawl);
  return end !== null && (crawl.templateEnd === end || countPages(crawl) < LEAST_SIBLINGS);
}

/** The number of its pages, without assets. */
export function countPages({ counters, assets }: Crawl): number {
  return counters.completed - assets.completed;
}

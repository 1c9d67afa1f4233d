import { diffArrays } from "diff";
import { makeContentTree } from "../../../../../src/media/html/article/content.ts";
import type { ContentElement } from "../../../../../src/media/html/article/content-tree.ts";
import { writeMarkdown } from "../../../../../src/media/html/markdown/markdown.ts";
import { extractPage } from "../../../../../src/media/html/page.ts";
import { parseHtml } from "../../../../../src/media/html/tree/linkedom.ts";
import { canonicalize } from "../../../../../src/url/canonicalize.ts";
import { markdownLines } from "./markdown-blocks.ts";
import { treeLines } from "./tree-blocks.ts";

export interface BlockDifference {
  /** Blocks of the content. */
  blocks: number;
  /** Those that its Markdown does not give back. */
  lost: string[];
  /** Those that only its Markdown gives. */
  invented: string[];
}

/** Compares the main content of a page with its Markdown, block by block and in their order. */
export function compareBlocks(html: string, url: string): BlockDifference {
  const document = parseHtml(html);
  return compareTree(makeContentTree(document, extractPage(document, url, canonicalize)));
}

/** `root`: the settled content of a page, which changes. */
export function compareTree(root: ContentElement): BlockDifference {
  const expected = treeLines(root);
  const hasMath = root.getElementsByTagName("math").length > 0;
  const found = markdownLines(writeMarkdown(root), hasMath);
  return { blocks: expected.length, ...differenceOf(expected, found) };
}

export function differenceOf(expected: readonly string[], found: readonly string[]): Omit<BlockDifference, "blocks"> {
  const changes = diffArrays([...expected], [...found], { maxEditLength: 2_000 }) ?? [
    { removed: true, added: false, value: [...expected] },
    { removed: false, added: true, value: [...found] },
  ];
  return {
    lost: changes.filter(({ removed }) => removed).flatMap(({ value }) => value),
    invented: changes.filter(({ added }) => added).flatMap(({ value }) => value),
  };
}

import { weighTokens } from "./estimate-tokens.ts";
import type { Block } from "./read-blocks.ts";

/** The sections of a page: a heading, the blocks below it, and the sections below those. */
export interface Section {
  /** Null for the page itself. */
  heading: Block | null;
  /** The heading's text, without marks. */
  title: string;
  /** Its number among the page's headings; -1 for the page itself. */
  number: number;
  /** Blocks before the first section below. */
  own: Block[];
  below: Section[];
  start: number;
  end: number;
  /** Tokens of all of it. */
  weight: number;
}

export function sectionTree(markdown: string, blocks: readonly Block[]): Section {
  const root: Section = {
    ...{ heading: null, title: "", number: -1, own: [], below: [], weight: 0 },
    ...rangeOf(blocks),
  };
  const open: [level: number, section: Section][] = [[0, root]];
  let count = 0;
  for (const block of blocks) {
    if (block.kind === "heading") {
      while ((open.at(-1)?.[0] ?? 0) >= block.level) open.pop();
      const { start, end } = block;
      const section = {
        heading: block,
        title: titleOf(block),
        number: count,
        own: [],
        below: [],
        start,
        end,
        weight: 0,
      };
      count += 1;
      open.at(-1)?.[1].below.push(section);
      open.push([block.level, section]);
    } else open.at(-1)?.[1].own.push(block);
    const weight = weighTokens(markdown.slice(block.start, block.end));
    for (const [, section] of open) {
      section.weight += weight;
      section.end = block.end;
    }
  }
  return root;
}

function rangeOf(blocks: readonly Block[]): { start: number; end: number } {
  return { start: blocks[0]?.start ?? 0, end: blocks.at(-1)?.end ?? 0 };
}

/** Characters of a title. A target may be longer than what is shown of it. */
const MAX_TITLE = 500;

/** The text of a heading as a reader sees it. */
export function titleOf({ lines }: Block): string {
  const text = (lines[0]?.text ?? "")
    .slice(0, 4 * MAX_TITLE)
    .replace(/^ {0,3}#{1,6}(?:[ \t]+|$)/, "")
    .replace(/[ \t]+#+[ \t]*$/, "");
  return text
    .replace(/!?\[((?:\\.|[^\]\\])*)\]\((?:<[^>]*>|(?:\\.|[^()\\]|\([^()]*\))*)\)/g, "$1")
    .replace(/(?<!\\)(?:`+|\*\*|__|~~|\*)/g, "")
    .replace(/\\([!-/:-@[-`{-~])/g, "$1")
    .replace(/<\/?[a-z][^>]*>/gi, "")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, MAX_TITLE);
}

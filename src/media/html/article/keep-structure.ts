import { isDataTable } from "../markdown/data-table.ts";
import type { Block, BlockTree, Region } from "./content-blocks.ts";
import { isProse } from "./content-blocks.ts";
import { isHeading } from "./own-content.ts";

/**
 * Keeps what belongs to content that is kept: code and data tables in the midst of it, the heading of a section, and
 * texts between two others. The model looks at each block by itself.
 */

/** The share of the kept text that the core of a page holds. */
const CORE = 0.85;
/** The share of a region from which on all its prose is kept. */
const NEARLY_ALL = 0.9;
/** The share of a section that is kept where its heading is. */
const LEAST_SECTION = 0.5;
const PARAGRAPHS = new Set("p li dt dd td th pre figcaption blockquote caption summary".split(" "));

/** Changes `kept`. `isLikely`: whether a block was nearly kept. */
export function keepStructure(tree: BlockTree, kept: boolean[], isLikely: (at: number) => boolean): void {
  const core = coreOf(tree, kept);
  if (core === null) return;
  const end = core.firstBlock + core.blocks;
  const structured = new Uint8Array(tree.blocks.length);
  for (const region of tree.regions) {
    if (region.isHidden || region.firstBlock < core.firstBlock || region.firstBlock + region.blocks > end) continue;
    if (!isStructure(region)) continue;
    structured.fill(1, region.firstBlock, region.firstBlock + region.blocks);
    kept.fill(true, region.firstBlock, region.firstBlock + region.blocks);
  }
  keepHeadings(tree, core, structured, kept);
  fillGaps(tree, core, kept);
  fillRegions(tree, kept, isLikely);
}

/** The characters that are kept in each region. */
export function keptIn({ blocks, regions }: BlockTree, kept: readonly boolean[]): Float64Array {
  const held = new Float64Array(regions.length);
  for (const [at, { characters, region }] of blocks.entries()) {
    if (!kept[at]) continue;
    for (let index = region; index >= 0; index = regions[index]?.parent ?? -1)
      held[index] = (held[index] ?? 0) + characters;
  }
  return held;
}

/** The smallest region that holds most of what is kept. */
function coreOf(tree: BlockTree, kept: readonly boolean[]): Region | null {
  const held = keptIn(tree, kept);
  const all = held[0] ?? 0;
  const index = held.findLastIndex((characters) => characters > 0 && characters >= all * CORE);
  return tree.regions[index] ?? null;
}

function isStructure({ element }: Region): boolean {
  return element.localName === "pre" || (element.localName === "table" && isDataTable(element));
}

/**
 * Keeps texts that stand between two kept blocks: prose, and paragraphs beside them; and lists that a colon announces.
 */
function fillGaps({ blocks, regions }: BlockTree, core: Region, kept: boolean[]): void {
  const end = core.firstBlock + core.blocks;
  let announced = -1;
  for (let at = core.firstBlock + 1; at < end; at++) {
    const [before, block, after] = [blocks[at - 1], blocks[at], blocks[at + 1]];
    if (before === undefined || block === undefined || block.isHidden) continue;
    const name = regions[block.region]?.element.localName ?? "";
    const parent = regions[block.region]?.parent;
    const isBeside = (other: Block) => regions[other.region]?.parent === parent;
    if (name === "li" && kept[at - 1] && endsInColon(before)) announced = parent ?? -1;
    if (kept[at]) continue;
    if (name === "li" && parent === announced) kept[at] = true;
    if (!kept[at - 1] || block.linkCharacters > block.characters / 2) continue;
    const isParagraph = PARAGRAPHS.has(name) && isBeside(before);
    if (after !== undefined && at + 1 < end && kept[at + 1])
      kept[at] ||= isProse(block) || (isParagraph && isBeside(after));
  }
}

/** Keeps the prose of regions that are content but for a few words: the last quote of an article. */
function fillRegions(tree: BlockTree, kept: boolean[], isLikely: (at: number) => boolean): void {
  const held = keptIn(tree, kept);
  for (const [of, region] of tree.regions.entries()) {
    const at = region.firstBlock;
    if (region.isHidden || (held[of] ?? 0) < region.characters * NEARLY_ALL) continue;
    for (let index = at; index < at + region.blocks; index++) {
      const block = tree.blocks[index];
      if (block !== undefined && isProse(block) && !block.isHidden && isLikely(index)) kept[index] = true;
    }
  }
}

function endsInColon({ texts }: Block): boolean {
  return /[:：]\s*$/.test(texts.at(-1)?.data.slice(-20) ?? "");
}

/** Keeps the headings of sections that are kept by half, or hold code or a table. */
function keepHeadings({ blocks, regions }: BlockTree, core: Region, structured: Uint8Array, kept: boolean[]): void {
  // By level: characters of the section that begins here, how many of them are kept, and how many in code and tables.
  const sections = Array.from({ length: 7 }, () => ({ all: 0, kept: 0, structured: 0 }));
  for (let at = core.firstBlock + core.blocks - 1; at >= core.firstBlock; at--) {
    const block = blocks[at];
    if (block === undefined) continue;
    const element = regions[block.region]?.element;
    if (element === undefined || !isHeading(element)) {
      for (const section of sections) {
        section.all += block.characters;
        if (kept[at]) section.kept += block.characters;
        if (structured[at]) section.structured += block.characters;
      }
      continue;
    }
    const level = Number(element.localName[1]);
    const section = sections[level];
    if (section === undefined) continue;
    const isKept = section.structured > 0 || (section.kept > 0 && section.kept >= section.all * LEAST_SECTION);
    if (isKept && !block.isHidden) kept[at] = true;
    for (const deeper of sections.slice(level)) Object.assign(deeper, { all: 0, kept: 0, structured: 0 });
  }
}

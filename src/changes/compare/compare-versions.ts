import type { PageVersion } from "../page-version.ts";
import { foldText } from "../template/mask-text.ts";
import { type View, type ViewedPair, type ViewedVersion, viewPair } from "../view-version.ts";
import { alignBlocks, type Hunk } from "./align-blocks.ts";
import { newsBetween } from "./news-between.ts";
import { type BlockEdit, pairBlocks } from "./pair-blocks.ts";
import { type Suspicion, suspicionOf } from "./suspicion.ts";

/** Decides whether a page says something else than before. */

export type Comparison = { kind: "unchanged" } | PageChange;

/** The change of a page: of its content, its title, its canonical URL, or several of them. */
export interface PageChange {
  kind: "changed";
  /** Null if it is the same; likewise `canonical`. */
  title: { before: string | null; after: string | null } | null;
  canonical: { before: string | null; after: string | null } | null;
  /** Null if the content is the same, or changed by less than the least share. */
  content: ContentChange | null;
  /** Why the later version may be no version of this page; null if nothing says so. Ask again before it is told. */
  suspicion: Suspicion | null;
}

interface ContentChange {
  /** Blocks. */
  added: number;
  removed: number;
  modified: number;
  /** The changed part of the text of both versions, 0 to 1. */
  share: number;
  /** The beginning of the first block that was added or modified, else removed. At most 300 characters. */
  excerpt: string;
}

const MAX_EXCERPT = 300;
/**
 * Compares two versions under one view, which should be today's: what the view leaves out is left out of both. So
 * neither a template that was learned nor a rule that was edited is a change. URLs that the rules ignore are the
 * caller's to ask for (`rules.isIgnoredUrl`).
 */
export function compareVersions(before: PageVersion, after: PageVersion, view: View): Comparison {
  return comparePair(before, after, viewPair(before, after, view), view);
}

/** The same of versions that are viewed already. */
export function comparePair(before: PageVersion, after: PageVersion, viewed: ViewedPair, view: View): Comparison {
  const title = viewed.before.title === viewed.after.title ? null : { before: before.title, after: after.title };
  const canonical =
    viewed.before.canonical === viewed.after.canonical ? null : { before: before.canonical, after: after.canonical };
  const found = describe({ before, after }, viewed, view);
  const content = found !== null && found.share >= view.rules.leastShare ? found : null;
  if (title === null && canonical === null && content === null) return { kind: "unchanged" };
  return { kind: "changed", title, canonical, content, suspicion: suspicionOf(before, after, viewed.bare) };
}

/** A hunk with its edits, in the order of the later version. */
export interface EditedHunk extends Hunk {
  edits: readonly BlockEdit[];
}

/** The edits that lead from one version to the other. */
export function findEdits(before: ViewedVersion, after: ViewedVersion): EditedHunk[] {
  const hunks = alignBlocks(before.blocks, after.blocks);
  if (hunks.length === 0) return [];
  const isNews = newsBetween(before, after);
  return hunks
    .filter((hunk) => !isRewrapped(hunk, before, after))
    .map((hunk) => ({ ...hunk, edits: pairBlocks(hunk, before.blocks, after.blocks).filter(isNews) }))
    .filter(({ edits }) => edits.length > 0);
}

/**
 * Whether the same text is only divided into blocks in another way. A block may have been divided from one of the
 * template, so the text is the same with or without the template's blocks around it.
 */
function isRewrapped(hunk: Hunk, before: ViewedVersion, after: ViewedVersion): boolean {
  const { beforeStart, beforeEnd, afterStart, afterEnd } = hunk;
  return [ownBlocks, blocksWithTemplate].some((blocksOf) => {
    const old = blocksOf(before, beforeStart, beforeEnd);
    const now = blocksOf(after, afterStart, afterEnd);
    if (old.length === 0 || now.length === 0) return false;
    // If no block was divided or joined, a space between two words is a change.
    const ignored = old.length === now.length ? SPACE_BESIDE_SIGN : / /g;
    return old.join(" ").replace(ignored, "") === now.join(" ").replace(ignored, "");
  });
}

/** Whether it is there, beside a bracket or in a formula, is a matter of formatting. */
const SPACE_BESIDE_SIGN = /(?<![\p{L}\p{N}]) | (?![\p{L}\p{N}])/gu;

function ownBlocks({ blocks }: ViewedVersion, start: number, end: number): string[] {
  return blocks.slice(start, end);
}

function blocksWithTemplate({ blocks, templateBefore }: ViewedVersion, start: number, end: number): string[] {
  const own = blocks.slice(start, end).flatMap((block, at) => [...(templateBefore[start + at] ?? []), block]);
  return [...own, ...(templateBefore[end] ?? [])];
}

function describe(
  versions: { before: PageVersion; after: PageVersion },
  { before, after }: ViewedPair,
  { rules }: View,
): ContentChange | null {
  const edits = findEdits(before, after).flatMap((hunk) => hunk.edits);
  const isRestChanged = before.rest !== after.rest;
  if (edits.length === 0 && !isRestChanged) return null;
  const counts = { added: 0, removed: 0, modified: 0 };
  let characters = 0;
  // As the page has it: what is compared has one form for all relative times, and none for noise.
  const shown = (side: "before" | "after", at: number | null): string => {
    const place = { before, after }[side].places[at ?? -1];
    return place === undefined ? "" : rules.cutIgnored(foldText(versions[side].blocks[place] ?? ""));
  };
  let excerpt = "";
  for (const { before: old, after: index, likeness } of edits) {
    const texts = [old === null ? "" : (before.blocks[old] ?? ""), index === null ? "" : (after.blocks[index] ?? "")];
    counts[old === null ? "added" : index === null ? "removed" : "modified"] += 1;
    characters += texts.reduce((sum, { length }) => sum + length, 0) * (1 - likeness);
    if (excerpt === "") excerpt = shown("after", index);
  }
  if (excerpt === "") excerpt = shown("before", edits[0]?.before ?? null);
  const all = textLength(before) + textLength(after);
  // Two wordings may have all words in common, in another order.
  const share = isRestChanged ? 1 : Math.max(characters, 1) / Math.max(all, 1);
  return { ...counts, share: Math.min(share, 1), excerpt: excerpt.slice(0, MAX_EXCERPT) };
}

function textLength({ blocks }: ViewedVersion): number {
  return blocks.reduce((sum, { length }) => sum + length, 0);
}

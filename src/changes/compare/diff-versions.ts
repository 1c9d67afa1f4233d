import { diffArrays } from "diff"; // jsdiff; align-blocks.ts says why
import type { PageVersion } from "../page-version.ts";
import { tokenize } from "../tokenize.ts";
import { type View, type ViewedVersion, viewPair } from "../view-version.ts";
import { type EditedHunk, findEdits } from "./compare-versions.ts";

/** The difference of two versions for people: plain data, from which text, colours and HTML are made. */

export interface PageDiff {
  /** Null if it is the same; likewise `canonical`. */
  title: { before: string | null; after: string | null } | null;
  canonical: { before: string | null; after: string | null } | null;
  /** In the order of the page. Empty if the content is the same. */
  hunks: DiffHunk[];
  /** Characters beyond the limits of the versions, which are not shown; null if these are the same. */
  rest: { before: number; after: number } | null;
  /** Hunks beyond the limit, which are not shown. */
  hunksLeftOut: number;
}

interface DiffHunk {
  /** The headings above it, the highest first. */
  under: string[];
  /** With up to two blocks that stayed the same before and after those that did not. */
  lines: DiffLine[];
}

export type DiffLine =
  | { kind: "same" | "added" | "removed"; text: string }
  | { kind: "modified"; parts: { kind: "same" | "added" | "removed"; text: string }[] };

const CONTEXT = 2;
const MAX_HUNKS = 500;
/** Of a block. A modified block with more of them is shown as removed and added. */
const MAX_TOKENS = 20_000;
/** Myers' algorithm takes a time that grows with the square of this. */
const MAX_EDITS = 500;
/** Blocks with more edits than that cost the most, so only so many of them are tried. */
const MAX_FAILURES = 20;

/**
 * The difference under a view: what the view leaves out is not shown. Two pages of a megabyte with nothing in common
 * take less than a second. At most 500 hunks.
 */
export function diffVersions(before: PageVersion, after: PageVersion, view: View): PageDiff {
  const { before: old, after: now } = viewPair(before, after, view);
  const hunks = joinNear(findEdits(old, now));
  const words = new WordDiffs();
  return {
    title: old.title === now.title ? null : { before: before.title, after: after.title },
    canonical: old.canonical === now.canonical ? null : { before: before.canonical, after: after.canonical },
    hunks: hunks.slice(0, MAX_HUNKS).map((joined) => toHunk(joined, { before, after, old, now }, words)),
    rest: old.rest === now.rest ? null : { before: before.rest?.characters ?? 0, after: after.rest?.characters ?? 0 },
    hunksLeftOut: Math.max(0, hunks.length - MAX_HUNKS),
  };
}

interface Sides {
  before: PageVersion;
  after: PageVersion;
  old: ViewedVersion;
  now: ViewedVersion;
}

/** Joins the hunks whose contexts would touch. */
function joinNear(hunks: readonly EditedHunk[]): EditedHunk[][] {
  const joined: EditedHunk[][] = [];
  for (const hunk of hunks) {
    const last = joined.at(-1)?.at(-1);
    if (last !== undefined && hunk.afterStart - last.afterEnd <= 2 * CONTEXT) joined.at(-1)?.push(hunk);
    else joined.push([hunk]);
  }
  return joined;
}

function toHunk(hunks: readonly EditedHunk[], { before, after, old, now }: Sides, words: WordDiffs): DiffHunk {
  const first = hunks[0]?.afterStart ?? 0;
  let shown = Math.max(0, first - CONTEXT);
  const oldText = (index: number) => textOf(before, old, index);
  const newText = (index: number) => textOf(after, now, index);
  const lines: DiffLine[] = [];
  const addSame = (end: number) => {
    for (; shown < Math.min(end, now.blocks.length); shown++) lines.push({ kind: "same", text: newText(shown) });
  };
  for (const { afterStart, afterEnd, edits } of hunks) {
    addSame(afterStart);
    for (const { before: removed, after: added } of edits) {
      if (removed !== null && added !== null) lines.push(...words.compare(oldText(removed), newText(added)));
      else if (removed !== null) lines.push({ kind: "removed", text: oldText(removed) });
      else if (added !== null) lines.push({ kind: "added", text: newText(added) });
    }
    shown = afterEnd;
  }
  addSame(shown + CONTEXT);
  return { under: headingsAbove(after, now.places[first] ?? after.blocks.length), lines };
}

function textOf({ blocks }: PageVersion, viewed: ViewedVersion, index: number): string {
  return shownText(blocks[viewed.places[index] ?? -1] ?? "", viewed.blocks[index] ?? "");
}

/** As it was written, unless a part of it is ignored. */
function shownText(written: string, viewed: string): string {
  return viewed.includes("…") && !written.includes("…") ? viewed : written.trim();
}

/** The headings whose sections hold this block. */
function headingsAbove({ blocks, headings }: PageVersion, place: number): string[] {
  const open: [level: number, text: string][] = [];
  for (const [index, level] of headings) {
    if (index >= place) break;
    while ((open.at(-1)?.[0] ?? 0) >= level) open.pop();
    open.push([level, blocks[index]?.trim() ?? ""]);
  }
  return open.map(([, text]) => text);
}

/** Compares blocks word by word, within a bound for all blocks of a page together. */
class WordDiffs {
  #failuresLeft = MAX_FAILURES;

  compare(before: string, after: string): DiffLine[] {
    const parts = this.#failuresLeft > 0 ? diffWords(before, after) : null;
    if (parts !== null) return [{ kind: "modified", parts }];
    this.#failuresLeft -= 1;
    return [
      { kind: "removed", text: before },
      { kind: "added", text: after },
    ];
  }
}

type Part = { kind: "same" | "added" | "removed"; text: string };

/** Null if the texts are too long or too different. */
function diffWords(before: string, after: string): Part[] | null {
  const old = tokensOf(before);
  const now = tokensOf(after);
  if (old === null || now === null) return null;
  const changes = diffArrays(old, now, { maxEditLength: MAX_EDITS });
  return (
    changes?.map(({ value, added, removed }) => ({
      kind: added ? "added" : removed ? "removed" : "same",
      text: value.join(""),
    })) ?? null
  );
}

function tokensOf(text: string): string[] | null {
  const tokens: string[] = [];
  for (const token of tokenize(text)) if (tokens.push(token) > MAX_TOKENS) return null;
  return tokens;
}

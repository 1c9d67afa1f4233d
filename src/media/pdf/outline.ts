import { tidy } from "../html/tree/tidy.ts";
import { textOf } from "./line-text.ts";
import type { Line } from "./page-lines.ts";
import type { PdfDocument } from "./pdf-engine.ts";

/** Reads a document's outline, and finds its headings in the text. */

export interface OutlineEntry {
  title: string;
  /** From 1 to 6. */
  level: number;
  /** From 0. */
  page: number;
  /** The place on the page, in points from below; null for the whole page. */
  top: number | null;
}

type OutlineItem = NonNullable<Awaited<ReturnType<PdfDocument["getOutline"]>>>[number];

const MAX_ENTRIES = 20_000;
const MAX_TITLE = 300;
const MAX_DEPTH = 50;
/** A heading of the text may have a number before it, and goes over as many lines. */
const MAX_LINES = 4;
const MAX_NUMBER = 14;

/** The entries that lead to a page, sorted by pages; on one page in the order of the outline. */
export async function readOutline(pdf: PdfDocument): Promise<{ entries: OutlineEntry[]; isCut: boolean }> {
  const entries: OutlineEntry[] = [];
  const pages = new Map<string, number | null>();
  let isCut = false;
  const pageOf = async (target: unknown): Promise<number | null> => {
    if (typeof target === "number") return target >= 0 && target < pdf.numPages ? target : null;
    if (target === null || typeof target !== "object" || !("num" in target) || !("gen" in target)) return null;
    const key = `${target.num} ${target.gen}`;
    let page = pages.get(key);
    if (page === undefined) {
      page = await pdf.getPageIndex(target as { num: number; gen: number }).catch(() => null);
      pages.set(key, page);
    }
    return page;
  };
  const read = async (items: readonly OutlineItem[], depth: number): Promise<void> => {
    for (const { title, dest, items: inner } of items) {
      if (entries.length >= MAX_ENTRIES) {
        isCut = true;
        return;
      }
      const place = typeof dest === "string" ? await pdf.getDestination(dest).catch(() => null) : dest;
      const page = Array.isArray(place) ? await pageOf(place[0]) : null;
      const shown = tidy(title, MAX_TITLE);
      if (page !== null && shown !== "")
        entries.push({ title: shown, level: Math.min(6, depth), page, top: topOf(place as unknown[]) });
      if (depth < MAX_DEPTH) await read(inner, depth + 1);
    }
  };
  await read((await pdf.getOutline()) ?? [], 1);
  return { entries: entries.sort((a, b) => a.page - b.page), isCut };
}

/** ISO 32000-2, 12.3.2.2. */
function topOf([, type, first, second]: readonly unknown[]): number | null {
  const name = (type as { name?: string } | undefined)?.name;
  const top = name === "XYZ" ? second : name === "FitH" || name === "FitBH" ? first : null;
  return typeof top === "number" ? top : null;
}

interface PlacedHeading {
  level: number;
  title: string;
}

export interface PlacedHeadings {
  /** The lines that are a heading. Those of one heading have the same object. */
  placed: Map<Line, PlacedHeading>;
  /** Headings that the text does not have, before the line that follows them; null at the end of the page. */
  unplaced: { heading: PlacedHeading; before: Line | null }[];
}

/** `entries`: those of this page. */
export function placeHeadings(lines: readonly Line[], entries: readonly OutlineEntry[]): PlacedHeadings {
  const placed = new Map<Line, PlacedHeading>();
  const unplaced: PlacedHeadings["unplaced"] = [];
  if (entries.length === 0) return { placed, unplaced };
  const keys = lines.map((line) => keyOf(textOf(line)));
  for (const { title, level, top } of entries) {
    const heading = { title, level };
    const key = keyOf(title);
    let best: readonly Line[] = [];
    let bestDistance = Number.POSITIVE_INFINITY;
    for (let at = 0; at < lines.length && key !== ""; at++) {
      const found = linesWith(lines, keys, at, key);
      if (found === 0 || placed.has(lines[at] as Line)) continue;
      const distance = top === null ? 0 : Math.abs(top - (lines[at] as Line).across);
      if (distance < bestDistance) [best, bestDistance] = [lines.slice(at, at + found), distance];
    }
    if (best.length > 0) for (const line of best) placed.set(line, heading);
    else unplaced.push({ heading, before: top === null ? (lines[0] ?? null) : lineBelow(lines, top) });
  }
  return { placed, unplaced };
}

/** How many lines from `at` have the words of `key` alone, except for a number before them; 0 if they have not. */
function linesWith(lines: readonly Line[], keys: readonly string[], at: number, key: string): number {
  let joined = "";
  for (let count = 1; count <= MAX_LINES && at + count <= lines.length; count++) {
    if (count > 1 && Math.abs((lines[at + count - 1] as Line).size - (lines[at] as Line).size) > 1) return 0;
    joined += keys[at + count - 1];
    if (joined.length > key.length + MAX_NUMBER) return 0;
    if (joined === key || (joined.endsWith(key) && isNumber(joined.slice(0, -key.length)))) return count;
  }
  return 0;
}

/** Such as `chapter3`, `a12`, `iv` or `第3章`, as `keyOf` leaves them. */
function isNumber(key: string): boolean {
  return /^(?:\p{L}{0,9}[\divxlc]{1,6}\p{L}?|\p{L}\p{N}{0,6}|appendix\p{L})$/u.test(key);
}

function lineBelow(lines: readonly Line[], top: number): Line | null {
  return lines.find(({ across, angle, size }) => angle === 0 && across <= top + 0.2 * size) ?? null;
}

export function keyOf(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");
}

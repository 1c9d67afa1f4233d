import type { Run } from "./page-runs.ts";

/** Puts the runs of a page together to lines, in the order in which people read them. */

export interface Line {
  /** In the order of reading. */
  runs: Run[];
  /** The place of its largest run, as that has it. */
  across: number;
  start: number;
  end: number;
  size: number;
  angle: number;
  isArtifact: boolean;
  /** Its letters from right to left less those from left to right. */
  leftward: number;
}

/** In sizes of the font. */
const SAME_LINE = 0.6;
const OVERLAP = 0.5;
const COLUMN_GAP = 2;
/** A page whose lines go up more often than this share of them is put into order by their places. */
const MAX_UPWARD = 0.08;

/**
 * The order of the file is nearly always that of reading, columns and tables included. A page that goes back up within
 * a column again and again is put into order by its places.
 */
export function linesOf(runs: readonly Run[]): Line[] {
  const lines = joinRuns(runs);
  if (!isDisordered(lines)) return lines.map(orderRuns);
  return sortByPlace(lines.flatMap(splitAtGaps)).map(orderRuns);
}

function joinRuns(runs: readonly Run[]): Line[] {
  const lines: Line[] = [];
  let line: Line | null = null;
  let last: Run | null = null;
  for (const run of runs) {
    // Some programs print bold letters as the same text twice.
    if (last !== null && isSamePlace(run, last)) continue;
    last = run;
    if (line !== null && continues(line, run)) {
      line.runs.push(run);
      line.leftward += leftwardOf(run);
      line.start = Math.min(line.start, run.along);
      line.end = Math.max(line.end, run.along + run.width);
      if (run.size > line.size) {
        line.size = run.size;
        line.across = run.across;
      }
    } else {
      line = lineOf(run);
      lines.push(line);
    }
  }
  return lines;
}

function lineOf(run: Run): Line {
  const { across, along, width, size, angle, isArtifact } = run;
  return { runs: [run], across, start: along, end: along + width, size, angle, isArtifact, leftward: leftwardOf(run) };
}

function isSamePlace(run: Run, { text, along, across, size }: Run): boolean {
  return run.text === text && Math.abs(run.along - along) < 0.2 * size && Math.abs(run.across - across) < 0.2 * size;
}

function continues(line: Line, run: Run): boolean {
  const size = Math.max(line.size, run.size);
  if (run.angle !== line.angle || run.isArtifact !== line.isArtifact) return false;
  if (Math.abs(run.across - line.across) > SAME_LINE * size) return false;
  if (run.along >= line.end - OVERLAP * size) return true;
  return run.along + run.width <= line.start + OVERLAP * size && line.leftward + leftwardOf(run) > 0;
}

function leftwardOf({ isRightToLeft, text }: Run): number {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return isRightToLeft ? letters : -letters;
}

/** Of a line from right to left, runs from left to right that follow each other keep their order. */
function orderRuns(line: Line): Line {
  if (line.leftward <= 0) return line;
  const sorted = [...line.runs].sort((a, b) => b.along - a.along);
  const ordered: Run[] = [];
  let from = 0;
  sorted.forEach((run, at) => {
    const isLeftToRight = !run.isRightToLeft && /[\p{L}\p{N}]/u.test(run.text);
    if (!isLeftToRight) from = at + 1;
    ordered.splice(isLeftToRight ? from : at, 0, run);
  });
  // The white space before a run stands after it now, so the places alone tell where there is some.
  return { ...line, runs: ordered.map((run) => ({ ...run, isSpaced: false })) };
}

function isDisordered(lines: readonly Line[]): boolean {
  let upward = 0;
  lines.forEach((line, at) => {
    const before = lines[at - 1];
    if (before === undefined || before.angle !== line.angle || line.across <= before.across + line.size) return;
    if (overlap(line, before) > 0) upward += 1;
  });
  return upward > 2 && upward > MAX_UPWARD * lines.length;
}

function overlap(a: Line, b: Line): number {
  return Math.min(a.end, b.end) - Math.max(a.start, b.start);
}

function splitAtGaps(line: Line): Line[] {
  const parts: Line[] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const run of [...line.runs].sort((a, b) => a.along - b.along)) {
    const part = parts.at(-1);
    if (part === undefined || run.along - end > COLUMN_GAP * run.size) parts.push(lineOf(run));
    else {
      part.runs.push(run);
      part.leftward += leftwardOf(run);
      part.end = Math.max(part.end, run.along + run.width);
    }
    end = Math.max(end, run.along + run.width);
  }
  return parts;
}

/**
 * Cuts the page at its empty strips, again and again: first into columns, if a strip divides all lines, else between
 * two lines at the widest space. Lines of other angles come last.
 */
function sortByPlace(lines: readonly Line[]): Line[] {
  const level = lines.filter(({ angle }) => angle === 0).sort((a, b) => b.across - a.across || a.start - b.start);
  return [...cut(level, 0), ...lines.filter(({ angle }) => angle !== 0)];
}

const MAX_CUTS = 12;
/** A column has at least as many lines. */
const MIN_COLUMN = 3;

/** `lines`: from above to below. */
function cut(lines: readonly Line[], depth: number): Line[] {
  if (lines.length < 2 * MIN_COLUMN || depth >= MAX_CUTS) return joinLevel(lines);
  const columns = cutColumns(lines);
  if (columns !== null) return columns.flatMap((column) => cut(column, depth + 1));
  let widest = 0;
  let at = 0;
  lines.forEach((line, index) => {
    const space = index === 0 ? 0 : ((lines[index - 1] as Line).across - line.across) / line.size;
    if (space > widest) [widest, at] = [space, index];
  });
  if (at === 0 || widest < 1.5) return joinLevel(lines);
  return [...cut(lines.slice(0, at), depth + 1), ...cut(lines.slice(at), depth + 1)];
}

/** Null if no empty strip divides the lines. */
function cutColumns(lines: readonly Line[]): [Line[], Line[]] | null {
  const byStart = [...lines].sort((a, b) => a.start - b.start);
  let end = Number.NEGATIVE_INFINITY;
  for (const [at, line] of byStart.entries()) {
    if (at >= MIN_COLUMN && lines.length - at >= MIN_COLUMN && line.start - end > line.size) {
      const left = new Set(byStart.slice(0, at));
      return [lines.filter((one) => left.has(one)), lines.filter((one) => !left.has(one))];
    }
    end = Math.max(end, line.end);
  }
  return null;
}

/** Puts parts on one level into one line again. */
function joinLevel(lines: readonly Line[]): Line[] {
  return joinRuns(lines.flatMap(({ runs }) => runs.map((run, at) => (at === 0 ? { ...run, isSpaced: true } : run))));
}

import { firstWordWidth, joinOf, type LineJoin, textOf } from "./line-text.ts";
import type { Line } from "./page-lines.ts";

/** Joins lines to paragraphs, by the space between them and by how full they are. */

export interface Paragraph {
  lines: Line[];
  /** How each line goes on; one fewer than `lines`. */
  joins: LineJoin[];
  /** Of the heading that it is; null for text. */
  level: number | null;
  /** The right margin of its lines, in points. */
  margin: number;
}

/** In sizes of the font. */
const MAX_LEADING = 2.2;
const INDENT = 0.7;
const TABLE_GAP = 2.5;
/** A paragraph's lines are this much closer than paragraphs are. */
const WIDER = 1.25;
const SAME_SIZE = 1.15;
/** The share of lines that may go beyond the margin. */
const BEYOND_MARGIN = 0.1;
const ITEM = /^(?:[•●○◦▪■□–—*‣⁃·]\s|\(?(?:\d{1,3}|[a-z])[.)]\s)/u;
/** A line of a list of contents: dots, and a page's number. */
const LEADER = /…\s?\S{0,6}$/u;
/** What ends a paragraph, although the line is full. */
const SENTENCE_END = /[.!?:;。！？：]["'”’)\]]?$/u;

/** `levels`: of the lines that are headings. Headings of several lines follow each other with the same object. */
export function paragraphsOf(lines: readonly Line[], headings: ReadonlyMap<Line, { level: number }>): Paragraph[] {
  const paragraphs: Paragraph[] = [];
  const margins = new Margins(lines);
  let current: Paragraph | null = null;
  let leading = 0;
  lines.forEach((line, at) => {
    const last = current?.lines.at(-1);
    const heading = headings.get(line);
    if (current !== null && last !== undefined && headings.get(last) === heading) {
      const step = (last.across - line.across) / line.size;
      const isNear = step <= MAX_LEADING && (leading === 0 || step <= leading * WIDER);
      if (heading !== undefined || (isNear && isBelow(last, line) && !startsParagraph(current, line, lines[at + 1]))) {
        leading = leading === 0 ? step : Math.min(leading, step);
        const isFull = heading !== undefined || fillsLine(last, line, current.margin);
        current.joins.push(isFull ? joinOf(last, line) : "break");
        current.lines.push(line);
        return;
      }
    }
    current = { lines: [line], joins: [], level: heading?.level ?? null, margin: margins.of(line) };
    leading = 0;
    paragraphs.push(current);
  });
  return paragraphs;
}

/** Whether a paragraph that a page or a column cuts in two goes on in `next`. */
export function continuesIn({ lines, level, margin }: Paragraph, next: Paragraph): boolean {
  const last = lines.at(-1);
  const first = next.lines[0];
  if (last === undefined || first === undefined || level !== null || next.level !== null) return false;
  if (last.angle !== first.angle || Math.abs(last.size - first.size) > 0.5 || isMonospaced(last)) return false;
  const end = textOf(last);
  const start = textOf(first);
  return !SENTENCE_END.test(end) && /^[\p{Ll}\p{Lo}]/u.test(start) && fillsLine(last, first, margin);
}

export function isMonospaced({ runs }: Line): boolean {
  return runs.every((run) => run.isMonospaced);
}

/** Whether the next line's first word has no place in it, so that it ends only because it is full. */
function fillsLine(line: Line, next: Line, margin: number): boolean {
  if (isMonospaced(line) && isMonospaced(next)) return false;
  if (hasWideGap(line) || LEADER.test(textOf(line).slice(-30))) return false;
  const rightToLeft = line.runs[0]?.isRightToLeft === true;
  return rightToLeft || line.end + firstWordWidth(next) + 0.2 * line.size > margin;
}

/** Rows of tables, and lines of a list of contents. */
function hasWideGap({ runs }: Line): boolean {
  return runs.some((run, at) => {
    const before = runs[at - 1];
    return before !== undefined && run.along - before.along - before.width > TABLE_GAP * run.size;
  });
}

function isBelow(above: Line, line: Line): boolean {
  if (above.angle !== line.angle || line.across >= above.across - 0.3 * line.size) return false;
  if (Math.max(above.size, line.size) > SAME_SIZE * Math.min(above.size, line.size)) return false;
  return Math.min(above.end, line.end) > Math.max(above.start, line.start) - 2 * line.size;
}

function startsParagraph({ lines }: Paragraph, line: Line, next: Line | undefined): boolean {
  if (ITEM.test(textOf(line).slice(0, 8))) return true;
  const last = lines.at(-1) as Line;
  if (isMonospaced(last) !== isMonospaced(line)) return true;
  if (isMonospaced(line) || line.runs[0]?.isRightToLeft === true) return false;
  const indent = (line.start - last.start) / line.size;
  // Further lines of a hanging indent stay where they are.
  if (indent > INDENT) return next === undefined || next.start < line.start - 0.5 * line.size;
  // A paragraph may begin with an indent, and its further lines do not go back after that.
  return indent < -INDENT && lines.length > 1;
}

/** The right margins of a page: how far the lines go that begin at one place. */
class Margins {
  readonly #ends = new Map<number, number[]>();
  readonly #margins = new Map<number, number>();

  constructor(lines: readonly Line[]) {
    for (const line of lines) {
      const key = keyOf(line);
      const ends = this.#ends.get(key);
      if (ends === undefined) this.#ends.set(key, [line.end]);
      else ends.push(line.end);
    }
  }

  of(line: Line): number {
    const key = keyOf(line);
    let margin = this.#margins.get(key);
    if (margin === undefined) {
      // Indented lines have the same right margin as those beside them.
      const ends = [-4, -3, -2, -1, 0, 1].flatMap((off) => this.#ends.get(key + off) ?? []).sort((a, b) => b - a);
      // A few lines may go beyond it.
      margin = ends[Math.floor(ends.length * BEYOND_MARGIN)] ?? line.end;
      this.#margins.set(key, margin);
    }
    return margin;
  }
}

function keyOf({ start, angle }: Line): number {
  return Math.round(start / 10) + angle * 10_000;
}

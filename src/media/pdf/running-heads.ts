import { textOf } from "./line-text.ts";
import type { Line } from "./page-lines.ts";

/** Finds running heads, running feet and page numbers: lines at the edge of a page that its neighbours have too. */

/** Lines that are compared at each edge of a page, and the share of its height that an edge takes. */
const EDGE_LINES = 2;
const EDGE = 0.12;
/** In points. */
const SAME_PLACE = 4;
/** Pages before and after. Left and right pages have different heads. */
export const NEIGHBOUR_PAGES = 4;
/** Other pages near it with the same line. */
const MIN_REPEATED = 2;
const MAX_KNOWN = 10_000;

export interface EdgeLine {
  line: Line;
  /** Its text without case and without numbers before and after it. */
  key: string;
}

/** `bottom` and `top`: of the page. */
export function edgeLinesOf(lines: readonly Line[], [, bottom = 0, , top = 0]: readonly number[]): EdgeLine[] {
  const level = lines.filter(({ angle }) => angle === 0).sort((a, b) => b.across - a.across);
  const edge = EDGE * (top - bottom);
  const above = level.slice(0, EDGE_LINES).filter(({ across }) => across > top - edge);
  const below = level.slice(-EDGE_LINES).filter(({ across }) => across < bottom + edge);
  return [...new Set([...above, ...below])].map((line) => ({ line, key: keyOf(textOf(line)) }));
}

/** Of a document, whose pages come in order. */
export class RunningHeads {
  readonly #known = new Set<string>();
  /** How often the number of a page is its place in the file and this. */
  readonly #offsets = new Map<number, number>();

  /**
   * The lines of a page that are left out. A text that stands nowhere else in the document is never left out: its first
   * time stays. `index`: of the page. `neighbours`: the edges of the pages around it.
   */
  find(edges: readonly EdgeLine[], index: number, neighbours: readonly (readonly EdgeLine[])[]): Set<Line> {
    const found = new Set<Line>();
    for (const { line, key } of edges) {
      const isRepeated = countSame(line, key, neighbours) >= MIN_REPEATED;
      const number = key === "" ? numberOf(textOf(line)) : null;
      // The first page of a chapter has its number at another place.
      const isOwn = number !== null && (this.#offsets.get(number - index) ?? 0) >= MIN_REPEATED;
      if (isOwn || (isRepeated && (key === "" || this.#known.has(key)))) found.add(line);
      if (isRepeated && number !== null)
        this.#offsets.set(number - index, (this.#offsets.get(number - index) ?? 0) + 1);
      if (key !== "") this.#learn(key);
    }
    return found;
  }

  /** Adds a text that the document has elsewhere, such as its title or a heading. */
  know(text: string): void {
    this.#learn(keyOf(text));
  }

  #learn(key: string): void {
    if (this.#known.size < MAX_KNOWN) this.#known.add(key);
  }
}

function countSame(line: Line, key: string, neighbours: readonly (readonly EdgeLine[])[]): number {
  return neighbours.filter((edges) =>
    edges.some((edge) => edge.key === key && Math.abs(edge.line.across - line.across) <= SAME_PLACE),
  ).length;
}

/** A Roman number is a number too. */
function keyOf(text: string): string {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  while (NUMBER.test(words[0] ?? "")) words.shift();
  while (NUMBER.test(words.at(-1) ?? "")) words.pop();
  return words.join(" ");
}

const NUMBER = /^(?:\p{N}+|[ivxlc]+)$/u;

/** Null for anything but a number alone, in Arabic or Roman digits, perhaps between dashes. */
function numberOf(text: string): number | null {
  const digits = /^\W*(?:(\d{1,6})|([ivxlc]{1,9}))\W*$/i.exec(text);
  if (digits === null) return null;
  if (digits[1] !== undefined) return Number(digits[1]);
  const values = [...(digits[2] ?? "").toLowerCase()].map((letter) => ROMAN[letter] ?? 0);
  return values.reduce((sum, value, at) => sum + (value < (values[at + 1] ?? 0) ? -value : value), 0);
}

const ROMAN: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100 };

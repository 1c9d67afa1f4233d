import { weighTokens } from "./estimate-tokens.ts";
import { type Block, endOfCode, isItem, type Line, linesOf } from "./read-blocks.ts";

/** Cuts a block that is larger than a chunk, at the best places that it has. */

/** A part of the Markdown, and what must stand around it to be read by itself. */
export interface Piece {
  start: number;
  end: number;
  /** The header of a table, or the fence of code. Empty for the first piece. */
  before: string;
  /** The end of the fence, or of an HTML table. */
  after: string;
  /** Tokens, with `before` and `after`. */
  weight: number;
}

/** A header that is larger than this share of a chunk is not repeated. */
const MAX_REPEATED = 0.25;

export function pieceOf(markdown: string, { start, end }: Pick<Piece, "start" | "end">): Piece {
  return { start, end, before: "", after: "", weight: weighTokens(markdown.slice(start, end)) };
}

/**
 * The pieces of a block in order. They cover all of it. `room`: the tokens of the first piece; `size`: those of the
 * others. A piece is larger only if one character is.
 */
export function cutBlock(markdown: string, block: Block, room: number, size: number): Piece[] {
  const { open, close, units } = partsOf(block, markdown);
  const around = weighTokens(open) + weighTokens(close);
  const repeats = around > 0 && around <= size * MAX_REPEATED;
  const [before, after] = repeats ? [open, close] : ["", ""];
  const ends = weighTokens(after);
  const pieces: Piece[] = [];
  for (const { start, end } of packUnits(markdown, units, room - ends, repeats ? size - around : size)) {
    const isFirst = pieces.length === 0;
    // What the block itself has at its end is not repeated.
    const isLast = end === block.end;
    const piece = { start, end, before: isFirst ? "" : before, after: isLast ? "" : after };
    const written = `${piece.before}${markdown.slice(start, end)}${piece.after}`;
    pieces.push({ ...piece, weight: weighTokens(written) });
  }
  return pieces;
}

type Span = Pick<Piece, "start" | "end">;

/** What is repeated around each piece, and the spans between which the block is cut. They cover the block. */
function partsOf(block: Block, markdown: string): { open: string; close: string; units: Span[] } {
  const { kind, lines, end } = block;
  const plain = (units: readonly Span[]) => ({ open: "", close: "", units: cover(units, end) });
  if (kind === "code") {
    const isFenced = endOfCode(lines, 0) !== null;
    const [first] = lines;
    const mark = isFenced ? (/`{3,}|~{3,}/.exec(first?.text ?? "")?.[0] ?? "") : "";
    if (first === undefined || mark === "") return plain(lines);
    return { open: `${first.text}\n`, close: `\n${mark}`, units: cover(joinFirst(lines, 1), end) };
  }
  if (kind === "table") {
    const header = lines.slice(0, 2).map(({ text }) => `${text}\n`);
    return { open: header.join(""), close: "", units: cover(joinFirst(lines, 2), end) };
  }
  if (kind === "html") return htmlParts(block, markdown);
  return plain(kind === "list" ? itemsOf(lines) : lines);
}

/** Rows of an HTML table. Other HTML is cut at its lines. */
function htmlParts({ start, end, lines }: Block, markdown: string) {
  const html = markdown.slice(start, end);
  const open = /^\s*<table\b[^>]*>/i.exec(html)?.[0];
  if (open === undefined) return { open: "", close: "", units: cover(lines, end) };
  const rows: Span[] = [];
  let from = 0;
  for (const { index } of html.matchAll(/<\/tr>/gi)) {
    const until = index + "</tr>".length;
    rows.push({ start: start + from, end: start + until });
    from = until;
  }
  const first = html.slice(0, (rows[0]?.end ?? start) - start);
  const head = /<th\b/i.test(first) ? `${first}${/<thead\b/i.test(first) ? "</thead>" : ""}` : open;
  return { open: `${head}\n`, close: "</table>", units: cover(rows.length === 0 ? lines : rows, end) };
}

function joinFirst(lines: readonly Line[], count: number): Span[] {
  const [first] = lines;
  const last = lines[Math.min(count, lines.length - 1)];
  if (first === undefined || last === undefined) return [];
  return [{ start: first.start, end: last.end }, ...lines.slice(count + 1)];
}

/** The items of a list; an item has its lines up to the next one. */
function itemsOf(lines: readonly Line[]): Span[] {
  const items: Span[] = [];
  for (const line of lines) {
    const last = items.at(-1);
    if (last === undefined || isItem(line)) items.push({ start: line.start, end: line.end });
    else last.end = line.end;
  }
  return items;
}

/** The same spans without gaps between them, up to the end of the block. */
function cover(spans: readonly Span[], end: number): Span[] {
  return spans.map(({ start }, i) => ({ start, end: spans[i + 1]?.start ?? end }));
}

/** A word that is cut weighs a little more in one chunk than its parts do. */
const CUT_WORD = 1;

/** Joins spans as far as they fit, and cuts those that do not fit by themselves. */
function packUnits(markdown: string, units: readonly Span[], room: number, size: number): Span[] {
  const packed: Span[] = [];
  let left = room;
  let open: Span | null = null;
  const weigh = ({ start, end }: Span) => {
    const isCutWord = start > 0 && /^[a-z]{2}/i.test(markdown.slice(start - 1, start + 1));
    return weighTokens(markdown.slice(start, end)) + (isCutWord ? CUT_WORD : 0);
  };
  const add = (span: Span, weight: number) => {
    if (open !== null && weight <= left) open.end = span.end;
    else {
      if (open !== null) left = size;
      open = { ...span };
      packed.push(open);
    }
    left -= weight;
  };
  for (const unit of units) {
    const weight = weigh(unit);
    // The first piece may have less room than the others. If a unit does not fit there, it is cut as well.
    if (weight <= left || (weight <= size && open !== null)) add(unit, weight);
    else for (const span of divide(markdown, unit, Math.min(size, open === null ? left : size))) add(span, weigh(span));
  }
  return packed;
}

/** Divides a span at its code and lines, then sentences, words and characters, into spans that fit. */
function divide(markdown: string, span: Span, size: number, depth = 0): Span[] {
  const text = markdown.slice(span.start, span.end);
  if (weighTokens(text) <= size) return [span];
  const divideNext = (parts: Span[]) => parts.flatMap((part) => divide(markdown, part, size, depth + 1));
  if (depth === 0) return divideNext(linesAndCode(text, span));
  if (depth === 1) return divideNext(spansBetween(text, span.start, SENTENCE_END));
  if (depth === 2) return divideNext(spansBetween(text, span.start, WORD_END));
  return charactersOf(text, span.start, size);
}

/** A sentence of a script with spaces ends before a space; of another one, at its full stop. */
const SENTENCE_END = /[.!?…]["'»”’)\]*_]*\s+|[。！？]["'」』）】]*\s*|\n+/g;
const WORD_END = /\s+/g;

function spansBetween(text: string, offset: number, ends: RegExp): Span[] {
  const spans: Span[] = [];
  let from = 0;
  for (const match of text.matchAll(ends)) {
    const end = match.index + match[0].length;
    spans.push({ start: offset + from, end: offset + end });
    from = end;
  }
  if (from < text.length) spans.push({ start: offset + from, end: offset + text.length });
  return spans;
}

/** Code within an item stays together, if it fits. */
function linesAndCode(text: string, { start, end }: Span): Span[] {
  const lines = linesOf(text, start);
  const spans: Span[] = [];
  for (let at = 0; at < lines.length; ) {
    const next = endOfCode(lines, at) ?? at + 1;
    spans.push({ start: lines[at]?.start ?? start, end: lines[next - 1]?.end ?? end });
    at = next;
  }
  return spans;
}

/** A letter of a long word has less than a third of a token. */
const MAX_LETTERS = 4;

/** The longest runs of characters that fit. A character is never cut in two. */
function charactersOf(text: string, offset: number, size: number): Span[] {
  const spans: Span[] = [];
  for (let from = 0; from < text.length; ) {
    let [fits, most] = [1, Math.max(1, Math.ceil(size * MAX_LETTERS))];
    while (fits < most) {
      const length = Math.ceil((fits + most) / 2);
      if (weighTokens(text.slice(from, from + length)) <= size - CUT_WORD) fits = length;
      else most = length - 1;
    }
    const isHalf = /[\ud800-\udbff]/.test(text[from + fits - 1] ?? "");
    const half = isHalf ? (fits > 1 ? -1 : 1) : 0;
    const end = Math.min(text.length, from + fits + half);
    spans.push({ start: offset + from, end: offset + end });
    from = end;
  }
  return spans;
}

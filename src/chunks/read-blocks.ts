/**
 * Divides Markdown into its blocks, by lines: CommonMark's block structure as far as a chunk needs it. A parser would
 * read every word of a page to say where its blocks begin; this reads each line once, and loses none.
 */

export interface Block {
  kind: "heading" | "code" | "table" | "html" | "list" | "quote" | "text";
  /** Its first character in the Markdown. */
  start: number;
  /** The place after its last line, and after the empty lines that follow. */
  end: number;
  /** Of a heading, 1 to 6; 0 for other blocks. */
  level: number;
  /** The lines, without those that are empty at the end. */
  lines: readonly Line[];
}

export interface Line {
  start: number;
  /** The place after its line end. */
  end: number;
  text: string;
}

const FENCE = /^ *(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]|$)/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
const ITEM = /^ {0,3}(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const TABLE_RULER = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?$/;
const QUOTE = /^ {0,3}>/;
const HTML = /^ {0,3}<[a-z/!?]/i;
const INDENTED = /^(?: {4}|\t)/;

/** The blocks in order. They cover the Markdown from its first character that is no white space to its end. */
export function readBlocks(markdown: string): Block[] {
  const lines = linesOf(markdown);
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length && isEmpty(lines[at])) at += 1;
  while (at < lines.length) {
    const { kind, level, end } = blockAt(lines, at);
    let next = end;
    while (next < lines.length && isEmpty(lines[next])) next += 1;
    blocks.push({
      kind,
      level,
      start: lines[at]?.start ?? 0,
      end: lines[next - 1]?.end ?? 0,
      lines: lines.slice(at, end),
    });
    at = next;
  }
  return blocks;
}

export function linesOf(text: string, offset = 0): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline + 1;
    const line = text.slice(start, newline === -1 ? end : newline);
    lines.push({ start: offset + start, end: offset + end, text: line.endsWith("\r") ? line.slice(0, -1) : line });
    start = end;
  }
  return lines;
}

/**
 * The index after the fenced code that begins at this line; null if none does. One that is never closed has the rest.
 */
export function endOfCode(lines: readonly Line[], at: number): number | null {
  const mark = FENCE.exec(lines[at]?.text ?? "")?.[1];
  if (mark === undefined) return null;
  for (let end = at + 1; end < lines.length; end++) {
    const text = lines[end]?.text.trim() ?? "";
    if (text.length >= mark.length && text === (mark[0] ?? "").repeat(text.length)) return end + 1;
  }
  return lines.length;
}

type Found = Pick<Block, "kind" | "level"> & { end: number };

function blockAt(lines: readonly Line[], at: number): Found {
  const text = lines[at]?.text ?? "";
  const found = (kind: Block["kind"], end: number, level = 0): Found => ({ kind, end, level });
  const code = endOfCode(lines, at);
  if (code !== null) return found("code", code);
  const marks = HEADING.exec(text)?.[1];
  if (marks !== undefined) return found("heading", at + 1, marks.length);
  if (RULE.test(text)) return found("text", at + 1);
  if (isTable(lines, at))
    return found(
      "table",
      endOf(lines, at, ({ text }) => text.includes("|")),
    );
  if (HTML.test(text))
    return found(
      "html",
      endOf(lines, at, () => true),
    );
  if (ITEM.test(text)) return found("list", endOfList(lines, at));
  if (QUOTE.test(text))
    return found(
      "quote",
      endOf(lines, at, ({ text }) => QUOTE.test(text)),
    );
  if (INDENTED.test(text))
    return found(
      "code",
      endOf(lines, at, ({ text }) => INDENTED.test(text)),
    );
  const level = UNDERLINE.exec(lines[at + 1]?.text ?? "")?.[1];
  if (level !== undefined) return found("heading", at + 2, level.startsWith("=") ? 1 : 2);
  return found("text", endOfText(lines, at));
}

/** The index of the first line after `at` that is empty or does not belong. */
function endOf(lines: readonly Line[], at: number, belongs: (line: Line) => boolean): number {
  let end = at + 1;
  for (let line = lines[end]; line !== undefined && !isEmpty(line) && belongs(line); line = lines[end]) end += 1;
  return end;
}

function endOfText(lines: readonly Line[], at: number): number {
  let end = at + 1;
  while (end < lines.length && !isEmpty(lines[end]) && !interrupts(lines, end)) end += 1;
  return end;
}

/** Whether the line begins a block that needs no empty line before it. */
function interrupts(lines: readonly Line[], at: number): boolean {
  const text = lines[at]?.text ?? "";
  return FENCE.test(text) || HEADING.test(text) || RULE.test(text) || ITEM.test(text) || QUOTE.test(text);
}

/** After an empty line, a list goes on with an item or an indented line. */
function endOfList(lines: readonly Line[], at: number): number {
  let end = at + 1;
  while (end < lines.length) {
    const line = lines[end];
    const text = line?.text ?? "";
    if (isEmpty(line)) {
      let next = end;
      while (next < lines.length && isEmpty(lines[next])) next += 1;
      const after = lines[next]?.text ?? "";
      if (!ITEM.test(after) && !/^(?: {2}|\t)/.test(after)) return end;
      end = next;
      continue;
    }
    const code = endOfCode(lines, end);
    if (code !== null && /^(?: {2}|\t)/.test(text)) {
      end = code;
      continue;
    }
    if (code !== null || HEADING.test(text) || (RULE.test(text) && !ITEM.test(text))) return end;
    end += 1;
  }
  return end;
}

function isTable(lines: readonly Line[], at: number): boolean {
  const ruler = lines[at + 1]?.text ?? "";
  return (lines[at]?.text ?? "").includes("|") && ruler.includes("|") && TABLE_RULER.test(ruler);
}

/** Whether the line begins an item of a list that is not within another one. */
export function isItem({ text }: Line): boolean {
  return ITEM.test(text);
}

function isEmpty(line: Line | undefined): boolean {
  return line === undefined || line.text.trim() === "";
}

/** Prose in source files and Markdown: finds its lines that are too long, and wraps them without changing a word. */

/** Characters of a line, with its indentation. */
export const MAX_WIDTH = 120;

/** A paragraph. Its lines are those of the file from `from` up to `to`. */
interface Paragraph {
  from: number;
  to: number;
  /** The words, and what stands before them in the first line and in each other line. */
  text: string;
  first: string;
  rest: string;
  /** What follows the last word: the end of a comment that began on the same line. */
  end: string;
  /** The lines before and after it. */
  marks?: [string, string];
}

/** A file's lines that hold prose, and the paragraphs among them that may be wrapped. */
interface Prose {
  lines: Set<number>;
  paragraphs: Paragraph[];
}

/**
 * The numbers, from 1, of the lines of prose that are longer than MAX_WIDTH. `name` is the file's: its ending says how
 * to read it.
 */
export function findLongLines(name: string, source: string): number[] {
  const lines = source.split("\n");
  return [...proseOf(name, source).lines].filter((at) => isTooLong(lines[at] ?? "")).map((at) => at + 1);
}

/** The file with each paragraph that has a line longer than MAX_WIDTH wrapped anew. Others stay as they are. */
export function wrapProse(name: string, source: string): string {
  const lines = source.split("\n");
  for (const paragraph of proseOf(name, source).paragraphs.toReversed()) {
    const { from, to, marks = [] } = paragraph;
    if (!lines.slice(from, to).some(isTooLong)) continue;
    lines.splice(from, to - from, ...marks.slice(0, 1), ...wrap(paragraph), ...marks.slice(1));
  }
  return lines.join("\n");
}

function proseOf(name: string, source: string): Prose {
  if (name.endsWith(".md")) return markdownProse(source.split("\n"));
  if (/\.(py|toml|ya?ml)$/.test(name)) return hashProse(source.split("\n"));
  return commentProse(source, name.endsWith(".css") ? cssComments(source) : scriptComments(source));
}

/** A line of one word or of one link cannot be broken. */
function isTooLong(line: string): boolean {
  if (Array.from(line).length <= MAX_WIDTH) return false;
  const text = line.replace(/^\s*(\/\/|\/?\*+|#|[-*+]|\d+\.)?\s*/, "").replace(/\s*\*\/$/, "");
  return text.includes(" ") && !/^\[[^\]]*\]\([^)]*\)[.,;:]?$/.test(text);
}

/** At the beginning of a line these would be a list, a heading, a quotation, a table, a tag or HTML. */
const STARTS_BLOCK = /^([-+*=]+|\d+[.)]|#+|[>|@<~].*|```.*|\/\/.*|\*\/.*)$/;

/** A code span is one word, in whose inside no line ends. */
function wrap({ text, first, rest, end }: Paragraph): string[] {
  const words: string[] = [];
  for (const word of text.match(/(?:`[^`]*`|[^\s`]|`)+/g) ?? []) {
    if (words.length > 0 && STARTS_BLOCK.test(word)) words.push(`${words.pop()} ${word}`);
    else words.push(word);
  }
  if (end !== "") words.push(`${words.pop() ?? ""}${end}`);
  const lines: string[] = [];
  let line = first + (words.shift() ?? "");
  for (const word of words) {
    if (Array.from(line).length + 1 + Array.from(word).length <= MAX_WIDTH) line += ` ${word}`;
    else {
      lines.push(line);
      line = rest + word;
    }
  }
  return [...lines, line];
}

const FENCE = /^\s*(```|~~~)/;
const ITEM = /^(\s*)((?:[-*+]|\d+[.)])\s+)(?=\S)/;
/** Headings, tables, quotations, HTML, link definitions and hard breaks. */
const NO_PARAGRAPH = /^\s*(#{1,6}\s|\||>|<|\[[^\]]+\]:\s|([-*_]\s*){3,}$)|(\s\s|\\)$/;

function markdownProse(lines: string[]): Prose {
  const prose: Prose = { lines: new Set(), paragraphs: [] };
  /**
   * Where the text of the last list item begins: what stands there after an empty line is the item's, and further in it
   * is code.
   */
  let itemIndent = 0;
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    const fence = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      do at += 1;
      while (at < lines.length && !lines[at]?.trimStart().startsWith(fence));
      at += 1;
      continue;
    }
    const [, space = "", marker = ""] = ITEM.exec(line) ?? [];
    const indent = line.length - line.trimStart().length;
    if (marker === "" && line.trim() !== "") itemIndent = Math.min(itemIndent, indent);
    if (line.trim() === "" || indent >= itemIndent + 4 || NO_PARAGRAPH.test(line)) {
      at += 1;
      continue;
    }
    if (marker !== "") itemIndent = space.length + marker.length;
    let to = at + 1;
    while (to < lines.length && continues(lines[to] ?? "")) to += 1;
    const first = marker === "" ? " ".repeat(indent) : space + marker;
    addParagraph(prose, lines, { from: at, to, first, rest: " ".repeat(first.length) });
    at = to;
  }
  return prose;
}

function continues(line: string): boolean {
  return line.trim() !== "" && !ITEM.test(line) && !FENCE.test(line) && !NO_PARAGRAPH.test(line);
}

/** Lines that are all comment, with `#`. */
function hashProse(lines: string[]): Prose {
  const prose: Prose = { lines: new Set(), paragraphs: [] };
  for (let at = 0; at < lines.length; ) {
    const first = /^\s*# (?=\S)/.exec(lines[at] ?? "")?.[0];
    let to = at + 1;
    if (first !== undefined) {
      while (to < lines.length && lines[to]?.startsWith(first) && isPlain(lines[to]?.slice(first.length) ?? ""))
        to += 1;
      addParagraph(prose, lines, { from: at, to, first, rest: first });
    }
    at = to;
  }
  return prose;
}

function addParagraph(prose: Prose, lines: string[], place: Pick<Paragraph, "from" | "to" | "first" | "rest">): void {
  const { from, to, first, rest } = place;
  for (let at = from; at < to; at++) prose.lines.add(at);
  const words = lines.slice(from, to).map((line, i) => line.slice(i === 0 ? first.length : 0).replace(rest.trim(), ""));
  prose.paragraphs.push({ ...place, text: words.join(" "), end: "" });
}

/** A comment: the characters of the file from `from` up to `to`. */
interface Comment {
  from: number;
  to: number;
}

function cssComments(source: string): Comment[] {
  return Array.from(source.matchAll(/\/\*[\s\S]*?\*\//g), ({ index, 0: { length } }) => ({
    from: index,
    to: index + length,
  }));
}

/** After these a slash begins a regular expression, and after anything else it divides. */
const BEFORE_REGEX = /(?:^|[=(,:;!&|?{}[+\-*%<>~^\n]|\b(?:return|typeof|case|in|of|do|else|void|await|yield))\s*$/;
const REGEX = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\//y;
/** A string in JSX's text is an apostrophe: it ends with the line at the latest. */
const STRING = /"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?/y;
const TEMPLATE_TEXT = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*/y;

/** The comments of JavaScript or TypeScript, but none that stand in strings, templates or regular expressions. */
function scriptComments(source: string): Comment[] {
  const comments: Comment[] = [];
  /** For each template that is open, the braces that are open in its expression. */
  const templates: number[] = [];
  let at = 0;
  const skip = (pattern: RegExp): void => {
    pattern.lastIndex = at;
    at += Math.max(1, pattern.exec(source)?.[0].length ?? 0);
  };
  const skipTemplateText = (): void => {
    at += 1;
    TEMPLATE_TEXT.lastIndex = at;
    at += TEMPLATE_TEXT.exec(source)?.[0].length ?? 0;
    if (source[at] === "$") {
      templates.push(0);
      at += 2;
    } else at += 1;
  };
  while (at < source.length) {
    const char = source[at];
    const open = templates.length - 1;
    if (source.startsWith("//", at) || source.startsWith("/*", at)) {
      const end = source[at + 1] === "/" ? source.indexOf("\n", at) : source.indexOf("*/", at) + 2;
      const to = end < at + 2 ? source.length : end;
      comments.push({ from: at, to });
      at = to;
    } else if (char === "/" && BEFORE_REGEX.test(source.slice(Math.max(0, at - 40), at))) skip(REGEX);
    else if (char === '"' || char === "'") skip(STRING);
    else if (char === "`") skipTemplateText();
    else if (char === "}" && templates[open] === 0) {
      templates.pop();
      skipTemplateText();
    } else {
      if (char === "{" && open >= 0) templates[open] = (templates[open] ?? 0) + 1;
      if (char === "}" && open >= 0) templates[open] = (templates[open] ?? 0) - 1;
      at += 1;
    }
  }
  return comments;
}

/** Comments beside code count as prose but are not wrapped, and lists, code and tags in comments neither. */
function commentProse(source: string, comments: Comment[]): Prose {
  const prose: Prose = { lines: new Set(), paragraphs: [] };
  const lines = source.split("\n");
  const lineAt = lineCounter(source);
  let last: Paragraph | undefined;
  for (const { from, to } of comments) {
    const [firstLine, lastLine] = [lineAt(from), lineAt(to)];
    for (let at = firstLine; at <= lastLine; at++) prose.lines.add(at);
    const line = lines[firstLine] ?? "";
    const indent = /^\s*/.exec(line)?.[0] ?? "";
    const isAlone =
      line.startsWith(source.slice(from, from + 2), indent.length) &&
      lines[lastLine]?.endsWith(source.slice(to - 2, to));
    if (!isAlone) continue;
    if (source.startsWith("//", from)) last = addLineComment(prose, last, line, firstLine, indent);
    else prose.paragraphs.push(...blockParagraphs(lines, firstLine, lastLine, indent));
  }
  return prose;
}

function addLineComment(prose: Prose, last: Paragraph | undefined, line: string, at: number, indent: string) {
  const text = line.slice(indent.length + 2);
  const first = `${indent}// `;
  if (!isPlain(text.slice(1)) || !text.startsWith(" ")) return undefined;
  if (last?.to === at && last.first === first && !isBreak(last.text, text)) {
    last.to += 1;
    last.text += text;
    return last;
  }
  const paragraph: Paragraph = { from: at, to: at + 1, text: text.slice(1), first, rest: first, end: "" };
  prose.paragraphs.push(paragraph);
  return paragraph;
}

/** The paragraphs of a comment whose lines begin with a star, or of one that is a single line. */
function blockParagraphs(lines: string[], firstLine: number, lastLine: number, indent: string): Paragraph[] {
  const opening = /^\s*(\/\*\*?)/.exec(lines[firstLine] ?? "")?.[1] ?? "";
  if (firstLine === lastLine) {
    const text = (lines[firstLine] ?? "").trim().slice(opening.length, -2).trim();
    if (!isPlain(text)) return [];
    const place = { from: firstLine, to: firstLine + 1, text };
    // A comment of CSS has no stars; one of a script gets lines of its own.
    if (opening === "/*") return [{ ...place, first: `${indent}/* `, rest: `${indent}   `, end: " */" }];
    return [
      { ...place, first: `${indent} * `, rest: `${indent} * `, end: "", marks: [`${indent}/**`, `${indent} */`] },
    ];
  }
  const first = `${indent} * `;
  const paragraphs: Paragraph[] = [];
  for (let at = firstLine + 1; at < lastLine; at++) {
    const text = lines[at]?.startsWith(first) ? (lines[at] ?? "").slice(first.length) : "";
    const last = paragraphs.at(-1);
    if (!isPlain(text)) {
      // What follows a list item may be its continuation.
      while (at + 1 < lastLine && (lines[at + 1] ?? "").trim() !== "*" && text !== "") at += 1;
    } else if (last?.to === at && !isBreak(last.text, text)) {
      last.to += 1;
      last.text += ` ${text}`;
    } else paragraphs.push({ from: at, to: at + 1, text, first, rest: first, end: "" });
  }
  return paragraphs;
}

/** Text that is neither empty nor code, a list, a table, a tag or a directive to a tool. */
function isPlain(text: string): boolean {
  return (
    text !== "" && !/^\s|^([-+*]|\d+[.)])\s|^[@|<#`=-]{1}(?![^`]*`)|^biome-|^eslint|^v8 ignore|^prettier/.test(text)
  );
}

/** Whether a line ends where it does on purpose: at a bare URL, before a new sentence. */
function isBreak(text: string, next: string): boolean {
  return /:\/\/\S+$/.test(text) && /^\s*\p{Lu}/u.test(next);
}

/** The line, from 0, of each place in a text; places are asked for in ascending order. */
function lineCounter(source: string): (at: number) => number {
  let line = 0;
  let known = 0;
  return (at) => {
    for (let next = source.indexOf("\n", known); next !== -1 && next < at; next = source.indexOf("\n", known)) {
      line += 1;
      known = next + 1;
    }
    return line;
  };
}

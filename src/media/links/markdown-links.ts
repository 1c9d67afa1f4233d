import { decodeReferences } from "../characters/character-references.ts";

/** Finds the links of Markdown: `[text](target)` and `<https://...>`. Images, and links in code, are none. */

interface MarkdownLink {
  text: string;
  /** Without its title. */
  target: string;
}

/**
 * A text has at most one level of brackets in it, and a target of parentheses: more are rare, and cost time. What a
 * backslash escapes opens nothing (CommonMark 0.31, section 2.4).
 */
const LINK =
  /\\[!-/:-@[-`{-~]|(`+)|(!?)\[((?:\\.|[^[\]\\]|\[[^[\]]{0,200}\]){0,500})\]\([ \t]*(?:<([^<>\n]{1,4096})>|((?:\\.|[^\s()\\]|\([^\s()]{0,200}\)){1,4096}))[^()\n]{0,200}\)|<(https?:\/\/[^<>\s]{1,4096})>/gi;

/** The links of a line or a paragraph, in order. */
export function markdownLinks(text: string): MarkdownLink[] {
  return [...linksIn(text)];
}

function* linksIn(text: string): Generator<MarkdownLink> {
  let at = 0;
  for (;;) {
    LINK.lastIndex = at;
    const match = LINK.exec(text);
    if (match === null) return;
    at = LINK.lastIndex;
    const [, ticks, image, name = "", bracketed, bare, auto] = match;
    if (ticks !== undefined) {
      at = endOfCode(text, ticks, at);
      continue;
    }
    const isEscape = match[0].startsWith("\\");
    if (isEscape || image === "!") continue;
    yield { text: unescaped(name), target: auto ?? unescaped(bracketed ?? bare ?? "") };
  }
}

/** Undoes escapes and character references, each where it is written: `\&lt;` is `&lt;`. */
function unescaped(written: string): string {
  return written
    .split(/(\\[!-/:-@[-`{-~])/)
    .map((part, at) => (at % 2 === 1 ? part.slice(1) : decodeReferences(part)))
    .join("");
}

/** The links of a document, outside its blocks of code, one at a time: there may be a million. */
export function* linksOfMarkdown(markdown: string): Generator<MarkdownLink> {
  let fence: string | null = null;
  for (const line of linesOf(markdown)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== null) {
      if (mark?.startsWith(fence) === true) fence = null;
    } else if (mark !== undefined) fence = mark;
    else yield* linksIn(line);
  }
}

function* linesOf(text: string): Generator<string> {
  let from = 0;
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
    yield text.slice(from, end);
    from = end + 1;
  }
  yield text.slice(from);
}

/** The place after the span of code that these ticks open; after the ticks themselves if nothing closes it. */
function endOfCode(text: string, ticks: string, from: number): number {
  for (let at = text.indexOf(ticks, from); at !== -1; ) {
    let end = at;
    while (text[end] === "`") end += 1;
    if (end - at === ticks.length) return end;
    at = text.indexOf(ticks, end);
  }
  return from;
}

import { inPieces } from "../../../core/in-pieces.ts";
import type { ContentElement } from "../article/content-tree.ts";
import { nextNode } from "../article/content-tree.ts";
import { BLOCKS } from "../article/measure.ts";

/** Escapes what Markdown would interpret, and no more: machines and people mostly read Markdown as it is written. */

/** GitHub ignores underscores within words, and every parser ignores stars between spaces. */
const INLINE = /[\\`[\]]|\*(?! )|(?<! )\*|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|~~|<(?=[a-z/!?])|&(?=#?\w{1,31};)|!$/giu;
const AT_START = /^(\s*)(?:(#{1,6}(?=\s|$)|[-+*](?=\s|$)|>|={2,}$|-{2,}$|~{3,})|(\d{1,9})([.)])(?=\s|$))/;

export function escapeMarkdown(text: string): string {
  return inPieces(text, (piece) => piece.replace(INLINE, "\\$&"));
}

/** Like `escapeMarkdown`, for a text that begins a line. */
export function escapeMarkdownStart(text: string): string {
  const start = AT_START.exec(text);
  if (start === null) return escapeMarkdown(text);
  const [all, space = "", mark, number, point] = start;
  return `${space}${mark === undefined ? `${number}\\${point}` : `\\${mark}`}${escapeMarkdown(text.slice(all.length))}`;
}

/** Balanced parentheses may stay in a target. */
export function linkTarget(url: string): string {
  if (!/[\s()<>\\]/.test(url)) return url;
  const safe = url.replace(/[\s<>\\]/g, (char) => encodeURIComponent(char));
  return isBalanced(safe) ? safe : safe.replaceAll("(", "%28").replaceAll(")", "%29");
}

function isBalanced(url: string): boolean {
  let open = 0;
  for (const char of url) {
    if (char === "(") open += 1;
    else if (char === ")") open -= 1;
    if (open < 0 || open > 8) return false;
  }
  return open === 0;
}

/** Returns the title with a space before it, or an empty string. */
export function linkTitle(title: string | null): string {
  const shown = title?.replace(/\s+/g, " ").trim().replace(/["\\]/g, "\\$&");
  return shown ? ` "${shown}"` : "";
}

const UNESCAPED = new Set(["code", "math", "pre"]);

/** Sets the escaping of each text outside code and mathematics. If there is mathematics, dollars are escaped too. */
export function escapeTexts(root: ContentElement): void {
  const hasMath = root.getElementsByTagName("math").length > 0;
  const escapeDollars = (text: string) => (hasMath ? inPieces(text, escapeDollarsOf) : text);
  const escapeStart = (text: string) => escapeDollars(escapeMarkdownStart(text));
  const escapeRest = (text: string) => escapeDollars(escapeMarkdown(text));
  let beginsLine = true;
  let code: ContentElement | null = null;
  let codeEnd: unknown = null;
  for (let node = nextNode(root, root); node !== null; node = nextNode(node, root)) {
    if (code !== null && node === codeEnd) code = null;
    if (node.nodeType === 1) {
      if (BLOCKS.has(node.localName) || node.localName === "br") beginsLine = true;
      if (code === null && UNESCAPED.has(node.localName)) {
        code = node;
        codeEnd = nextNode(node, root, true);
      }
      continue;
    }
    if (code === null) node.write = beginsLine ? escapeStart : escapeRest;
    if (beginsLine && node.data.trim() !== "") beginsLine = false;
    if (endsBlock(node)) beginsLine = true;
  }
}

function escapeDollarsOf(piece: string): string {
  return piece.replaceAll("$", "\\$");
}

function endsBlock({ nextSibling, parentNode }: { nextSibling: unknown; parentNode: ContentElement | null }): boolean {
  return nextSibling === null && parentNode !== null && BLOCKS.has(parentNode.localName);
}

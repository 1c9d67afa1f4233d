import { inPieces } from "../../../core/in-pieces.ts";

/**
 * Escapes what Markdown would interpret, and no more: machines and people mostly read Markdown as it is written.
 * https://spec.commonmark.org/0.31.2/ https://github.github.com/gfm/
 */

/** GitHub ignores underscores within words, every parser stars between spaces, and tildes that end nothing. */
const INLINE =
  /[\\`[\]]|\*(?! )|(?<! )\*|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|~(?=~)|(?<=\S)~|<(?=[a-z/!?])|&(?=#?\w{1,31};)/giu;
/** A URL, which GitHub makes a link up to the next space or tag. Its second part, at the end, mostly is not meant. */
const URL_TEXT = /(?<![a-z])((?:https?:\/\/|www\.)[^\s<>]*[^\s<>?!.,:;*_~'"()[\]{}])([^\s<]*)/giu;
const AT_START =
  /^(\s*)(?:(#{1,6}(?=\s|$)|[-+*](?=\s|$)|>|=+(?=\s*$)|-{2,}(?=\s*$)|~{3,}|[:|-](?=[\s:|-]*$))|(\d{1,9})([.)])(?=\s|$))/;

/** What is known of the place of a text. */
interface TextPlace {
  /** A URL in the text of a link is no link. */
  isInLink?: boolean;
  /** Whether something follows without white space. */
  isFollowed?: boolean;
}

export function escapeMarkdown(text: string, place: TextPlace = {}): string {
  return inPieces(text, (piece) =>
    place.isInLink || !/:\/\/|www\./i.test(piece) ? escapePiece(piece) : escapeUrls(piece, place),
  );
}

function escapePiece(piece: string): string {
  return piece.replace(INLINE, "\\$&");
}

/** A backslash or a mark in or after a URL would be a part of it, so the URL is set apart then. */
function escapeUrls(piece: string, { isFollowed = false }: TextPlace): string {
  const escapes = Array.from(piece.matchAll(INLINE), ({ index }) => index);
  let written = "";
  let at = 0;
  let next = 0;
  const escapeTo = (end: number) => {
    for (let mark = escapes[next]; mark !== undefined && mark < end; mark = escapes[++next]) {
      written += `${piece.slice(at, mark)}\\`;
      at = mark;
    }
    written += piece.slice(at, end);
    at = end;
  };
  URL_TEXT.lastIndex = 0;
  for (let match = URL_TEXT.exec(piece); match !== null; match = URL_TEXT.exec(piece)) {
    const { 0: all, 1: url = "", index } = match;
    const after = index + all.length;
    escapeTo(index);
    const isEscaped = (escapes[next] ?? piece.length) < after || all.includes("|");
    const isBeforeMark = escapes[next] === after || (isFollowed && after === piece.length);
    if (!isEscaped && !isBeforeMark) continue;
    const start = written.length;
    escapeTo(index + url.length);
    URL_TEXT.lastIndex = at;
    const isWritable = /^https?:/i.test(url) && !/[|&]/.test(url);
    // Within a word an underscore is no mark, but it is beside a bracket.
    const before = written.slice(0, start).replace(/(?<!\\)_$/, "\\_");
    written = before + (isWritable ? `<${url}>` : written.slice(start).replace(/:(?=\/\/)|(?<=www)\./gi, "\\$&"));
  }
  escapeTo(piece.length);
  return written;
}

/** Like `escapeMarkdown`, for a text that begins a line. */
export function escapeMarkdownStart(text: string, place: TextPlace = {}): string {
  const start = AT_START.exec(text);
  if (start === null) return escapeMarkdown(text, place);
  const [all, space = "", mark, number, point] = start;
  return `${space}${mark === undefined ? `${number}\\${point}` : `\\${mark}`}${escapeMarkdown(text.slice(all.length), place)}`;
}

/** Number signs at the end of a heading would close it. */
export function escapeHeadingEnd(heading: string): string {
  return heading.replace(/(?<=^|\s)#(?=#*$)/, "\\#");
}

/** A bar divides cells. https://github.github.com/gfm/#example-200 */
export function escapeBars(cell: string): string {
  return cell.replaceAll("|", "\\|");
}

/** Balanced parentheses may stay in a target. */
export function linkTarget(url: string): string {
  const target = /&#?\w{1,31};/.test(url) ? url.replace(/&(?=#?\w{1,31};)/g, "&amp;") : url;
  if (!/[\s()<>\\]/.test(target)) return target;
  const safe = target.replace(/[\s<>\\]/g, (char) => encodeURIComponent(char));
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
  const shown = title
    ?.replace(/\s+/g, " ")
    .trim()
    .replace(/["\\]|&(?=#?\w{1,31};)/g, "\\$&");
  return shown ? ` "${shown}"` : "";
}

import { toShownText } from "./index-text.ts";
import { BREAK } from "./scripts.ts";

/** The part of a page around what was found, in pieces: which of them are hits stands beside the text, never in it. */

export interface SnippetPiece {
  text: string;
  hit: boolean;
}

/** What FTS5 puts around a hit. No indexed text has control characters. */
export const HIT_START = "\u0002";
export const HIT_END = "\u0003";

/** Sixty-four of FTS5's words may be long ones. */
const MAX_LENGTH = 400;
const BEFORE_HIT = 100;

/** `marked` as FTS5 cut it out; hits in scripts without spaces are looked for here, since a trigram says only about where they are. */
export function toPieces(marked: string, unspaced: string[]): SnippetPiece[] {
  const { text, hits } = readMarks(toShownText(marked).trim());
  const folded = text.toLowerCase();
  // Few letters change their length; then there is nothing to compare with.
  const haystack = folded.length === text.length ? folded : text;
  for (const term of unspaced) {
    const needle = term.replaceAll(BREAK, "").toLowerCase();
    for (let at = haystack.indexOf(needle); at >= 0; at = haystack.indexOf(needle, at + needle.length)) {
      hits.fill(true, at, at + needle.length);
    }
  }
  return toRuns(text, hits);
}

function readMarks(marked: string): { text: string; hits: boolean[] } {
  const hits: boolean[] = [];
  let text = "";
  let hit = false;
  for (const unit of marked.split("")) {
    if (unit === HIT_START || unit === HIT_END) {
      hit = unit === HIT_START;
      continue;
    }
    text += unit;
    hits.push(hit);
  }
  return { text, hits };
}

function toRuns(text: string, hits: boolean[]): SnippetPiece[] {
  const start = text.length <= MAX_LENGTH ? 0 : whole(text, Math.max(0, hits.indexOf(true) - BEFORE_HIT));
  const end = whole(text, Math.min(text.length, start + MAX_LENGTH));
  const pieces: SnippetPiece[] = start > 0 ? [{ text: "…", hit: false }] : [];
  for (let at = start; at < end; at++) {
    const last = pieces.at(-1);
    const hit = hits[at] ?? false;
    if (last?.hit === hit) last.text += text[at] ?? "";
    else pieces.push({ text: text[at] ?? "", hit });
  }
  const last = pieces.at(-1);
  if (end === text.length || last === undefined) return pieces;
  if (last.hit) pieces.push({ text: "…", hit: false });
  else last.text += "…";
  return pieces;
}

/** Not between the halves of a surrogate pair. */
function whole(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text[at] ?? "") ? at + 1 : at;
}

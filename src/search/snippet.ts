import { toShownText } from "./index-text.ts";
import { BREAK } from "./scripts.ts";

/** The part of a page around the hits, in pieces. Each piece says whether it is a hit; the text has no markup. */

export interface SnippetPiece {
  text: string;
  hit: boolean;
}

/** The marks that FTS5 puts around a hit. No indexed text has control characters. */
export const HIT_START = "\u0002";
export const HIT_END = "\u0003";

/** In characters. FTS5 cuts at 64 words, which may be long. */
const MAX_LENGTH = 400;
const BEFORE_HIT = 100;

/**
 * `marked` is FTS5's snippet. Hits of `unspaced` terms are searched for here, because a trigram gives only their
 * approximate place.
 */
export function toPieces(marked: string, unspaced: string[]): SnippetPiece[] {
  const { text, hits } = readMarks(toShownText(marked).trim());
  const folded = text.toLowerCase();
  // Some letters change their length in lower case. Then the offsets would differ, and case matters.
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
  const start = text.length <= MAX_LENGTH ? 0 : afterPair(text, Math.max(0, hits.indexOf(true) - BEFORE_HIT));
  const end = afterPair(text, Math.min(text.length, start + MAX_LENGTH));
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

/** Moves an index out of the middle of a surrogate pair. */
function afterPair(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text[at] ?? "") ? at + 1 : at;
}

import { toShownText } from "./index-text.ts";
import { BREAK } from "./scripts.ts";

/** The part of a page around the hits, in pieces. Each piece says whether it is a hit; the text has no markup. */

export interface SnippetPiece {
  text: string;
  hit: boolean;
}

/** The marks around a hit. No indexed text has control characters. */
export const HIT_START = "\u0002";
export const HIT_END = "\u0003";

/** In characters. */
const MAX_LENGTH = 400;
const BEFORE_HIT = 100;

/**
 * `marked` is a window of the text with marks, of any length. The part with the most different hits is shown.
 * Hits of `unspaced` terms are searched for here, because a trigram gives only their approximate place.
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
  const start = text.length <= MAX_LENGTH ? 0 : afterPair(text, Math.max(0, bestHit(text, hits) - BEFORE_HIT));
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

/** Where the hit begins from which on the most different words fit into a snippet; the first of equal ones, or -1. */
function bestHit(text: string, hits: readonly boolean[]): number {
  const starts = hits.flatMap((hit, at) => (hit && !hits[at - 1] ? [at] : []));
  const words = starts.map((start) => {
    const end = hits.indexOf(false, start);
    return text.slice(start, end < 0 ? undefined : end).toLowerCase();
  });
  const counts = new Map<string, number>();
  let best = starts[0] ?? -1;
  let most = 0;
  let to = 0;
  for (const [from, start] of starts.entries()) {
    for (; (starts[to] ?? Number.POSITIVE_INFINITY) < start + MAX_LENGTH - BEFORE_HIT; to++) {
      const word = words[to] ?? "";
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    if (counts.size > most) {
      most = counts.size;
      best = start;
    }
    const word = words[from] ?? "";
    const rest = (counts.get(word) ?? 0) - 1;
    if (rest > 0) counts.set(word, rest);
    else counts.delete(word);
  }
  return best;
}

/** Moves an index out of the middle of a surrogate pair. */
function afterPair(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text[at] ?? "") ? at + 1 : at;
}

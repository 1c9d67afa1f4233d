import { UNSPACED } from "../../core/unspaced-scripts.ts";
import { escapeAttribute, escapeHtml } from "../html/tree/write-html.ts";
import type { Line } from "./page-lines.ts";
import type { Run } from "./page-runs.ts";

/** Writes lines as text and as HTML. */

/** Characters between which no space belongs, their punctuation included. */
const CLOSE = `[${UNSPACED}\\u3000-\\u303f\\uff00-\\uff60]`;
const UNSPACED_END = new RegExp(`${CLOSE}$`, "u");
const UNSPACED_START = new RegExp(`^${CLOSE}`, "u");
/** Between two runs, in sizes of the font. */
const WORD_GAP = 0.18;
const WIDE_GAP = 0.9;
const HYPHEN = /\p{L}[-\u2010\u00ad]$/u;

/** How a line goes on in the next. */
export type LineJoin = "space" | "none" | "hyphen" | "break";

export function textOf({ runs }: Line): string {
  let text = "";
  runs.forEach((run, at) => {
    text += `${isSpaced(runs[at - 1], run) ? " " : ""}${run.text}`;
  });
  return text.replace(/\s+/g, " ").trim();
}

/** `join`: how it goes on. */
export function htmlOf({ runs }: Line, join: LineJoin): string {
  let html = "";
  runs.forEach((run, at) => {
    const isLast = at === runs.length - 1;
    if (isSpaced(runs[at - 1], run)) html += " ";
    html += runHtml(run, isLast && join === "hyphen" ? run.text.trimEnd().length - 1 : run.text.length);
  });
  if (join === "break") return `${html.trimEnd()}<br>`;
  return join === "space" ? `${html.trimEnd()} ` : html.trimEnd();
}

/** How `line` goes on in `next`, if they are of one paragraph. */
export function joinOf(line: Line, next: Line): LineJoin {
  const end = textOf(line);
  const start = textOf(next);
  if (HYPHEN.test(end) && /^\p{Ll}/u.test(start)) {
    // A word that is written with a hyphen keeps it, and so does code.
    const word = end.slice(end.lastIndexOf(" ") + 1);
    const isCode =
      line.runs.at(-1)?.isMonospaced === true || (/[-\u2010]$/u.test(word) && /[-/_.=\d]/u.test(word.slice(0, -1)));
    return isCode && !end.endsWith("\u00ad") ? "none" : "hyphen";
  }
  return UNSPACED_END.test(end) && UNSPACED_START.test(start) ? "none" : "space";
}

/** The length of the first word, in points. */
export function firstWordWidth({ runs }: Line): number {
  let width = 0;
  for (const [at, run] of runs.entries()) {
    if (at > 0 && isSpaced(runs[at - 1], run)) return width;
    const text = run.text.trimStart();
    // Between any two of its characters a line may end.
    if (UNSPACED_START.test(text)) return width + run.size;
    const end = text.search(/\s/);
    if (end !== -1) return width + (run.width * end) / Math.max(1, run.text.length);
    width += run.width;
  }
  return width;
}

function isSpaced(before: Run | undefined, run: Run): boolean {
  if (before === undefined) return false;
  const gap = Math.max(run.along - before.along - before.width, before.along - run.along - run.width) / run.size;
  if (UNSPACED_END.test(before.text) && UNSPACED_START.test(run.text)) return gap > WIDE_GAP;
  return run.isSpaced || gap > WORD_GAP;
}

function runHtml({ text, links }: Run, length: number): string {
  let html = "";
  let at = 0;
  for (const { from, to, href } of links) {
    const end = Math.min(to, length);
    if (from < at || end <= from) continue;
    html += `${escapeHtml(text.slice(at, from))}<a href="${escapeAttribute(href)}">${escapeHtml(text.slice(from, end))}</a>`;
    at = end;
  }
  return html + escapeHtml(text.slice(at, length));
}

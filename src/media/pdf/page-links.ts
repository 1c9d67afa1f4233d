import type { Run } from "./page-runs.ts";
import type { PdfPage } from "./pdf-engine.ts";

/** Reads the links of a page, and finds the text that stands under each. */

export interface PdfLink {
  /** As written. */
  href: string;
  /** The text under its rectangles; empty for a picture. */
  text: string;
}

interface Area {
  href: string;
  left: number;
  right: number;
  bottom: number;
  top: number;
}

const MAX_HREF = 4_000;

/**
 * Returns the links to other documents, in the order of the file. A link that is drawn in several rectangles, such as
 * one that goes over two lines, is one. Marks its text in `runs`.
 */
export async function readPageLinks(page: PdfPage, runs: readonly Run[]): Promise<PdfLink[]> {
  const annotations = await page.getAnnotations({ intent: "display" });
  const level = runs.filter(({ angle }) => angle === 0);
  const links: PdfLink[] = [];
  for (const annotation of annotations) {
    const href = hrefOf(annotation);
    if (href === null) continue;
    const text = markText(level, areaOf(annotation.rect, href));
    const last = links.at(-1);
    if (last?.href === href) last.text = `${last.text} ${text}`.trim();
    else links.push({ href, text });
  }
  return links;
}

/** Links to a place in the document itself, and those that do something, lead to no other document. */
function hrefOf(annotation: { subtype?: string; unsafeUrl?: unknown; url?: unknown }): string | null {
  if (annotation.subtype !== "Link") return null;
  const { url, unsafeUrl } = annotation;
  const href = typeof url === "string" ? url : typeof unsafeUrl === "string" ? decodeBytes(unsafeUrl) : "";
  return href !== "" && href.length <= MAX_HREF ? href.replace(EXPLICIT_PLACE, placeFragment) : null;
}

/** pdf.js writes a place in another document as JSON: its page from 0, and how to show it. */
const EXPLICIT_PLACE = /#(?:\[|%5B)(\d{0,9}).*$/is;

/** RFC 8118, section 3. */
function placeFragment(_: string, page: string): string {
  return page === "" ? "" : `#page=${Number(page) + 1}`;
}

/** pdf.js gives the bytes of a relative URL as they are; most are UTF-8. */
function decodeBytes(bytes: string): string {
  if (!/[\x80-\xff]/.test(bytes) || /[\u0100-\uffff]/.test(bytes)) return bytes;
  try {
    return UTF8.decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
  } catch {
    return bytes;
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

function areaOf([x1 = 0, y1 = 0, x2 = 0, y2 = 0]: readonly number[], href: string): Area {
  return { href, left: Math.min(x1, x2), right: Math.max(x1, x2), bottom: Math.min(y1, y2), top: Math.max(y1, y2) };
}

/** Marks the text in the area, and returns it. */
function markText(runs: readonly Run[], { href, left, right, bottom, top }: Area): string {
  let found = "";
  for (const run of runs) {
    const middle = run.across + 0.3 * run.size;
    if (middle < bottom || middle > top || run.along >= right || run.along + run.width <= left) continue;
    const [from, to] = partOf(run, left, right);
    const last = run.links.at(-1);
    if (from >= to || (last !== undefined && last.to > from)) continue;
    run.links.push({ from, to, href });
    found += `${run.isSpaced ? " " : ""}${run.text.slice(from, to)}`;
  }
  return found.trim();
}

/** The words of a run between two places. pdf.js gives no place of a letter within a run, so it is estimated. */
function partOf({ text, along, width, isRightToLeft }: Run, left: number, right: number): [from: number, to: number] {
  const slack = width / Math.max(1, text.length);
  if (left <= along + slack && right >= along + width - slack) return [0, text.length];
  if (isRightToLeft) return [0, 0];
  let total = 0;
  for (const letter of text) total += letterWidth(letter);
  const at = (place: number): number => {
    let rest = ((place - along) / width) * total;
    let index = 0;
    for (const letter of text) {
      rest -= letterWidth(letter);
      if (rest < -0.5 * letterWidth(letter)) break;
      index += letter.length;
    }
    return index;
  };
  return [toWordStart(text, at(left)), toWordEnd(text, at(right))];
}

/** As fonts have them on average; a small letter has 1. */
function letterWidth(letter: string): number {
  if (/[ijltfrI.,:;'|!()[\] ]/.test(letter)) return 0.6;
  return /[mwMW@—]/.test(letter) ? 1.6 : /\p{Lu}/u.test(letter) ? 1.35 : 1;
}

/** In letters: how far a place may be wrong. */
const SLACK = 3;

function toWordStart(text: string, at: number): number {
  for (let off = 0; off <= SLACK; off++)
    for (const near of [at - off, at + off])
      if (near === 0 || /\s/.test(text[near - 1] ?? "")) return Math.max(0, near);
  return at;
}

function toWordEnd(text: string, at: number): number {
  for (let off = 0; off <= SLACK; off++)
    for (const near of [at + off, at - off])
      if (near === text.length || /\s/.test(text[near] ?? "")) return Math.min(text.length, near);
  return at;
}

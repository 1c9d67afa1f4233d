import type { PageMetadata } from "../document.ts";
import { tidy } from "../html/tree/tidy.ts";
import { emptyMetadata } from "../text/plain-content.ts";
import { textOf } from "./line-text.ts";
import type { OutlineEntry } from "./outline.ts";
import type { Line } from "./page-lines.ts";
import { pdfDate } from "./pdf-date.ts";
import type { PdfDocument } from "./pdf-engine.ts";

/** Reads what a PDF says about itself: its information dictionary, and XMP where that says nothing. */

const MAX_TEXT = 500;
const MAX_DESCRIPTION = 1_000;
const MAX_KEYWORDS = 100;
/** Names of files, and what programs write where nobody gave a title. */
const NO_TITLE =
  /^(?:untitled|title|unknown|none|\(?anonymous\)?|document\s?\d*|slide \d+|powerpoint presentation|presentation\d*|\S+\.(?:dvi|tex|docx?|odt|rtf|ps|eps|indd|qxd|fm|xlsx?|pptx?|pub|wpd|html?|xml|txt|md|pdf|p65|cdr|ai))$|^(?:file|https?):\/\//i;
const PROGRAM = /^(?:Microsoft (?:Word|PowerPoint|Excel)|Print|PowerPoint) - /i;
/** A title in the text is this much larger than the body. */
const LARGER = 1.2;

/** Without headings and number of words, which its text gives. */
export async function readMetadata(pdf: PdfDocument): Promise<PageMetadata> {
  const { info, metadata } = await pdf.getMetadata();
  const written = info as Readonly<Record<string, unknown>>;
  const value = (name: string, xmp: string): string => {
    const own = written[name];
    if (typeof own === "string" && own.trim() !== "") return own;
    const other: unknown = metadata?.get(xmp);
    return Array.isArray(other) ? other.join(", ") : typeof other === "string" ? other : "";
  };
  return {
    ...emptyMetadata(),
    title: titleOf(value("Title", "dc:title")),
    description: tidy(value("Subject", "dc:description"), MAX_DESCRIPTION) || null,
    author: tidy(value("Author", "dc:creator"), MAX_TEXT) || null,
    language: languageOf(value("Language", "dc:language")),
    keywords: keywordsOf(value("Keywords", "pdf:keywords") || value("", "dc:subject")),
    publishedAt: pdfDate(value("CreationDate", "xmp:createdate").replace(XMP_DATE, "$1$2$3$4$5$6")),
    modifiedAt: pdfDate(value("ModDate", "xmp:modifydate").replace(XMP_DATE, "$1$2$3$4$5$6")),
  };
}

/** XMP has ISO 8601, which becomes a date of PDF. */
const XMP_DATE = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?/;

function titleOf(written: string): string | null {
  const title = tidy(written, MAX_TEXT).replace(PROGRAM, "");
  return NO_TITLE.test(title) || !/\p{L}/u.test(title) ? null : title;
}

/** A BCP 47 tag; null for anything else. */
function languageOf(written: string): string | null {
  const tag = written.trim().replaceAll("_", "-").slice(0, 35);
  try {
    return tag === "" || /^x-|^und\b/i.test(tag) ? null : (Intl.getCanonicalLocales(tag)[0] ?? null);
  } catch {
    return null;
  }
}

function keywordsOf(written: string): string[] {
  const text = written.slice(0, 10_000);
  const keywords = text.split(/[,;\n、；，]/).map((keyword) => tidy(keyword, MAX_TEXT));
  return [...new Set(keywords.filter((keyword) => keyword !== ""))].slice(0, MAX_KEYWORDS);
}

/**
 * The title of a document that does not state one: the largest text of its first page, else the one entry that the
 * whole outline is below.
 */
export function guessTitle(firstPage: readonly Line[], outline: readonly OutlineEntry[]): string | null {
  const lines = firstPage.filter(({ angle, isArtifact }) => angle === 0 && !isArtifact);
  const body = bodySize(lines);
  let best: Line[] = [];
  for (const [at, line] of lines.entries()) {
    if (line.size < LARGER * body || line.size <= (best[0]?.size ?? 0) + 0.5) continue;
    if (!/\p{L}{2}/u.test(textOf(line))) continue;
    let end = at + 1;
    while (end < lines.length && end < at + 4 && Math.abs((lines[end] as Line).size - line.size) < 0.5) end += 1;
    best = lines.slice(at, end);
  }
  const title = tidy(best.map(textOf).join(" "), MAX_TEXT);
  if (title !== "") return title;
  const tops = outline.filter(({ level }) => level === 1);
  return tops.length === 1 ? (tops[0]?.title ?? null) : null;
}

/** The size of most letters. */
function bodySize(lines: readonly Line[]): number {
  const letters = new Map<number, number>();
  for (const { size, runs } of lines) {
    const key = Math.round(size * 2) / 2;
    letters.set(key, (letters.get(key) ?? 0) + runs.reduce((sum, { text }) => sum + text.length, 0));
  }
  return [...letters].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
}

import type { ReadingBudget } from "./bounded-engine.ts";
import { textOf } from "./line-text.ts";
import { type OutlineEntry, placeHeadings, readOutline } from "./outline.ts";
import { type Line, linesOf } from "./page-lines.ts";
import { type PdfLink, readPageLinks } from "./page-links.ts";
import { readRuns } from "./page-runs.ts";
import type { PdfDocument } from "./pdf-engine.ts";
import { type EdgeLine, edgeLinesOf, NEIGHBOUR_PAGES, RunningHeads } from "./running-heads.ts";
import { BodyWriter } from "./write-body.ts";

/** Reads a document page by page, so that only a few pages are in memory at a time. */

export interface PdfText {
  /** Without running heads and page numbers. */
  html: string;
  /** All text, a line per line. */
  pageText: string;
  links: PdfLink[];
  outline: OutlineEntry[];
  firstPage: readonly Line[];
  pageCount: number;
  readPages: number;
  emptyPages: number;
  damagedPages: number;
  /** The limits that were reached, for people. */
  cuts: string[];
}

/** Together they take some 20 s of CPU time. */
const MAX_PAGES = 2_000;
/** UTF-16 code units: the tree that content is made from takes fourteen bytes for each. */
const MAX_LENGTH = 4_000_000;
const MAX_LINKS = 100_000;
/** pdf.js keeps fonts. */
const PAGES_PER_CLEANUP = 50;

interface ReadPage {
  index: number;
  lines: Line[];
  edges: EdgeLine[];
}

export async function readText(pdf: PdfDocument, budget: ReadingBudget, title: string | null): Promise<PdfText> {
  const { entries, isCut } = await readOutline(pdf);
  const heads = new RunningHeads();
  for (const text of [title, ...entries.map((entry) => entry.title)]) if (text !== null) heads.know(text);
  const body = new BodyWriter();
  const near: ReadPage[] = [];
  const found: PdfText = {
    html: "",
    pageText: "",
    links: [],
    outline: entries,
    firstPage: [],
    pageCount: pdf.numPages,
    readPages: 0,
    emptyPages: 0,
    damagedPages: 0,
    cuts: isCut ? [`the outline has more than ${entries.length} headings`] : [],
  };
  let nextEntry = 0;
  const write = ({ index, lines, edges }: ReadPage): void => {
    const around = near.filter((page) => page.index !== index && Math.abs(page.index - index) <= NEIGHBOUR_PAGES);
    const left = heads.find(
      edges,
      index,
      around.map((page) => page.edges),
    );
    const content = lines.filter((line) => !line.isArtifact && !left.has(line));
    let end = nextEntry;
    while (end < entries.length && (entries[end] as OutlineEntry).page <= index) end += 1;
    body.addPage(content, placeHeadings(content, entries.slice(nextEntry, end)));
    nextEntry = end;
  };
  let length = 0;
  const pageTexts: string[] = [];
  let written = 0;
  for (let index = 0; index < pdf.numPages; index++) {
    const limit = limitReached(index, found, body, budget, MAX_LENGTH - length);
    if (limit !== null) {
      found.cuts.push(limit);
      break;
    }
    const page = await readPage(pdf, index, MAX_LENGTH - length, budget, found);
    for (const line of page.lines) pageTexts.push(textOf(line));
    length += page.length;
    found.readPages += 1;
    if (page.isEmpty) found.emptyPages += 1;
    if (index === 0) found.firstPage = page.lines;
    near.push({ index, lines: page.lines, edges: edgeLinesOf(page.lines, page.view) });
    if (near.length > 2 * NEIGHBOUR_PAGES + 1) near.shift();
    const next = near.find((one) => one.index === written);
    if (index >= written + NEIGHBOUR_PAGES && next !== undefined) {
      write(next);
      written += 1;
    }
    if (page.isCut) break;
    if (index % PAGES_PER_CLEANUP === PAGES_PER_CLEANUP - 1) await pdf.cleanup();
  }
  for (const page of near) if (page.index >= written) write(page);
  if (budget.leftAnnotations > 0) found.cuts.push(`${budget.leftAnnotations} annotations of pages that have very many`);
  return { ...found, html: body.end(), pageText: pageTexts.join("\n") };
}

/** The limit that ends the reading before a page. */
function limitReached(
  index: number,
  { links }: PdfText,
  body: BodyWriter,
  budget: ReadingBudget,
  lengthLeft: number,
): string | null {
  const rest = `page ${index + 1} and what follows`;
  if (index >= MAX_PAGES) return `${rest}: it has more than ${MAX_PAGES} pages`;
  if (lengthLeft <= 0) return `${rest}: its text is longer than ${MAX_LENGTH} characters`;
  if (links.length >= MAX_LINKS) return `${rest}: it has more than ${MAX_LINKS} links`;
  if (budget.isSpent) return `${rest}: its streams inflate to more than is read`;
  return body.isFull ? `${rest}: its text has more lines than are kept` : null;
}

interface PageText {
  lines: Line[];
  length: number;
  view: readonly number[];
  /** Whether it was read and has no text. */
  isEmpty: boolean;
  /** Whether it has more text than is read, so that nothing can be read after it. */
  isCut: boolean;
}

/** A page that cannot be read costs only itself. */
async function readPage(
  pdf: PdfDocument,
  index: number,
  mostLength: number,
  budget: ReadingBudget,
  found: PdfText,
): Promise<PageText> {
  const { largeStreams } = budget;
  const nothing = { lines: [], length: 0, view: [], isEmpty: false, isCut: false };
  try {
    const page = await pdf.getPage(index + 1);
    try {
      const { runs, length, isCut } = await readRuns(page, mostLength);
      if (isCut)
        found.cuts.push(`page ${index + 1} after ${runs.length} pieces of text, and what follows: it has too many`);
      // Links are marked in the runs, so they come before the lines.
      found.links.push(...(await readPageLinks(page, runs)));
      const isEmpty = runs.length === 0 && budget.largeStreams === largeStreams;
      return { lines: linesOf(runs), length, view: page.view, isEmpty, isCut };
    } finally {
      page.cleanup();
    }
  } catch {
    if (budget.largeStreams === largeStreams) found.damagedPages += 1;
    return nothing;
  } finally {
    // pdf.js may go on without the stream.
    if (budget.largeStreams > largeStreams && found.cuts.length < MAX_CUTS)
      found.cuts.push(`text of page ${index + 1}: a stream inflates to more than is read`);
  }
}

/** Sentences about pages, beyond which none is added. */
const MAX_CUTS = 3;

import type { Crawl } from "../../crawl/crawl.ts";
import type { Extracted } from "../../extract/extraction.ts";
import { pageTextOf } from "../../extract/page-text.ts";
import type { Models } from "../../frontier/deps.ts";
import { readOrMake } from "../../passes/page-content.ts";
import type { SectionState } from "../../store/passes/extraction-sections.ts";
import type { Store } from "../../store/store.ts";
import type { ValueDeps } from "../needs.ts";

/** What the extraction of a crawl knows: the rules of its sections, and pages with their values. Nobody is asked. */

export interface ExtractionState {
  /** By the patterns of their URLs. */
  sections: Map<string, SectionState>;
  /** Pages with what was found: those that the model has read first. */
  pages: { url: string; extracted: Extracted }[];
}

/** A page with what was found, and the text in which its evidence stands; null if that is not stored any more. */
export interface ExtractedPage {
  url: string;
  title: string | null;
  text: string | null;
  extracted: Extracted;
}

/** Pages in an answer, and the rows in which they are looked for. */
const MOST_PAGES = 20;
const MOST_ROWS = 1_000;

export async function readExtraction(
  crawl: Crawl,
  { extractions, extractionSections }: Pick<Store, "extractions" | "extractionSections">,
): Promise<ExtractionState> {
  const sections = await extractionSections.sections(crawl.id);
  const sampled = [...sections.values()].flatMap(({ samples }) => samples.map(({ url }) => url));
  const rows = [
    ...(await extractions.rowsOf(crawl.id, sampled.slice(0, MOST_PAGES))),
    ...(await extractions.rows(crawl.id, "", MOST_ROWS)),
  ];
  const found = new Map(rows.flatMap(({ url, extracted }) => (extracted === null ? [] : [[url, extracted] as const])));
  const pages = [...found].slice(0, MOST_PAGES);
  return { sections, pages: pages.map(([url, json]) => ({ url, extracted: JSON.parse(json) as Extracted })) };
}

/** Null if nothing was found in it yet. `url`: canonical. */
export async function readExtractedPage(
  crawl: Crawl,
  url: string,
  deps: ValueDeps & Pick<Store, "extractions"> & Models,
): Promise<ExtractedPage | null> {
  const [row] = await deps.extractions.rowsOf(crawl.id, [url]);
  if (row == null || row.extracted === null) return null;
  const extracted = JSON.parse(row.extracted) as Extracted;
  const read = await readOrMake(crawl, url, ["markdown"], deps, await deps.records.packed(crawl.id, url));
  if (read === null) return { url, title: null, text: null, extracted };
  const { markdown = "", metadata } = read.content;
  const most = typeof deps.model === "string" ? markdown.length : deps.model.characters;
  const { title, text } = pageTextOf(url, metadata.title, markdown, extracted.cut?.sent ?? most);
  return { url, title, text, extracted };
}

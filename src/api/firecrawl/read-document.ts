import type { Crawl, CrawlUrl } from "../../crawl/crawl.ts";
import type { FormattedRecord } from "../../crawl/page/formatted-record.ts";
import type { Format } from "../../crawl/page/page-format.ts";
import { fieldsInRow, type RowFields } from "../../crawl/page/row-fields.ts";
import type { Extracted } from "../../extract/extraction.ts";
import { PICTURE_TYPE } from "../../fetch/browser/capture-view.ts";
import type { ContentSelection } from "../../media/document.ts";
import { type FieldRules, type FieldValues, valuesOf } from "../../media/html/fields/field-rule.ts";
import { kindOf } from "../../media/kind/kinds.ts";
import { type FirecrawlDocument, formatsToRead, toDocument } from "../../notices/firecrawl-document.ts";
import { type Reading, readingOf, readSelection } from "../../reading/records/read-formats.ts";
import { readRow } from "../../reading/records/read-row.ts";
import { readScreenshot } from "../../reading/records/read-screenshot.ts";
import { readRenderedPage } from "../../store/mirror/read-mirror.ts";
import type { FoundPage } from "./find-stored-page.ts";
import type { DocumentDeps } from "./needs.ts";

/** Reads stored pages as Firecrawl's documents. */

interface Asked {
  /** The URL that was asked for. Absent: the page's own. */
  asked?: string;
  screenshot: boolean;
  /** Rules of the request. Absent: those of the crawl. */
  rules?: FieldRules | null;
  chosen?: ChosenContent;
}

/** The content that one request chose of a page. */
export interface ChosenContent {
  selection: ContentSelection | null;
  warning: string | null;
}

/** What reads the documents of one crawl. */
export async function openDocuments<Own extends DocumentDeps>(crawl: Crawl, deps: Own) {
  return readingOf(crawl, { formats: formatsToRead([]) }, deps);
}

/** The crawl, read as by a request that chooses the content itself. */
export function withMainContent(crawl: Crawl): Crawl {
  return { ...crawl, options: { ...crawl.options, wholePages: false, contentSelectors: [], removeSelectors: [] } };
}

/** `deps`: of `openDocuments`. */
export async function readDocument(
  { crawl, record }: FoundPage,
  formats: readonly Format[],
  asked: Asked,
  deps: DocumentDeps & Pick<Reading, "template">,
): Promise<FirecrawlDocument> {
  const document = await documentOf(crawl, await readRow(crawl, record, formatsToRead(formats), deps), asked, deps);
  return asked.chosen === undefined ? document : choose(document, crawl, record, formats, asked.chosen, deps);
}

/** The document with the content that the request chose. */
async function choose(
  document: FirecrawlDocument,
  crawl: Crawl,
  record: CrawlUrl,
  formats: readonly Format[],
  { selection, warning }: ChosenContent,
  deps: DocumentDeps,
): Promise<FirecrawlDocument> {
  const warned = warning === null ? document : { ...document, warning: joinSentences(document.warning, warning) };
  const parts = (["markdown", "html"] as const).filter((part) => formats.includes(part));
  if (record.status !== "completed" || selection === null || parts.length === 0) return warned;
  const stored = await readRenderedPage(crawl, record.url, deps);
  if (stored === null || !kindOf(stored.contentType).isPage) return warned;
  const chosen = await readSelection(crawl, record.url, parts, selection, stored, deps);
  return {
    ...warned,
    ...Object.fromEntries(parts.flatMap((part) => (chosen[part] === undefined ? [] : [[part, chosen[part]]]))),
  };
}

function joinSentences(first: string | undefined, second: string): string {
  return first === undefined ? second : `${first} ${second}`;
}

/** The document of a page that was read in `formatsToRead`. */
export async function documentOf(
  crawl: Crawl,
  { record, formatted, problem }: FormattedRecord,
  { asked, screenshot, rules }: Asked,
  deps: DocumentDeps,
): Promise<FirecrawlDocument> {
  const page = toDocument(record, formatted, { ...(asked === undefined ? {} : { asked }), problem });
  const json = rules === undefined ? storedFields(record) : await readFields(crawl, record, rules, deps);
  const document = rules === undefined ? withStoredValues(page, record, json) : withJson(page, json);
  if (!screenshot || record.status !== "completed") return document;
  const found = await readScreenshot(crawl, record.url, deps);
  if (found.kind === "none") return { ...document, warning: `There is no screenshot: ${found.why}.` };
  return { ...document, screenshot: `data:${PICTURE_TYPE};base64,${toBase64(found.picture)}` };
}

/** The values that a model found, or else the fields that rules read. */
function withStoredValues(page: FirecrawlDocument, { extracted }: CrawlUrl, fields: FieldValues | null) {
  return extracted === null ? withJson(page, fields) : withValues(page, JSON.parse(extracted) as Extracted);
}

function withJson(page: FirecrawlDocument, json: FieldValues | null): FirecrawlDocument {
  return json === null ? page : { ...page, json };
}

/** The document with the values of a model; a warning says which have no evidence, and why there are none. */
export function withValues(
  document: FirecrawlDocument,
  { values, evidence, problem }: Pick<Extracted, "values" | "evidence" | "problem">,
): FirecrawlDocument {
  const lacking = evidence.filter((each) => each.problem !== null).map(({ path }) => path);
  const said = problem === null ? null : `There are no values: ${problem}.`;
  const marked =
    lacking.length === 0 ? null : `The words of the page do not show ${lacking.slice(0, MAX_NAMED).join(", ")}.`;
  const warning = said ?? marked;
  return {
    ...document,
    json: values,
    ...(warning === null ? {} : { warning: joinSentences(document.warning, warning) }),
  };
}

const MAX_NAMED = 20;

function storedFields({ fields }: CrawlUrl): FieldValues | null {
  return fields === null ? null : fieldsInRow(JSON.parse(fields) as RowFields);
}

/** Reads the stored page by rules that may differ from those of its crawl. */
async function readFields(
  crawl: Crawl,
  record: CrawlUrl,
  rules: FieldRules | null,
  deps: DocumentDeps,
): Promise<FieldValues | null> {
  if (rules === null || record.status !== "completed") return null;
  const stored = await readRenderedPage(crawl, record.url, deps);
  const read = stored === null ? null : await deps.readFields(stored, { url: record.url, rules, propose: false });
  return read === null ? null : valuesOf(read.fields);
}

const CHUNK = 0x8000;

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(text);
}

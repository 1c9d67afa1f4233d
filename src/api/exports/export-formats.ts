import * as z from "zod";
import { toCell } from "../../core/formats/csv-cell.ts";
import { withFrontMatter } from "../../core/formats/front-matter.ts";
import {
  EXPORT_PARAMETERS,
  EXPORTED_NAMES,
  type ExportDoor,
  type ExportedName,
  type ExportName,
  type ExportParameter,
  findRefused,
  PARAMETER_NAMES,
} from "../../crawl/export-table.ts";
import type { FieldColumn } from "../../crawl/page/page-fields.ts";
import type { Format } from "../../crawl/page/page-format.ts";
import type { WantedFields } from "../../crawl/page/row-fields.ts";
import { type ValueColumn, valueOfColumn } from "../../crawl/page/value-columns.ts";
import { type ShownFact, shownInOrder } from "../../crawl/url-facts.ts";
import { GRAPH_FILES } from "../../graph/graph-files.ts";
import type { Metadata } from "../../media/document.ts";
import { type FieldValue, valueIn } from "../../media/html/fields/field-rule.ts";
import {
  chunkTokens,
  cleanFlag,
  cursor,
  type FormattedRecordView,
  formatList,
  minRelevance,
  partsFlag,
  type RecordView,
  rawText,
} from "../records/record-schemas.ts";
import { optionalText, requestOf, urlStatus } from "../requests/fields.ts";
import { type HomePage, writeLlmsEntry, writeLlmsHead, writeLlmsPage } from "./llms-text.ts";

/** File formats of exports: the text of each record, and the text before the first and after the last. */

export type ArchiveFormat = keyof typeof ARCHIVES;
export type GraphFormat = keyof typeof GRAPH_FILES;
/** All records in one file of columns, which cannot be joined of parts. */
type ColumnFormat = "parquet";
export type TextFormat = Exclude<ExportedName, ArchiveFormat | GraphFormat | ColumnFormat | "zip">;

export const DOOR: ExportDoor = { formats: EXPORTED_NAMES, format: (name) => name, parameter: (name) => name };

export const exportQuery = requestOf({
  cursor,
  parts: partsFlag,
  status: urlStatus.optional().describe(EXPORT_PARAMETERS.status),
  label: optionalText.describe(EXPORT_PARAMETERS.label),
  format: z
    .enum(EXPORTED_NAMES)
    .describe(
      "The file format of the export. `parquet` has all records in one file, with the fields of `jsonl` as columns. `chunks` has a line of JSON for each chunk of a page. `llms` and `llms-full` are the files of https://llmstxt.org. `urls` has the URL of each page in a line. `graphml` is the link graph of an analyzed crawl; `graph-nodes` and `graph-edges` are the same as two Parquet files. `zip` has the pages as files that open offline. A parameter that the format does not take is refused.",
    ),
  formats: formatList.optional().describe(EXPORT_PARAMETERS.formats),
  rawText,
  clean: cleanFlag,
  chunkTokens,
  minRelevance,
}).superRefine(({ format, ...parameters }, context) => refuse(format, parameters, DOOR, context));

/** Adds an issue for each parameter that the format does not take. */
export function refuse(
  name: ExportName,
  parameters: Partial<Record<ExportParameter, unknown>>,
  door: ExportDoor,
  context: z.RefinementCtx,
): void {
  const given = PARAMETER_NAMES.filter((parameter) => isGiven(parameters[parameter]));
  for (const { parameter, message } of findRefused(name, given, door))
    context.addIssue({ code: "custom", path: [parameter], message });
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== false && value !== "";
}

export type ExportQuery = z.output<typeof exportQuery>;

export const ARCHIVES = {
  // Not registered at https://www.iana.org/assignments/media-types, but common in tools.
  warc: { contentType: "application/warc" },
  wacz: { contentType: "application/wacz+zip" },
};

export function isArchive(format: ExportedName): format is ArchiveFormat {
  return format in ARCHIVES;
}

export function isText(format: ExportedName): format is TextFormat {
  return !isArchive(format) && !isGraph(format) && !isColumns(format) && format !== "zip";
}

export function isGraph(format: ExportedName): format is GraphFormat {
  return format in GRAPH_FILES;
}

export function isColumns(format: ExportedName): format is ColumnFormat {
  return format === "parquet";
}

export interface ExportWriter {
  contentType: string;
  /** The formats of each page that it needs. */
  formats: readonly Format[];
  /** The fields of each page that it needs. */
  fields: WantedFields;
  /** Whether each part is a complete file. The parts of other formats are joined to one file. */
  standsAlone: boolean;
  /**
   * Whether it has the pages at the root of a site first, then those of each folder; others are in the order of URLs.
   */
  isInFolders: boolean;
  head: string;
  /** The head, if it depends on the page of the first seed; `head` otherwise. */
  headOf?(home: HomePage): string;
  /** `before`: the URL of the record before; null for the first one of its order. */
  write(record: FormattedRecordView, metadata?: Metadata | null, before?: string | null): string;
  tail: string;
}

/** Later facts follow in the order of the table: whoever counts columns finds the same ones. Fields have their own. */
const COLUMNS = shownInOrder(
  "url status reason explanation httpStatus depth via title contentType bytes sha256 fetchedAt durationMs redirectTo lastmod truncated twinOf language shell rendered asset media file rank inLinks document label confidence relevance priority",
).filter((name) => name !== "fields" && name !== "extracted");

const PLAIN = {
  formats: [],
  fields: [],
  standsAlone: false,
  isInFolders: false,
  head: "",
  tail: "",
} as const;

export const EXPORT_WRITERS: Record<TextFormat, ExportWriter> = {
  jsonl: {
    ...PLAIN,
    fields: "all",
    contentType: "application/x-ndjson",
    write: (record) => `${JSON.stringify(record)}\n`,
  },
  // RFC 4180, with CRLF.
  csv: {
    ...PLAIN,
    contentType: "text/csv; charset=utf-8",
    head: `${COLUMNS.join(",")}\r\n`,
    write: (record) => `${COLUMNS.map((column) => toCell(cellOf(record[column]))).join(",")}\r\n`,
  },
  markdown: {
    ...PLAIN,
    contentType: "text/markdown; charset=utf-8",
    formats: ["markdown"],
    write: (record) => `${withFrontMatter(record, record.markdown ?? "")}\n`,
  },
  chunks: {
    ...PLAIN,
    contentType: "application/x-ndjson",
    formats: ["chunks"],
    write: writeChunks,
  },
  llms: {
    ...PLAIN,
    contentType: "text/markdown; charset=utf-8",
    isInFolders: true,
    // The descriptions of pages are beside it.
    formats: ["markdown"],
    headOf: writeLlmsHead,
    write: (record, metadata = null, before = null) => writeLlmsEntry({ ...record, metadata }, before),
  },
  "llms-full": {
    ...PLAIN,
    contentType: "text/markdown; charset=utf-8",
    isInFolders: true,
    formats: ["markdown"],
    headOf: writeLlmsHead,
    write: (record) => writeLlmsPage(record),
  },
  // https://www.sitemaps.org/protocol.html limits the size of a file, so parts cannot be joined.
  sitemap: {
    ...PLAIN,
    contentType: "application/xml; charset=utf-8",
    standsAlone: true,
    head: '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n',
    write: (record) => (isForSearchEngines(record) ? writeSitemapEntry(record) : ""),
    tail: "</urlset>\n",
  },
  urls: {
    ...PLAIN,
    contentType: "text/plain; charset=utf-8",
    write: ({ url }) => `${url}\n`,
  },
};

/** The writer of a format for a crawl with these fields and values. A CSV file has a column for each of them. */
export function exportWriter(
  format: TextFormat,
  fields: readonly FieldColumn[],
  values: readonly ValueColumn[] = [],
): ExportWriter {
  const writer = EXPORT_WRITERS[format];
  if (format !== "csv" || fields.length + values.length === 0) return writer;
  const names = fields.map(({ name }) => name);
  return {
    ...writer,
    fields: names,
    head: `${[...COLUMNS, ...names.map(columnOfField), ...values.map(({ column }) => column)].map(toCell).join(",")}\r\n`,
    write: (record) => {
      const cells = [
        ...COLUMNS.map((column) => record[column]),
        ...names.map((name) => valueIn(record.fields, name) ?? null),
        ...values.map((column) => valueOfColumn(record.extracted?.values, column) as Cell),
      ];
      return `${cells.map((cell) => toCell(cellOf(cell))).join(",")}\r\n`;
    },
  };
}

/** The fields of a record have one column each in files of columns: `fields.price`. */
export function columnOfField(name: string): string {
  return `fields.${name}`;
}

/**
 * Kinds of documents that search engines show.
 * https://developers.google.com/search/docs/crawling-indexing/indexable-file-types
 */
const SEARCHED: readonly RecordView["document"][] = [null, "pdf", "office", "epub"];

/** A sitemap has no page that names another one as canonical, and none that a program reads. */
function isForSearchEngines({ url, status, canonical, document }: RecordView): boolean {
  return status === "completed" && (canonical === null || canonical === url) && SEARCHED.includes(document);
}

function writeSitemapEntry({ url, lastmod }: RecordView): string {
  return `<url><loc>${escapeXml(url)}</loc>${lastmod === null ? "" : `<lastmod>${lastmod}</lastmod>`}</url>\n`;
}

/** A page that cannot be read has a line with its problem. */
function writeChunks({ url, title, fetchedAt, chunks, problem }: FormattedRecordView): string {
  const page = { url, title, fetchedAt };
  if (problem !== undefined) return `${JSON.stringify({ ...page, problem })}\n`;
  return (chunks ?? []).map(({ id, ...chunk }) => `${JSON.stringify({ id, ...page, ...chunk })}\n`).join("");
}

type Cell = FormattedRecordView[ShownFact] | FieldValue | null;

/** An object is JSON in its cell. */
function cellOf(value: Cell): string | number | boolean | null {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}

import { withFrontMatter } from "../core/front-matter.ts";
import type { Format } from "../crawl/page-format.ts";
import type { FormattedRecordView } from "./views.ts";

/** What a crawl is exported as: the text of each record, and what stands before the first and after the last. */

const TEXT_FORMATS = ["jsonl", "csv", "markdown", "sitemap"] as const;
/** Of crawls that pack their pages: these are bytes, made from the packs as they are. */
const ARCHIVE_FORMATS = ["warc", "wacz"] as const;
export const EXPORT_FORMATS = [...TEXT_FORMATS, ...ARCHIVE_FORMATS] as const;
export type ArchiveFormat = (typeof ARCHIVE_FORMATS)[number];
export type ExportFormat = (typeof TEXT_FORMATS)[number];

export const ARCHIVES: Record<ArchiveFormat, { contentType: string; extension: string }> = {
  // https://www.iana.org/assignments/media-types: neither is registered; these are what readers and writers use.
  warc: { contentType: "application/warc", extension: "warc.gz" },
  wacz: { contentType: "application/wacz+zip", extension: "wacz" },
};

export function isArchive(format: ExportFormat | ArchiveFormat): format is ArchiveFormat {
  return format in ARCHIVES;
}

export interface ExportWriter {
  contentType: string;
  /** Of a file that holds it. */
  extension: string;
  /** It is of completed pages alone, unless somebody asks for others; never of assets. */
  isOfPages: boolean;
  /** What it needs of each page. */
  formats: readonly Format[];
  /** Every part is a whole of its own; of the others all parts together are one. */
  standsAlone: boolean;
  head: string;
  write(record: FormattedRecordView): string;
  tail: string;
}

const COLUMNS = [
  "url",
  "status",
  "reason",
  "explanation",
  "httpStatus",
  "depth",
  "via",
  "title",
  "contentType",
  "bytes",
  "sha256",
  "fetchedAt",
  "lastmod",
  "asset",
  "path",
] as const satisfies readonly (keyof FormattedRecordView)[];

const PLAIN = { isOfPages: false, formats: [], standsAlone: false, head: "", tail: "" } as const;

export const EXPORT_WRITERS: Record<ExportFormat, ExportWriter> = {
  jsonl: {
    ...PLAIN,
    contentType: "application/x-ndjson",
    extension: "jsonl",
    write: (record) => `${JSON.stringify(record)}\n`,
  },
  // RFC 4180, with its line ends.
  csv: {
    ...PLAIN,
    contentType: "text/csv; charset=utf-8",
    extension: "csv",
    head: `${COLUMNS.join(",")}\r\n`,
    write: (record) => `${COLUMNS.map((column) => toCell(record[column])).join(",")}\r\n`,
  },
  markdown: {
    ...PLAIN,
    contentType: "text/markdown; charset=utf-8",
    extension: "md",
    isOfPages: true,
    formats: ["markdown"],
    write: (record) => `${withFrontMatter(record, record.markdown ?? "")}\n`,
  },
  // https://www.sitemaps.org/protocol.html bounds a file, so that no number of parts would make a larger one.
  sitemap: {
    contentType: "application/xml; charset=utf-8",
    extension: "xml",
    isOfPages: true,
    formats: [],
    standsAlone: true,
    head: '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n',
    write: ({ url, lastmod }) =>
      `<url><loc>${escapeXml(url)}</loc>${lastmod === null ? "" : `<lastmod>${lastmod}</lastmod>`}</url>\n`,
    tail: "</urlset>\n",
  },
};

/**
 * Titles are strangers' words, and most CSV is opened in a spreadsheet, which takes some of them for formulas: those get an apostrophe
 * before them (https://owasp.org/www-community/attacks/CSV_Injection). One that begins with an apostrophe gets another, so that taking
 * one away always gives the text as it was.
 */
const FORMULA = /^['=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

export function toCell(value: string | number | boolean | null): string {
  if (typeof value !== "string") return value === null ? "" : String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}

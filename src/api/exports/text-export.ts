import type { Crawl } from "../../crawl/crawl.ts";
import { exportFormat } from "../../crawl/export-table.ts";
import { fieldColumns } from "../../crawl/page/page-fields.ts";
import { valueColumns } from "../../crawl/page/value-columns.ts";
import type { LedgersDeps } from "../../frontier/ledgers.ts";
import type { TemplateDeps } from "../../passes/template/open-template.ts";
import { exportFolders, wholeFolders } from "../../reading/exports/export-folders.ts";
import {
  countParts,
  type ExportDeps,
  type ExportRun,
  exportPart,
  exportWhole,
  fitsOneRequest,
  isBounded,
} from "../../reading/exports/export-part.ts";
import { readRow } from "../../reading/records/read-row.ts";
import { partWith } from "../../reading/records/whole-rows.ts";
import { wholeReadingOf } from "../records/reading-query.ts";
import { viewFormatted } from "../records/record-schemas.ts";
import { type ExportQuery, type ExportWriter, exportWriter, type TextFormat } from "./export-formats.ts";
import type { HomePage } from "./llms-text.ts";

/** Writes a crawl in a format of text: all of it, or a part. */

export type TextQuery = Omit<ExportQuery, "format" | "cursor" | "parts" | "clean"> & { format: TextFormat };
export type TextExportDeps = Omit<ExportDeps, "template" | "chunkTokens" | "parts"> & TemplateDeps & LedgersDeps;

/** A piece of the file, and the cursor after it. */
export interface ExportedText {
  text: string;
  /** Where a part begins that follows on this piece; null after the head and the tail. */
  cursor: string | null;
}

export interface TextExport {
  writer: ExportWriter;
  /** An estimate. */
  parts: number;
  /** Whether `whole` has it. */
  fits(): Promise<boolean>;
  /** The file in one stream; null if it is longer than one request may read on this platform. */
  whole(): Promise<AsyncGenerator<ExportedText> | null>;
  /** `next`: the cursor of the next part; null in the last part. */
  part(cursor: string): Promise<{ texts: AsyncGenerator<ExportedText>; next: string | null }>;
}

export async function openTextExport(
  crawl: Crawl,
  { format, ...query }: TextQuery,
  deps: TextExportDeps,
): Promise<TextExport> {
  const { isOfPages } = exportFormat(format);
  const writer = exportWriter(format, fieldColumns(crawl.options.fields), valueColumns(crawl.options.extract));
  const formats = query.formats ?? writer.formats;
  const status = query.status ?? (isOfPages ? "completed" : undefined);
  const reading = await wholeReadingOf(crawl, { ...query, formats }, deps);
  const { label, minRelevance } = query;
  const request = { status, label, minRelevance, formats, fields: writer.fields };
  const only = isOfPages ? ("pages" as const) : ("all" as const);
  const headOf = async () => (writer.headOf ? writer.headOf(await homeOf(crawl, reading)) : writer.head);
  return {
    writer,
    parts: countParts(crawl, { formats, only }),
    fits: async () => !isBounded(reading) || (await fitsOneRequest(crawl, { ...request, only }, reading)),
    async whole() {
      if (writer.standsAlone) {
        const part = await exportPart(crawl, { ...request, cursor: "", only }, reading);
        return part.next === null ? textOf(writer, [runOf(part)], { head: await headOf(), isLast: true }) : null;
      }
      const runs = writer.isInFolders
        ? await wholeFolders(crawl, request, reading)
        : wholeRuns(await exportWhole(crawl, { ...request, only }, reading));
      return runs === null ? null : textOf(writer, runs, { head: await headOf(), isLast: true });
    },
    async part(cursor) {
      const part = writer.isInFolders
        ? await exportFolders(crawl, { ...request, cursor }, reading)
        : runOf(await exportPart(crawl, { ...request, cursor, only }, reading));
      const head = cursor === "" || writer.standsAlone ? await headOf() : "";
      const isLast = part.next === null || writer.standsAlone;
      return { texts: textOf(writer, [part], { head, isLast }), next: part.next };
    },
  };
}

function runOf<Part extends Pick<ExportRun, "records">>(part: Part): Part & ExportRun {
  return { ...part, before: null, cursorOf: (url) => url };
}

function wholeRuns(records: ExportRun["records"] | null): ExportRun[] | null {
  return records === null ? null : [runOf({ records })];
}

async function* textOf(
  writer: ExportWriter,
  runs: readonly ExportRun[],
  { head, isLast }: { head: string; isLast: boolean },
): AsyncGenerator<ExportedText> {
  yield { text: head, cursor: null };
  for (const { records, before, cursorOf } of runs) {
    let last = before;
    for await (const record of records) {
      const { url } = record.record;
      yield { text: writer.write(viewFormatted(record), record.metadata, last), cursor: cursorOf(url) };
      last = url;
    }
  }
  if (isLast) yield { text: writer.tail, cursor: null };
}

async function homeOf(crawl: Crawl, deps: Parameters<typeof readRow>[3]): Promise<HomePage> {
  const url = crawl.options.urls[0] ?? "";
  const part = partWith(crawl, url, deps);
  const row = await part.deps.records.get(part.crawl.id, url);
  const read = row === null ? null : await readRow(part.crawl, row, ["markdown"], part.deps, []);
  const { title = null, description = null } = read?.metadata ?? {};
  return { url, title: row?.title ?? title, description };
}

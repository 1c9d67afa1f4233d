// papaparse is small (19 kB), kept, and finds the delimiter itself.
import Papa from "papaparse";
import { essenceOf } from "../../core/media-type.ts";
import { decodeHtml } from "../characters/charset.ts";
import type { Document, Reader } from "../document.ts";
import { SheetTable } from "../html/markdown/sheet-table.ts";
import { DocumentWriter } from "../html/tree/document-writer.ts";
import { makeWrittenDocument } from "../html/tree/written-document.ts";
import { emptyMetadata } from "../text/plain-content.ts";

const TSV = "text/tab-separated-values";
/** A cell that is nothing but a URL. */
const URL_ALONE = /^https?:\/\/[^\s<>"]+$/i;
const DELIMITERS = [",", ";", "\t", "|"];

/** Reads a table of values separated by commas, semicolons, tabs or bars (RFC 4180). Its first row is the header. */
export const readCsv: Reader<Document> = (bytes, source, request) => {
  const type = essenceOf(source.contentType) === TSV ? TSV : "text/csv";
  const { text, encoding } = decodeHtml(bytes, source.contentType);
  // Excel's own way to name the delimiter.
  const named = /^sep=(.)\r?\n/i.exec(text);
  const writer = new DocumentWriter();
  const table = new SheetTable(writer);
  Papa.parse<string[]>(named === null ? text : text.slice(named[0].length), {
    delimiter: named?.[1] ?? (type === TSV ? "\t" : ""),
    delimitersToGuess: DELIMITERS,
    skipEmptyLines: true,
    step({ data }, parser) {
      for (const [column, cell] of data.entries()) {
        const written = cell.trim();
        table.addCell(column, [{ text: written, href: URL_ALONE.test(written) ? written : "" }]);
      }
      table.endRow();
      if (writer.isFull) parser.abort();
    },
  });
  table.finish();
  return makeWrittenDocument(
    {
      type,
      encoding,
      html: writer.finish(),
      metadata: emptyMetadata(),
      truncated: writer.truncated ?? table.truncated,
      isData: true,
    },
    source,
    request,
  );
};

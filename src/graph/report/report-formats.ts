import { toCell } from "../../core/formats/csv-cell.ts";
import { FINDING_KINDS } from "../problems/finding.ts";
import { changeOf, type WriteReport } from "./report.ts";
import { writeHtmlReport } from "./report-html.ts";
import { writeJunitReport } from "./report-junit.ts";
import { writeMarkdownReport } from "./report-markdown.ts";
import { writeSarifReport } from "./report-sarif.ts";

const COLUMNS = ["change", "severity", "kind", "page", "target", "text", "place", "hops", "detail", "id"] as const;

/**
 * RFC 4180, with CRLF. What was not judged comes first, in rows of the kind `not-judged`. Hops are separated by spaces,
 * which no canonical URL has.
 */
const writeCsvReport: WriteReport = async function* (head, findings) {
  yield `${COLUMNS.join(",")}\r\n`;
  for (const detail of head.leftOut) yield toRow({ severity: "notice", kind: "not-judged", detail });
  for await (const finding of findings) {
    const row = {
      ...finding,
      change: changeOf(head, finding),
      severity: FINDING_KINDS[finding.kind][0],
      hops: finding.hops?.join(" "),
    };
    yield toRow(row);
  }
};

type Row = Partial<Record<(typeof COLUMNS)[number], string | null | undefined>>;

function toRow(row: Row): string {
  return `${COLUMNS.map((column) => toCell(row[column] ?? null)).join(",")}\r\n`;
}

/** One object: the head, and the list `findings`, a line each. */
const writeJsonReport: WriteReport = async function* (head, findings) {
  yield `${JSON.stringify(head).slice(0, -1)},"findings":[`;
  let separator = "\n";
  for await (const finding of findings) {
    yield separator +
      JSON.stringify({ ...finding, change: changeOf(head, finding), severity: FINDING_KINDS[finding.kind][0] });
    separator = ",\n";
  }
  yield "\n]}\n";
};

export const REPORT_FORMATS = {
  md: { contentType: "text/markdown; charset=utf-8", write: writeMarkdownReport },
  html: { contentType: "text/html; charset=utf-8", write: writeHtmlReport },
  csv: { contentType: "text/csv; charset=utf-8", write: writeCsvReport },
  json: { contentType: "application/json", write: writeJsonReport },
  junit: { contentType: "application/xml; charset=utf-8", write: writeJunitReport },
  sarif: { contentType: "application/sarif+json", write: writeSarifReport },
} as const satisfies Record<string, { contentType: string; write: WriteReport }>;

export type ReportFormat = keyof typeof REPORT_FORMATS;

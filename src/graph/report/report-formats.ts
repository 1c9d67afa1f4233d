import { toCell } from "../../core/formats/csv-cell.ts";
import { FINDING_KINDS } from "../problems/finding.ts";
import type { WriteReport } from "./report.ts";
import { writeHtmlReport } from "./report-html.ts";
import { writeMarkdownReport } from "./report-markdown.ts";

const COLUMNS = ["change", "severity", "kind", "page", "target", "text", "place", "hops", "detail", "id"] as const;

/** RFC 4180, with CRLF. The head has no place in it. Hops are separated by spaces, which no canonical URL has. */
const writeCsvReport: WriteReport = async function* (_, findings) {
  yield `${COLUMNS.join(",")}\r\n`;
  for await (const finding of findings) {
    const row = { ...finding, severity: FINDING_KINDS[finding.kind][0], hops: finding.hops?.join(" ") };
    yield `${COLUMNS.map((column) => toCell(row[column] ?? null)).join(",")}\r\n`;
  }
};

/** One object: the head, and the list `findings`, a line each. */
const writeJsonReport: WriteReport = async function* (head, findings) {
  yield `${JSON.stringify(head).slice(0, -1)},"findings":[`;
  let separator = "\n";
  for await (const finding of findings) {
    yield separator + JSON.stringify({ ...finding, severity: FINDING_KINDS[finding.kind][0] });
    separator = ",\n";
  }
  yield "\n]}\n";
};

export const REPORT_FORMATS = {
  md: { contentType: "text/markdown; charset=utf-8", write: writeMarkdownReport },
  html: { contentType: "text/html; charset=utf-8", write: writeHtmlReport },
  csv: { contentType: "text/csv; charset=utf-8", write: writeCsvReport },
  json: { contentType: "application/json", write: writeJsonReport },
} as const satisfies Record<string, { contentType: string; write: WriteReport }>;

export type ReportFormat = keyof typeof REPORT_FORMATS;

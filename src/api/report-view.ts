import type { Report } from "../crawl/report.ts";
import { type RecordView, viewRecord } from "./views.ts";

/** What the API shows of a report. */
export interface ReportView extends Omit<Report, "newest" | "errors" | "history"> {
  newest: RecordView[];
  errors: RecordView[];
  history: { at: string; pages: number; bytes: number }[];
}

export function viewReport({ newest, errors, history, ...counts }: Report): ReportView {
  return {
    ...counts,
    newest: newest.map(viewRecord),
    errors: errors.map(viewRecord),
    history: history.map((step) => ({ ...step, at: new Date(step.at).toISOString() })),
  };
}

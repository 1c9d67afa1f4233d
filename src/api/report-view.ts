import type { RecordDetail } from "../crawl/record-detail.ts";
import type { Report } from "../crawl/report.ts";
import { type RecordView, shownStatus, viewRecord } from "./views.ts";

/** What the API shows of a report, and of one record with what is around it. */

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

export interface RecordDetailView {
  record: RecordView;
  /** How it was come upon, from the seed to the record itself. */
  path: RecordDetail["way"];
  /** Of those that link to it the one on which it was first found: a crawl keeps no other. */
  inlinks: string[];
  /** What was first found on it. */
  found: { url: string; status: RecordView["status"]; title: string | null }[];
  hasMoreFound: boolean;
}

export function viewRecordDetail({ record, way, found, hasMore }: RecordDetail): RecordDetailView {
  return {
    record: viewRecord(record),
    path: way,
    inlinks: record.via === null ? [] : [record.via],
    found: found.map((each) => ({ ...each, status: shownStatus(each.status) })),
    hasMoreFound: hasMore,
  };
}

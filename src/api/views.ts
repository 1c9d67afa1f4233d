/**
 * The types of the API's answers, for those who call it. No values, so the command line can import this file without
 * zod.
 */

export type * from "./access/installation-schemas.ts";
export type * from "./access/ownership-schemas.ts";
export type * from "./analysis/classification-schemas.ts";
export type * from "./analysis/extract-schemas.ts";
export type * from "./analysis/extraction-schemas.ts";
export type * from "./analysis/extracted-view.ts";
export type * from "./analysis/field-schemas.ts";
export type * from "./analysis/finding-schemas.ts";
export type * from "./analysis/inlinks-schemas.ts";
export type * from "./analysis/mark-schemas.ts";
export type * from "./analysis/pass-schemas.ts";
export type * from "./analysis/report-schemas.ts";
export type * from "./analysis/search-schemas.ts";
export type * from "./analysis/section-schemas.ts";
export type * from "./analysis/topic-schemas.ts";
export type * from "./changes/change-schemas.ts";
export type * from "./changes/diff-schemas.ts";
export type * from "./changes/feed-schemas.ts";
export type * from "./changes/month-schemas.ts";
export type * from "./changes/version-schemas.ts";
export type * from "./changes/visits-schemas.ts";
export type * from "./changes/webhook-schemas.ts";
export type * from "./crawls/crawl-schemas.ts";
export type * from "./crawls/list-schemas.ts";
export type * from "./crawls/page-group-schemas.ts";
export type * from "./crawls/robots-schemas.ts";
export type * from "./crawls/schedule-schemas.ts";
export type * from "./exports/background-schemas.ts";
export type * from "./exports/delta-schemas.ts";
export type * from "./imports/import-schemas.ts";
export type * from "./records/explain-schemas.ts";
export type * from "./records/record-schemas.ts";
export type * from "./sessions/session-schemas.ts";

/**
 * The types of the API's answers, for those who call it. No values, so the command line can import this file without
 * zod.
 */

export type * from "./change-schemas.ts";
export type * from "./classification-schemas.ts";
export type * from "./crawl-schemas.ts";
export type * from "./delta-schemas.ts";
export type * from "./diff-schemas.ts";
export type * from "./explain-schemas.ts";
export type * from "./feed-schemas.ts";
export type * from "./field-schemas.ts";
export type * from "./finding-schemas.ts";
export type * from "./inlinks-schemas.ts";
export type * from "./installation-schemas.ts";
export type * from "./mark-schemas.ts";
export type * from "./ownership-schemas.ts";
export type * from "./page-group-schemas.ts";
export type * from "./pass-schemas.ts";
export type * from "./record-schemas.ts";
export type * from "./report-schemas.ts";
export type * from "./robots-schemas.ts";
export type * from "./schedule-schemas.ts";
export type * from "./search-schemas.ts";
export type * from "./section-schemas.ts";
export type * from "./topic-schemas.ts";
export type * from "./version-schemas.ts";
export type * from "./visits-schemas.ts";
export type * from "./webhook-schemas.ts";

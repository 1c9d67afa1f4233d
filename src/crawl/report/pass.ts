/** A pass reads a whole crawl afterwards, in steps. Times are milliseconds since the Unix epoch. */

export const PASS_STATUSES = ["running", "completed", "errored"] as const;

/**
 * `analyze`: links, ranks and the report. `classify`: a label for each page. `topics`: groups of pages. `export`: a
 * file with the crawl. `extract`: values of pages by a model.
 */
export const PASS_KINDS = ["analyze", "classify", "topics", "export", "extract"] as const;
export type PassKind = (typeof PASS_KINDS)[number];

export interface Pass {
  id: string;
  crawl: string;
  kind: PassKind;
  status: (typeof PASS_STATUSES)[number];
  /** Whether it asks for the URLs of other sites that pages link to. */
  checkExternal: boolean;
  /** Whether it leaves repeated text out of the search index. */
  reindex: boolean;
  /** For people: what it does now. */
  stage: string;
  stepsDone: number;
  /** An estimate; null until the rows are listed. */
  steps: number | null;
  startedAt: number;
  /** The beginning of its last step. */
  progressAt: number;
  finishedAt: number | null;
  /** For people; null unless it is errored. */
  error: string | null;
  /** The process that worked on it last; null on Cloudflare. */
  boot: string | null;
}

/** A step of a pass: the number of steps before it, and an estimate of all. */
export interface PassStep {
  stage: string;
  done: number;
  steps: number | null;
}

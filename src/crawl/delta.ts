import type { CrawlUrl } from "./crawl.ts";

/** What a delta tells of a page: what became of it since a cursor. */
export type DeltaKind = "added" | "changed" | "removed";

/** A page's record, as it is now, and what became of it. */
export interface DeltaRecord extends CrawlUrl {
  change: DeltaKind;
}

/** The place of a part of a delta. */
export interface DeltaPlace {
  /** The last change of the delta. It was the last one of the crawl when the first part began. */
  until: number;
  /** The last change of the previous part, or its last URL in a full export. */
  after: string;
}

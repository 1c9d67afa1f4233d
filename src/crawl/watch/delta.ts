import type { ChunkChange } from "../../chunks/compare-chunks.ts";
import type { CrawlUrl } from "../crawl.ts";
import type { ChangeKind } from "./watch.ts";

/** What a delta tells of a page: what became of it since a cursor. */
export type DeltaKind = "added" | "changed" | "removed";

/** A page's record, as it is now, and what became of it. */
export interface DeltaRecord extends CrawlUrl {
  change: DeltaKind;
  /** The first change since the cursor, and when it was told: milliseconds since the epoch. */
  first: ChangeKind;
  firstAt: number;
}

/** The place of a part of a delta. */
export interface DeltaPlace {
  /** The last change of the delta. It was the last one of the crawl when the first part began. */
  until: number;
  /** The last change of the previous part, or its last URL in a full export. */
  after: string;
  /** Whether its chunks are without the template of the crawl. */
  isCleaned: boolean;
}

/** What became of the chunks of a page. */
export interface PageChunks {
  record: DeltaRecord;
  changes: ChunkChange[];
  /** Whether the index must forget all chunks of the page first, because nobody knows any more which it has. */
  isCleared: boolean;
  /** Why a stored page comes without its chunks; null if it has them. */
  problem: string | null;
}

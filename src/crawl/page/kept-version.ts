import type { PageDiff } from "../../changes/compare/diff-versions.ts";
import type { PackedPage } from "./outcome.ts";

/** The versions of a page that a watch keeps. Times are milliseconds since the Unix epoch. */

export interface KeptVersion {
  fetchedAt: number;
  title: string | null;
  contentType: string;
  sha256: string | null;
  /** Its place in a pack; null for a page that is stored as a file. */
  packed: PackedPage | null;
}

/** What changed from one version to another. */
export interface VersionDiff {
  from: KeptVersion;
  to: KeptVersion;
  /** When the version before `from` was fetched; null if `from` is the first one. */
  earlier: number | null;
  /** When the version after `to` was fetched; null if `to` is the newest one. */
  later: number | null;
  /** Whether it shows the entire main content, not only what counts for changes today. */
  isFull: boolean;
  diff: PageDiff;
}

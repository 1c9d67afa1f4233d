/** A feed of a site's changes, and the two formats in which it is served: atom-feed.ts and json-feed.ts. */

export type ChangeKind = "added" | "changed" | "moved" | "removed" | "restored";

/** Times are milliseconds since the Unix epoch. */
export interface ChangeEntry {
  /** An IRI that never changes, such as `urn:uuid:...`: readers show an entry once by it. */
  id: string;
  kind: ChangeKind;
  /** The page. */
  url: string;
  /** Null if the page has none. */
  title: string | null;
  /** When the change was seen. */
  at: number;
  /** Plain text. */
  summary: string;
  /** The page that shows what changed. */
  diffUrl: string;
}

export interface ChangeFeed {
  /** An IRI that never changes. */
  id: string;
  title: string;
  /** The address of the feed itself. */
  feedUrl: string;
  /** The page with all changes. */
  pageUrl: string;
  /** When the feed was last read from its source; its newest entry may be older. */
  updatedAt: number;
  /** The newest first. */
  entries: readonly ChangeEntry[];
}

const WORDS: Record<ChangeKind, string> = {
  added: "New",
  changed: "Changed",
  moved: "Moved",
  removed: "Removed",
  restored: "Back",
};

/** The title of an entry: what happened, and to which page. */
export function titleOf({ kind, title, url }: Pick<ChangeEntry, "kind" | "title" | "url">): string {
  return `${WORDS[kind]}: ${title ?? url}`;
}

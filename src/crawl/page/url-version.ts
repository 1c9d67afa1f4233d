import type { CrawlUrl } from "../crawl.ts";
import { cutPage, writePair } from "../list-cursor.ts";

/** The versions of a URL: its answers, over all crawls. */

export interface UrlVersion
  extends Pick<CrawlUrl, "status" | "reason" | "detail" | "contentType" | "bytes" | "sha256"> {
  crawl: string;
  /** When it was fetched, in milliseconds since the Unix epoch. */
  time: number;
  httpStatus: number;
}

/** A page of versions, newest first. */
export interface VersionsPage {
  versions: ComparedVersion[];
  /** Null when there are no more versions. */
  cursor: string | null;
}

interface ComparedVersion extends UrlVersion {
  /** Whether its answer differs from that of the version before it; null for the first version. */
  changed: boolean | null;
}

/** `found`: the versions after the cursor of the request, newest first, one more than `limit` if there are as many. */
export function versionsPage(found: readonly UrlVersion[], limit: number): VersionsPage {
  const { page, cursor } = cutPage(found, limit, ({ time, crawl }) => writePair(time, crawl));
  const versions = page.map((version, i) => {
    const before = found[i + 1];
    return { ...version, changed: before === undefined ? null : answerOf(version) !== answerOf(before) };
  });
  return { versions, cursor };
}

/** Equal for two versions with the same bytes, and for two redirects or errors that say the same. */
function answerOf({ sha256, httpStatus, reason, detail }: UrlVersion): string {
  return sha256 ?? `${httpStatus} ${reason} ${detail}`;
}

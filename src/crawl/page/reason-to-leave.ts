import type { Leave, PageFetched } from "./outcome.ts";

/** Why a fetched page is not stored although its links count. */

type Said = Pick<PageFetched, "linksOnly" | "noindex" | "notModified" | "otherLanguage">;

/** Null if it is stored. The crawl's own decision comes before what the page says. */
export function reasonToLeave({ linksOnly = null, noindex, notModified, otherLanguage = null }: Said): Leave | null {
  if (linksOnly !== null) return linksOnly;
  if (noindex !== null) return { reason: "noindex", detail: noindex };
  if (notModified !== null) return { reason: "not-modified", detail: notModified };
  return otherLanguage === null ? null : { reason: "language", detail: otherLanguage };
}

import type { Crawl } from "../../crawl/crawl.ts";
import {
  type ExportDeps,
  type ExportPart,
  type ExportRun,
  exportPart,
  fitsOneRequest,
  isBounded,
  type PartRequest,
  walkWhole,
} from "./export-part.ts";

/**
 * Exports the pages of a crawl in the order of a list of contents: those at the root of a site, then those of each
 * folder. Folders are in the order of their URLs, so nothing is sorted and nothing is held.
 */

/** The cursors of the second run begin so, and no URL does. */
const BELOW = "below:";

export async function exportFolders(
  crawl: Crawl,
  request: Omit<PartRequest, "only">,
  deps: ExportDeps,
): Promise<ExportPart & ExportRun> {
  const { cursor } = request;
  if (!cursor.startsWith(BELOW)) {
    const part = await exportPart(crawl, { ...request, only: "pages-at-root" }, deps);
    return { ...part, next: part.next ?? BELOW, before: cursor === "" ? null : cursor, cursorOf: (url) => url };
  }
  const after = cursor.slice(BELOW.length);
  const part = await exportPart(crawl, { ...request, cursor: after, only: "pages-below" }, deps);
  const cursorOf = (url: string) => BELOW + url;
  return { ...part, next: part.next === null ? null : cursorOf(part.next), before: after, cursorOf };
}

/** Both runs in one answer; null if that is more than one request may read on this platform. */
export async function wholeFolders(
  crawl: Crawl,
  request: Omit<PartRequest, "only" | "cursor">,
  deps: ExportDeps,
): Promise<ExportRun[] | null> {
  if (isBounded(deps) && !(await fitsOneRequest(crawl, { ...request, only: "pages" }, deps))) return null;
  return [
    {
      records: walkWhole(crawl, { ...request, only: "pages-at-root" }, deps),
      before: null,
      cursorOf: (url) => url,
    },
    {
      records: walkWhole(crawl, { ...request, only: "pages-below" }, deps),
      before: "",
      cursorOf: (url) => BELOW + url,
    },
  ];
}

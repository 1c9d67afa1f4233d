import type { Crawl } from "../../crawl/crawl.ts";
import type { Reading } from "../records/read-formats.ts";
import { type ExportPart, exportPart, type PartRequest } from "./export-part.ts";

/**
 * Exports the pages of a crawl in the order of a list of contents: those at the root of a site, then those of each
 * folder. Folders are in the order of their URLs, so nothing is sorted and nothing is held.
 */

/** The cursors of the second run begin so, and no URL does. */
const BELOW = "below:";

export async function exportFolders(
  crawl: Crawl,
  request: Omit<PartRequest, "only">,
  deps: Reading,
): Promise<ExportPart & { before: string | null }> {
  const { cursor } = request;
  if (!cursor.startsWith(BELOW)) {
    const part = await exportPart(crawl, { ...request, only: "pages-at-root" }, deps);
    return { ...part, next: part.next ?? BELOW, before: cursor === "" ? null : cursor };
  }
  const after = cursor.slice(BELOW.length);
  const part = await exportPart(crawl, { ...request, cursor: after, only: "pages-below" }, deps);
  return { ...part, next: part.next === null ? null : BELOW + part.next, before: after };
}

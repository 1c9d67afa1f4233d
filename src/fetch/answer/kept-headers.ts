import type { PageHeaders } from "../../crawl/page/outcome.ts";

/** The headers of an answer that are stored with its page. */

/** Characters of headers that are stored: the mirror has 8,192 bytes for all metadata of a page. */
export const MAX_HEADER = 1_000;
const MAX_HEADERS = 4_096;
const DECIDING = new Set(["x-robots-tag", "last-modified", "refresh", "link"]);

/** All headers of an answer that may be stored. */
export function storableHeaders({ headers }: Response, { hidesCookies }: { hidesCookies: boolean }): PageHeaders {
  return [...headers].filter(([name]) => !hidesCookies || name !== "set-cookie");
}

/**
 * Keeps headers while they fit, skipping those that do not. Headers that decide whether the page is stored come first.
 */
export function keptHeaders(headers: PageHeaders, limit = MAX_HEADERS): PageHeaders {
  const all = headers.map(([name, value]): PageHeaders[number] => [name, value.slice(0, MAX_HEADER)]);
  const { first = [], others = [] } = Object.groupBy(all, ([name]) => (DECIDING.has(name) ? "first" : "others"));
  let room = limit;
  return [...first, ...others].filter((header) => {
    const fits = sizeOf(header) <= room;
    if (fits) room -= sizeOf(header);
    return fits;
  });
}

/** Whether all headers fit as they are. */
export function areWithin(headers: PageHeaders, limit: number): boolean {
  return headers.reduce((sum, header) => sum + sizeOf(header), 0) <= limit;
}

/** As JSON. Other characters than ASCII are escaped. */
function sizeOf(header: PageHeaders[number]): number {
  return JSON.stringify(header).replace(/[^\x20-\x7e]/g, "\\u0000").length + 1;
}

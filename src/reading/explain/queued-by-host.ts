import type { Crawl } from "../../crawl/crawl.ts";
import { hostKey, originOf } from "../../url/host-key.ts";

/** Rows that are read at a time, and how often. */
export const ROWS = 5_000;
export const MOST_READINGS = 20;

/** What it uses of the ledger (store/ledger/motion.ts): pages that move, a portion at a time. */
interface MovingPages {
  pages(crawl: string, after: string, most: number, dueBy: number): Promise<Portion>;
}

interface Portion {
  rows: readonly { url: string }[];
  /** Null if no more follow. */
  last: string | null;
}

/**
 * By host, the URLs of a crawl that are about to be fetched. Of a crawl with more rows than are read it reads up to
 * twice ROWS of each origin, in the order of URLs, so that one large host does not hide the others.
 */
export async function queuedByHost(
  { id, counters }: Pick<Crawl, "id" | "counters">,
  { motion }: { motion: MovingPages },
): Promise<Map<string, string[]>> {
  const isLarge = counters.discovered > MOST_READINGS * ROWS;
  const queued: string[] = [];
  let after: string | null = "";
  for (let at = 0; at < MOST_READINGS && after !== null; at++) {
    const { rows, last }: Portion = await motion.pages(id, after, ROWS, Number.MAX_SAFE_INTEGER);
    for (const { url } of rows) queued.push(url);
    after = isLarge && last !== null && after !== "" && originOf(after) === originOf(last) ? behindOrigin(last) : last;
  }
  return Map.groupBy(queued, hostKey);
}

/** What comes after all URLs of this one's origin: "0" follows "/". */
function behindOrigin(url: string): string {
  return `${originOf(url)}0`;
}

/**
 * Whose turn it is at the reader of documents. Pure functions over what waits.
 *
 * The rule: crawls take turns, the one served longest ago first, and so do the hosts of a crawl, in the order of their
 * names. A host whose document ended the reader goes behind all others for ten minutes, and so does a crawl of which two
 * hosts have. A document that ended the reader itself goes last of all in that time. So in ten minutes a host takes one
 * minute of the reader from the others, and it still comes to its turn while they never end.
 *
 * A document in reading cannot be put aside. So at most half of the readers read what goes behind: a host that has hung
 * one reader delays nobody at the others. A single reader has no half, and reads it when nothing else waits.
 */

/** Real time for which a host goes behind after its document ended the reader. */
export const BEHIND_MS = 600_000;
/** A crawl of which so many hosts did goes behind with all of its hosts: a site may have any number of host names. */
const HUNG_HOSTS = 2;

/** A host of a crawl with documents that may be read now. `host`: `URL.host`. */
export interface Line {
  crawl: string;
  host: string;
  /** The next document. */
  url: string;
  /** How often that document ended its reader. */
  deaths: number;
}

/** A document of this host ended its reader lately. */
export interface Hang {
  crawl: string;
  host: string;
}

/** A crawl's last turn: when it was, and which host had it. */
export interface Turn {
  at: number;
  host: string;
}

export interface Candidate extends Line {
  /** It waits behind those that have not hung the reader. */
  isBehind: boolean;
}

/** How many documents of those that go behind may be read at once. */
export function placesBehind(readers: number): number {
  return Math.max(1, Math.floor(readers / 2));
}

/** All lines, in the order in which they are to be served. A crawl without a turn has not been served yet. */
export function orderLines(
  lines: readonly Line[],
  turns: ReadonlyMap<string, Turn>,
  hangs: readonly Hang[],
): Candidate[] {
  const hungHosts = new Set(hangs.map(({ host }) => host));
  const hungCrawls = new Set(
    [...Map.groupBy(hangs, ({ crawl }) => crawl)]
      .filter(([, own]) => own.length >= HUNG_HOSTS)
      .map(([crawl]) => crawl),
  );
  const delayOf = ({ crawl, host, deaths }: Line): number => {
    if (hungHosts.has(host)) return deaths === 0 ? 2 : 3;
    return hungCrawls.has(crawl) ? 1 : 0;
  };
  const keyed = lines.map((line) => {
    const turn = turns.get(line.crawl);
    const delay = delayOf(line);
    const isPast = turn !== undefined && line.host <= turn.host;
    return { line: { ...line, isBehind: delay > 0 }, delay, at: turn?.at ?? 0, isPast: isPast ? 1 : 0 };
  });
  return keyed
    .sort(
      (a, b) =>
        a.delay - b.delay ||
        a.at - b.at ||
        compare(a.line.crawl, b.line.crawl) ||
        a.isPast - b.isPast ||
        compare(a.line.host, b.line.host) ||
        a.line.deaths - b.line.deaths ||
        compare(a.line.url, b.line.url),
    )
    .map(({ line }) => line);
}

/** As SQLite compares texts of ASCII. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

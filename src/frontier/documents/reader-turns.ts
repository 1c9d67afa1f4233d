/**
 * Whose turn it is at the reader of documents. Pure functions over what waits.
 *
 * The rule: crawls take turns, the one served longest ago first, and so do the hosts of a crawl, in the order of their
 * names. A host that is being read lets others go first. A host whose document ended the reader goes behind all others
 * for ten minutes, and so does a crawl of which two hosts have. A document that ended the reader itself goes last of
 * all in that time. So in ten minutes a host takes one minute of the reader from the others, and it still comes to its
 * turn while they never end.
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

/** A host of a crawl: one of whose documents ended its reader lately, or is being read. */
export interface CrawlHost {
  crawl: string;
  host: string;
}

/** `isBehind`: it is read although it goes behind. */
export interface BeingRead extends CrawlHost {
  isBehind: boolean;
}

/** A crawl's last turn: when it was, and which host had it. */
export interface Turn {
  at: number;
  host: string;
}

/** What decides whose turn it is. */
export interface Waiting {
  lines: readonly Line[];
  /** By crawl. A crawl without a turn has not been served yet. */
  turns: ReadonlyMap<string, Turn>;
  /** The hosts whose documents ended the reader in the last ten minutes. */
  hangs: readonly CrawlHost[];
  readings: readonly BeingRead[];
}

export interface Candidate extends Line {
  /** It waits behind those that have not hung the reader. */
  isBehind: boolean;
}

/** How many documents of those that go behind may be read at once. */
export function placesBehind(readers: number): number {
  return Math.max(1, Math.floor(readers / 2));
}

/** The next line; null if none may be served now. */
export function decideNext(waiting: Waiting, readers: number): Candidate | null {
  const [first] = orderLines(waiting);
  if (first === undefined) return null;
  const behind = waiting.readings.filter(({ isBehind }) => isBehind).length;
  return first.isBehind && behind >= placesBehind(readers) ? null : first;
}

/** All lines, in the order in which they are to be served. */
export function orderLines({ lines, turns, hangs, readings }: Waiting): Candidate[] {
  const hungHosts = new Set(hangs.map(({ host }) => host));
  const hungCrawls = new Set(
    [...Map.groupBy(hangs, ({ crawl }) => crawl)].filter(([, own]) => own.length >= HUNG_HOSTS).map(([crawl]) => crawl),
  );
  const readHosts = new Set(readings.map(({ host }) => host));
  const delayOf = ({ crawl, host, deaths }: Line): number => {
    if (hungHosts.has(host)) return deaths === 0 ? 2 : 3;
    return hungCrawls.has(crawl) ? 1 : 0;
  };
  const keyed = lines.map((line) => {
    const { crawl, host, deaths, url } = line;
    const turn = turns.get(crawl);
    const delay = delayOf(line);
    const isRead = readHosts.has(host) ? 1 : 0;
    // After the host of the last turn come those with greater names, and then the others.
    const isPast = turn !== undefined && host <= turn.host ? 1 : 0;
    const keys = [delay, isRead, turn?.at ?? 0, crawl, isPast, host, deaths, url];
    return { keys, candidate: { ...line, isBehind: delay > 0 } };
  });
  return keyed.sort((a, b) => compareKeys(a.keys, b.keys)).map(({ candidate }) => candidate);
}

type Key = string | number;

/** Texts of ASCII are compared as SQLite does. */
function compareKeys(a: readonly Key[], b: readonly Key[]): number {
  const at = a.findIndex((key, i) => key !== b[i]);
  return at === -1 ? 0 : (a[at] as Key) < (b[at] as Key) ? -1 : 1;
}

/** The record of each host in a crawl with a subject: how its pages were, and how many of its URLs wait. */

/** Compact, because a crawl keeps many. */
export type HostRecord = [
  host: string,
  /** Pages that were fetched. */
  pages: number,
  /** The sum of their relevances. */
  relevance: number,
  /** URLs that were found and are not fetched yet: an estimate, because what is told of it may be lost. */
  waiting: number,
  /** What the words of the links to these pages promised: the sum of their scores. */
  promised: number,
  /** How much of that was true: each score times the relevance of its page. */
  kept: number,
];

interface HostChange {
  host: string;
  pages: number;
  relevance: number;
  waiting: number;
  promised: number;
  kept: number;
}

const MAX_HOSTS = 180;
/** UTF-16 code units of all names together, and of one name. */
const MAX_NAMES = 5_000;
const MAX_NAME = 100;
/** A host keeps what it promises until so much of it was broken that it makes a difference. */
const TRUST = 1.5;
/** A host without a page is taken to be as the crawl's mean is, with the weight of so many pages. */
const PRIOR_PAGES = 4;

/** Adds what became known of hosts. If there are too many, those with the fewest pages and URLs are forgotten. */
export function changeHosts(records: readonly HostRecord[], changes: readonly HostChange[]): HostRecord[] {
  const hosts = new Map(records.map((record) => [record[0], record]));
  for (const { host, pages, relevance, waiting, promised, kept } of changes) {
    if (host.length > MAX_NAME) continue;
    const old = hosts.get(host) ?? noRecord(host);
    hosts.set(host, [
      host,
      old[1] + pages,
      round(old[2] + relevance),
      Math.max(0, old[3] + waiting),
      round(old[4] + promised),
      round(old[5] + kept),
    ]);
  }
  let names = 0;
  return [...hosts.values()]
    .sort((a, b) => b[1] - a[1] || b[3] - a[3] || (a[0] < b[0] ? -1 : 1))
    .slice(0, MAX_HOSTS)
    .filter(([host]) => {
      names += host.length;
      return names <= MAX_NAMES;
    });
}

function noRecord(host: string): HostRecord {
  return [host, 0, 0, 0, 0, 0];
}

function round(value: number): number {
  return Number(value.toFixed(2));
}

interface HostStanding {
  /** The mean relevance that a page of it is expected to have. */
  relevance: number;
  /** URLs that wait. */
  waiting: number;
  /** How far the words of links to it are believed, 0 to 1: a link farm promises much and keeps nothing. */
  trust: number;
}

/** `expected`: the relevance that is expected of a page of an unknown host. */
export function readHost(records: readonly HostRecord[], host: string, expected: number): HostStanding {
  const [, pages, relevance, waiting, promised, kept] = records.find(([name]) => name === host) ?? noRecord(host);
  return {
    relevance: Math.min(1, (relevance + expected * PRIOR_PAGES) / (pages + PRIOR_PAGES)),
    waiting,
    trust: Math.min(1, (kept + TRUST) / (promised + TRUST)),
  };
}

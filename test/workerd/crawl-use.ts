import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import { finish } from "./platform/deeds.ts";
import { Platform } from "./platform/platform.ts";
import { clear } from "./platform/storage.ts";
import type { Answer } from "./platform/web.ts";

/** Counts what a crawl of small hosts uses of the model of the platform. */

/** Uses of one crawl. `rows`: by table, those of its indexes included. */
export interface Use {
  objects: number;
  /** Operations of the frontier: each message is sent, read and deleted. */
  queue: number;
  gateCalls: number;
  gateRows: number;
  rows: Record<string, number>;
}

export interface Kind {
  hosts: number;
  /** Of each host. */
  pages: number;
  /** By how much a host answers later than the one before, in milliseconds. Absent: all answer alike. */
  slowerMs?: number;
  /** Links of a page to other hosts. Absent: none. */
  links?: number;
  /** Ledgers over which the crawl is divided. Absent: it is in one. */
  ledgers?: number;
  options: Partial<CrawlOptions>;
  use: Use;
}

const NO_REST = { minDelayMs: 0, maxDelayMs: 0, delayFactor: 0, maxConcurrencyPerHost: 8, maxBytesPerSecond: 0 };
const ROUND_MS = 26 * 3_600_000;
export const ONE_HOST = { hosts: 1, pages: 60 };
export const PACKED = { source: "links", store: "warc", politeness: NO_REST } satisfies Partial<CrawlOptions>;

/** Pages of a host form a tree: each leads to four others, and to `links` pages of other hosts. */
function answerOf(url: string, { hosts, pages, slowerMs = 0, links: others = 0 }: Omit<Kind, "use">): Answer {
  const { pathname, origin, hostname } = new URL(url);
  const host = Number.parseInt(hostname.slice(1), 10);
  const headersMs = 40 + slowerMs * host;
  const i = pathname === "/" ? 0 : Number(/^\/p(\d+)$/.exec(pathname)?.[1]);
  if (!(i < pages)) return { kind: "status", status: 404 };
  const own = [1, 2, 3, 4].flatMap((n) => (4 * i + n < pages ? [`${origin}/p${4 * i + n}`] : []));
  const toOthers = Array.from({ length: others }, (_, n) => {
    const place = 7 * i + 13 * n;
    return `https://h${(host + 1 + (place % (hosts - 1))) % hosts}.test/p${1 + ((place + host) % (pages - 1))}`;
  });
  const links = [...own, ...toOthers];
  return { kind: "page", links, text: `page ${i} at ${url}`, body: url, headersMs, bodyMs: 5 };
}

export async function useOf({ options, ...site }: Omit<Kind, "use">, storage: DurableObjectStorage): Promise<Use> {
  clear(storage);
  const { hosts, ledgers = 1 } = site;
  const platform = new Platform(storage, { seed: 1, web: (url) => answerOf(url, { ...site, options }), ledgers });
  const { databases, bucket, frontier, gates } = platform;
  const seeds = Array.from({ length: hosts }, (_, i) => `https://h${i}.test/`);
  await platform.run(async () => {
    await finish(platform, await platform.start(seeds, { ...options, shards: ledgers }), null);
    if (!options.watch) return;
    for (const { writtenTo } of databases) writtenTo.clear();
    for (const counts of [bucket.counts, frontier.counts, gates.counts])
      for (const key of Object.keys(counts)) Object.assign(counts, { [key]: 0 });
    await platform.time.sleep(ROUND_MS);
  });
  return {
    objects: bucket.counts.puts,
    queue: frontier.counts.sent + 2 * frontier.counts.delivered,
    gateCalls: gates.counts.calls,
    gateRows: gates.counts.rowsWritten,
    rows: sumByTable(databases.map(({ writtenTo }) => writtenTo)),
  };
}

function sumByTable(all: readonly ReadonlyMap<string, number>[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const each of all) for (const [table, rows] of each) sums.set(table, (sums.get(table) ?? 0) + rows);
  return Object.fromEntries([...sums].toSorted(([a], [b]) => a.localeCompare(b)));
}

import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import { finish } from "./platform/deeds.ts";
import { Platform } from "./platform/platform.ts";
import { clear } from "./platform/storage.ts";
import type { Answer } from "./platform/web.ts";

/** Counts what a crawl of small hosts uses of the model of the platform. */

/** Uses of one crawl. `rows`: by table, those of its indexes included. */
interface Use {
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
  options: Partial<CrawlOptions>;
  use: Use;
}

const NO_REST = { minDelayMs: 0, maxDelayMs: 0, delayFactor: 0, maxConcurrencyPerHost: 8, maxBytesPerSecond: 0 };
const ROUND_MS = 26 * 3_600_000;
export const ONE_HOST = { hosts: 1, pages: 60 };
export const PACKED = { source: "links", store: "warc", politeness: NO_REST } satisfies Partial<CrawlOptions>;

/** Pages of a host form a tree: each leads to four others. */
function answerOf(url: string, pages: number, slowerMs: number): Answer {
  const { pathname, origin, hostname } = new URL(url);
  const headersMs = 40 + slowerMs * Number.parseInt(hostname.slice(1), 10);
  const i = pathname === "/" ? 0 : Number(/^\/p(\d+)$/.exec(pathname)?.[1]);
  if (!(i < pages)) return { kind: "status", status: 404 };
  const links = [1, 2, 3, 4].flatMap((n) => (4 * i + n < pages ? [`${origin}/p${4 * i + n}`] : []));
  return { kind: "page", links, text: `page ${i} at ${url}`, body: url, headersMs, bodyMs: 5 };
}

export async function useOf(
  { hosts, pages, slowerMs = 0, options }: Kind,
  storage: DurableObjectStorage,
): Promise<Use> {
  clear(storage);
  const platform = new Platform(storage, { seed: 1, web: (url) => answerOf(url, pages, slowerMs) });
  const { database, bucket, frontier, gates } = platform;
  const seeds = Array.from({ length: hosts }, (_, i) => `https://h${i}.test/`);
  await platform.run(async () => {
    await finish(platform, await platform.start(seeds, options), null);
    if (!options.watch) return;
    database.writtenTo.clear();
    for (const counts of [bucket.counts, frontier.counts, gates.counts])
      for (const key of Object.keys(counts)) Object.assign(counts, { [key]: 0 });
    await platform.time.sleep(ROUND_MS);
  });
  return {
    objects: bucket.counts.puts,
    queue: frontier.counts.sent + 2 * frontier.counts.delivered,
    gateCalls: gates.counts.calls,
    gateRows: gates.counts.rowsWritten,
    rows: Object.fromEntries([...database.writtenTo].toSorted(([a], [b]) => a.localeCompare(b))),
  };
}

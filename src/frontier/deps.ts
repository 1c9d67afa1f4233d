import type { Clock } from "../core/clock.ts";
import { systemClock } from "../core/clock.ts";
import type { KeptPage, PageResult, SitemapResult } from "../crawl/outcome.ts";
import type { PageRequest } from "../fetch/page-fetcher.ts";
import type { ContentRequest } from "../fetch/read-page.ts";
import type { SitemapRequest } from "../fetch/sitemap-fetcher.ts";
import type { Gate } from "../host/gate-protocol.ts";
import { meteredGate } from "../host/metered-gate.ts";
import { Deletions } from "../store/deletions.ts";
import { Heartbeats } from "../store/heartbeats.ts";
import { Ledger } from "../store/ledger.ts";
import { Meter, meteredBucket, meteredDatabase, meteredQueue } from "../store/metered.ts";
import { Mirror } from "../store/mirror.ts";
import { Packs } from "../store/packs.ts";
import { Schedules } from "../store/schedules.ts";
import { Sitemaps } from "../store/sitemaps.ts";
import { Waits } from "../store/waits.ts";
import { CrawlContexts } from "./context.ts";
import type { FrontierMessage } from "./message.ts";
import { SeenFilters } from "./seen-filter.ts";

/** What the pipeline works with: bindings in the Worker, whatever a test puts in their place. */
export interface Deps {
  ledger: Ledger;
  schedules: Schedules;
  sitemaps: Sitemaps;
  waits: Waits;
  heartbeats: Heartbeats;
  deletions: Deletions;
  mirror: Mirror;
  packs: Packs;
  frontier: Queue<FrontierMessage>;
  gate(host: string): Gate;
  fetchPage(request: PageRequest): Promise<PageResult>;
  readPage(kept: KeptPage, request: PageRequest): Promise<PageResult>;
  fetchSitemap(request: SitemapRequest): Promise<SitemapResult>;
  /** What a kept page can be made into: a `KeptContent` in JSON. */
  readContent(kept: KeptPage, request: ContentRequest): Promise<Uint8Array>;
  clock: Clock;
  /** What all of this uses of the platform. */
  meter: Meter;
  seen: SeenFilters;
  contexts: CrawlContexts;
}

/** Per isolate: what is remembered from batch to batch. Losing it costs reads, never pages. */
const seen = new SeenFilters();
const contexts = new CrawlContexts();
const meter = new Meter();

export function depsOf(env: Env): Deps {
  const fetcher = env.PAGE_FETCHER as unknown as Pick<Deps, "fetchPage" | "readPage" | "fetchSitemap" | "readContent">;
  const db = meteredDatabase(env.LEDGER, meter);
  const bucket = meteredBucket(env.MIRROR, meter);
  return {
    ledger: new Ledger(db),
    schedules: new Schedules(db),
    sitemaps: new Sitemaps(db),
    waits: new Waits(db),
    heartbeats: new Heartbeats(db),
    deletions: new Deletions(db),
    mirror: new Mirror(bucket),
    packs: new Packs(bucket),
    frontier: meteredQueue(env.FRONTIER as Queue<FrontierMessage>, meter),
    gate: (host) => meteredGate(env.HOST_GATE.get(env.HOST_GATE.idFromName(host)) as unknown as Gate, meter),
    fetchPage: (request) => fetcher.fetchPage(request),
    readPage: (kept, request) => fetcher.readPage(kept, request),
    fetchSitemap: (request) => fetcher.fetchSitemap(request),
    readContent: (kept, request) => fetcher.readContent(kept, request),
    clock: systemClock,
    meter,
    seen,
    contexts,
  };
}

import { exports } from "cloudflare:workers";
import type { PageVersion } from "../changes/page-version.ts";
import { type Clock, clockOf, systemClock } from "../core/clock.ts";
import { MAX_BATCH_URLS } from "../crawl/bounds/batch-size.ts";
import type { DatabaseRoom } from "../crawl/bounds/database-room.ts";
import type { PageFields } from "../crawl/page/field-check.ts";
import type { FetchGivenBack, FetchResult, PageResult, SitemapResult, StoredPage } from "../crawl/page/outcome.ts";
import type { WriteExportPart } from "../crawl/report/export-file.ts";
import type { Pass } from "../crawl/report/pass.ts";
import type { CrawlHook } from "../crawl/subject/hook.ts";
import type { Request, Secrets } from "../fetch/answer/answer.ts";
import type { ArchivedAnswer } from "../fetch/answer/archived-answer.ts";
import type { LogInRequest, LogInResult } from "../fetch/browser/log-in/perform-log-in.ts";
import type { RenderGateway } from "../fetch/browser/render-gateway.ts";
import { fetchBeside } from "../fetch/fetcher-process/fetch-beside.ts";
import { ProcessLease } from "../fetch/fetcher-process/process-lease.ts";
import type { HeadResult } from "../fetch/head-fetcher.ts";
import type { MediaRequest, MediaResult } from "../fetch/media-fetcher.ts";
import { type InstalledModel, installedModel } from "../fetch/model/installed-model.ts";
import type { PageFetcher } from "../fetch/page-fetcher.ts";
import { HeavyReader } from "../fetch/reading/heavy-reader.ts";
import type { ContentRequest, Received, StoredVersionRequest } from "../fetch/reading/read-page.ts";
import type { FieldsRequest } from "../fetch/reading/read-page-fields.ts";
import { isForReader, type StoredCopy } from "../fetch/reading/stored-copy.ts";
import type { PageRequest, ReadRequest } from "../fetch/request/page-request.ts";
import { type NoticeAnswer, type NoticeRequest, postNotice } from "../fetch/request/post-notice.ts";
import type { SitemapRequest } from "../fetch/sitemap-fetcher.ts";
import { isDeadName } from "../fetch/transport/dead-name.ts";
import { VISIT_LANE_MS } from "../host/full-lane.ts";
import type { Gate } from "../host/gate-protocol.ts";
import { meteredGate } from "../host/metered-gate.ts";
import { ledgersIn } from "../store/installation/ledger-bindings.ts";
import { Meter, meteredQueue } from "../store/installation/metered.ts";
import { LearnedMemory } from "../store/learned/learned-memory.ts";
import { openStore, type Store } from "../store/store.ts";
import { databaseLimitOf } from "./batch/database-limit.ts";
import type { DocumentMessage, FrontierMessage } from "./batch/message.ts";
import { RecordedRobots } from "./commit/recorded-robots.ts";
import { SeenFilters } from "./commit/seen-filter.ts";
import { Unbilled } from "./commit/unbilled.ts";
import { CrawlContexts } from "./context.ts";
import { EDGE_READERS } from "./documents/edge-readers.ts";
import { GroupCounts } from "./features/endless-groups/group-counts.ts";
import { SamePagePartners } from "./features/same-pages/same-page-partners.ts";
import { HookCaller, type MissingPoints } from "./hook/hook-caller.ts";
import { HostTemplates } from "./lane/host-templates.ts";
import { Invocations } from "./lane/invocations.ts";
import { Ledgers } from "./ledgers.ts";
import { StoppedCrawls } from "./stopped-crawls.ts";
import type { NoticeHint } from "./visits/notice-hint.ts";
import { RecentAnswers } from "./visits/recent-answers.ts";

/** Asks other hosts, at the pace of their gates. */
export interface Fetching {
  gate(host: string): Gate;
  /** `gateway`: for a page that may be rendered. `copy`: for one that is compared. */
  fetchPage(request: PageRequest, secrets: Secrets, gateway?: RenderGateway, copy?: StoredCopy): Promise<FetchResult>;
  /** Has a browser log in, within so many milliseconds of real time. */
  logIn(request: LogInRequest, gateway: RenderGateway, leaseMs: number): Promise<LogInResult>;
  /** Fetches a range of a media file. */
  fetchMedia(request: MediaRequest, secrets: Secrets): Promise<MediaResult>;
  fetchSitemap(request: SitemapRequest, secrets: Secrets): Promise<SitemapResult | FetchGivenBack>;
  /** Asks whether a URL exists. */
  fetchHead(request: Request): Promise<HeadResult>;
  /** Whether DNS says that a host name does not exist. */
  isDeadName(hostname: string): Promise<boolean>;
}

/** Reads pages that were fetched before, in invocations of their own. */
export interface PageReaders {
  readPage(stored: StoredPage, request: ReadRequest): Promise<PageResult>;
  /** Decides on an answer of an archive, and reads it. Nothing is sent. */
  readArchived(request: PageRequest, answer: ArchivedAnswer): Promise<FetchResult>;
  /** Has a document read by the reader Worker. Throws ReaderDied if that ends it. */
  readHeavyPage(received: Received, request: ReadRequest, durationMs: number): Promise<PageResult>;
  /** Makes the content of a stored page: a `StoredContent` in JSON. */
  readContent(stored: StoredPage, request: ContentRequest): Promise<Uint8Array>;
  /** Writes a part of the file of an export, beginning at a cursor, in an invocation of its own. */
  writeExportPart: WriteExportPart;
  /** What a stored page says, to compare versions. Null if it has no content. */
  readVersion(stored: StoredPage, request: StoredVersionRequest): Promise<PageVersion | null>;
  /** Reads fields from a page by rules. Null for a document that is no HTML. */
  readFields(stored: StoredPage, request: FieldsRequest): Promise<PageFields | null>;
}

/** Finds values in pages. */
export interface Models {
  /** A string says why the installation has none, for the operator. */
  model: InstalledModel | string;
}

/** Starts work in other invocations. */
export interface Queues {
  frontier: Queue<FrontierMessage>;
  notices: Queue<NoticeHint>;
  documentQueue: Queue<DocumentMessage>;
  /** The instances of passes, by the ids of the passes. */
  passRuns: Workflow<Pick<Pass, "crawl" | "id"> & Partial<Pick<Pass, "kind" | "checkExternal" | "reindex">>>;
}

/** Tells receivers of webhooks and the operator. */
export interface Receivers {
  postNotice(request: NoticeRequest): Promise<NoticeAnswer>;
  /** Where the operator is told of the installation itself; null if nowhere. `secret` signs it. */
  alarm: { url: string; secret: string | null } | null;
}

/** What an isolate keeps between batches. If it is lost, that costs reads but no pages. */
export interface IsolateMemory {
  seen: SeenFilters;
  contexts: CrawlContexts;
  hostTemplates: HostTemplates;
  recentAnswers: RecentAnswers;
  samePagePartners: SamePagePartners;
  groupCounts: GroupCounts;
  learned: LearnedMemory;
  recordedRobots: RecordedRobots;
  unbilled: Unbilled;
  workload: Workload;
}

/** Time and chance, the platform's limits, and what counts its usage. */
export interface Platform {
  clock: Clock;
  /** At least 0 and less than 1. */
  random(): number;
  /** Names the process on this machine; null on Cloudflare. */
  boot: string | null;
  limits: Limits;
  /** Those of the batch. */
  invocations: Invocations;
  /** At which size the database is full. `bytes`: its size now. */
  databaseLimit(bytes: number): Promise<Omit<DatabaseRoom, "bytes">>;
  /** Counts the platform usage of all dependencies. */
  meter: Meter;
}

/** Says how full the database is. */
export type RoomDeps = Pick<Store, "databaseSize" | "roomNotes"> & Pick<Platform, "databaseLimit">;

/**
 * All dependencies of the pipeline: bindings in the Worker, replacements in a test. Other rooms take a group or a few
 * members; only what runs the pipeline takes all.
 */
export interface Deps extends Store, Fetching, PageReaders, Models, Queues, Receivers, IsolateMemory, Platform {
  /** Calls the installation's hook; null if it has none. */
  hook: HookCaller | null;
  /** Leads to the other ledgers of the installation. */
  ledgers: Ledgers<Deps>;
}

/** What an isolate works on. */
interface Workload {
  /** Batches at this moment. This machine has one isolate, so 0 means that nothing is in flight. */
  batches: number;
  /** What failed in the last batch; null if it succeeded. */
  failure: string | null;
  /** Lanes of this isolate that are under way take no further URL of these. */
  stopped: StoppedCrawls;
}

/** This isolate's. */
export const workload: Workload = { batches: 0, failure: null, stopped: new StoppedCrawls() };

/** Limits of the platform on which the pipeline runs. */
interface Limits {
  /** Fetches of a batch at the same time. */
  fetches: number;
  /** Pages that a batch has a browser draw. The others are sent again. */
  drawings: number;
  /** Failures in a row through faults of the platform after which a URL is given up. */
  failures: number;
  /** Worker invocations that a batch may start. */
  invocations: number;
  /** Documents that are read at the same time. */
  readers: number;
  /** The work of a lane of visits alone, about, in milliseconds; null for that of any lane. */
  visitLaneMs: number | null;
  /** Whether a lane may have as many URLs as a message, where no other crawl waits for its host. */
  longLanes: boolean;
}

/**
 * On Cloudflare an invocation has at most six connections that wait for headers, and the invocations that it starts may
 * share them; one is left for gates and stores. workerd on this machine has no such limit, nor one of invocations. A
 * drawn page has a call of a browser session and some of gates, where a request may start 32 invocations, and it takes
 * seconds, where a batch may take fifteen minutes. Documents are read by as many consumers as wrangler.toml allows
 * their queue, and on this machine by as many reader processes as the host process has. The local queue delivers one
 * batch at a time, so no lane may keep it for long; and rows cost nothing here, where somebody waits for each page.
 * https://developers.cloudflare.com/workers/runtime-apis/bindings/service-bindings/#limits
 * https://developers.cloudflare.com/workers/platform/limits/#simultaneous-open-connections
 */
const EDGE_LIMITS: Limits = {
  fetches: 5,
  drawings: 8,
  failures: 8,
  invocations: 32,
  readers: EDGE_READERS,
  visitLaneMs: VISIT_LANE_MS,
  longLanes: true,
};
const LOCAL_LIMITS: Limits = {
  ...EDGE_LIMITS,
  visitLaneMs: null,
  longLanes: false,
  fetches: MAX_BATCH_URLS,
  drawings: MAX_BATCH_URLS,
  invocations: Number.POSITIVE_INFINITY,
};

const memory: IsolateMemory = {
  seen: new SeenFilters(),
  contexts: new CrawlContexts(),
  hostTemplates: new HostTemplates(),
  recentAnswers: new RecentAnswers(),
  samePagePartners: new SamePagePartners(),
  groupCounts: new GroupCounts(),
  learned: new LearnedMemory(),
  recordedRobots: new RecordedRobots(),
  unbilled: new Unbilled(),
  workload,
};
const missingPoints: MissingPoints = new Set();
const processLease = new ProcessLease();

/**
 * `meter`: the meter of the batch or request. `ledger`: the number of the one that it works on. Throws UnknownLedger.
 */
export function depsOf(env: Env, meter: Meter = new Meter(), ledger = 0): Deps {
  const open = (each: number, ledgers: Ledgers<Deps>) => openDeps(env, meter, each, ledgers);
  return new Ledgers(ledgersIn(env), open, (each) => depsOf(env, new Meter(), each)).at(ledger);
}

function openDeps(env: Env, meter: Meter, ledger: number, ledgers: Ledgers<Deps>): Deps {
  const fetcher = exports.PageFetcher as unknown as PageFetcher;
  const exporter = exports.ExportWriter as unknown as { writePart: WriteExportPart };
  const clock = clockOf(env);
  const heavy = new HeavyReader(env.READER, clock);
  const local = { ...LOCAL_LIMITS, readers: Number(env.READERS ?? 1), longLanes: env.LONG_LANES !== undefined };
  const limits = env.BOOT === undefined ? EDGE_LIMITS : local;
  const isHeavy = (stored: StoredPage) => isForReader(stored, env.READER !== undefined);
  const store = openStore(env, meter, systemClock, ledger);
  const beside = { env, lease: processLease, documents: store.documents };
  return {
    ...store,
    ledgers,
    ...memory,
    documentQueue: meteredQueue(env.DOCUMENTS as Queue<DocumentMessage>, meter),
    readHeavyPage: (received, request, durationMs) => heavy.readPage(received, request, durationMs),
    frontier: meteredQueue(env.FRONTIER as Queue<FrontierMessage>, meter),
    notices: meteredQueue(env.NOTICES as Queue<NoticeHint>, meter),
    postNotice: (request) => postNotice(request, env),
    alarm: env.ALARM_WEBHOOK === undefined ? null : { url: env.ALARM_WEBHOOK, secret: env.ALARM_SECRET ?? null },
    passRuns: env.PASSES,
    boot: env.BOOT ?? null,
    gate: (host) => meteredGate(env.HOST_GATE.get(env.HOST_GATE.idFromName(host)) as unknown as Gate, meter),
    fetchPage: (request, secrets, gateway, copy) => {
      const here = () => fetcher.fetchPage(request, secrets, gateway, copy);
      const { batches } = memory.workload;
      return gateway === undefined && copy === undefined
        ? fetchBeside(request, secrets, { ...beside, batches, here })
        : here();
    },
    logIn: (request, gateway, leaseMs) => fetcher.logIn(request, gateway, leaseMs),
    readPage: (stored, request) =>
      isHeavy(stored) ? heavy.readPage(stored, request, 0) : fetcher.readPage(stored, request),
    readArchived: (request, answer) => fetcher.readArchived(request, answer),
    fetchMedia: (request, secrets) => fetcher.fetchMedia(request, secrets),
    fetchSitemap: (request, secrets) => fetcher.fetchSitemap(request, secrets),
    fetchHead: (request) => fetcher.fetchHead(request),
    isDeadName: (hostname) => isDeadName(hostname, env),
    readContent: (stored, request) =>
      isHeavy(stored) ? heavy.readContent(stored, request) : fetcher.readContent(stored, request),
    readVersion: (stored, request) =>
      isHeavy(stored) ? heavy.readVersion(stored, request) : fetcher.readVersion(stored, request),
    writeExportPart: (pass, part, cursor) => exporter.writePart(pass, part, cursor),
    readFields: (stored, request) => fetcher.readFields(stored, request),
    model: installedModel(env),
    databaseLimit: databaseLimitOf(env),
    clock,
    random: Math.random,
    meter,
    limits,
    invocations: new Invocations(limits.invocations),
    hook: env.HOOK === undefined ? null : new HookCaller(env.HOOK as unknown as CrawlHook, missingPoints),
  };
}

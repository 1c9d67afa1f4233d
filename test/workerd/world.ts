import { env } from "cloudflare:test";
import { writePart } from "../../src/api/exports/export-writer.ts";
import { sha256Of } from "../../src/archive/sha256.ts";
import type { PageVersion } from "../../src/changes/page-version.ts";
import { DATABASE_LIMIT_BYTES } from "../../src/crawl/bounds/database-room.ts";
import { type CrawlOptions, DEFAULT_OPTIONS, DEFAULT_POLITENESS } from "../../src/crawl/crawl-options.ts";
import type { PageFetched, PageResult, RenderLesson, Sitemap, SitemapResult } from "../../src/crawl/page/outcome.ts";
import { reasonToLeave } from "../../src/crawl/page/reason-to-leave.ts";
import type { CrawlHook } from "../../src/crawl/subject/hook.ts";
import { type Request, reject } from "../../src/fetch/answer/answer.ts";
import { captureAnswer, captureContent, capturePage } from "../../src/fetch/answer/capture-page.ts";
import { refusedLanguage } from "../../src/fetch/answer/page-language.ts";
import type { HeadResult } from "../../src/fetch/head-fetcher.ts";
import { readPageFields } from "../../src/fetch/reading/read-page-fields.ts";
import type { PageRequest, ReadRequest } from "../../src/fetch/request/page-request.ts";
import type { SitemapRequest } from "../../src/fetch/sitemap-fetcher.ts";
import { settleDeadLetters } from "../../src/frontier/batch/dead-letter.ts";
import { deliver } from "../../src/frontier/batch/deliver.ts";
import { type DocumentMessage, type FrontierMessage, hintsOf } from "../../src/frontier/batch/message.ts";
import { RecordedRobots } from "../../src/frontier/commit/recorded-robots.ts";
import { SeenFilters } from "../../src/frontier/commit/seen-filter.ts";
import { Unbilled } from "../../src/frontier/commit/unbilled.ts";
import { CrawlContexts } from "../../src/frontier/context.ts";
import type { Deps } from "../../src/frontier/deps.ts";
import { deliverDocuments } from "../../src/frontier/documents/deliver-documents.ts";
import { GroupCounts } from "../../src/frontier/features/endless-groups/group-counts.ts";
import { SamePagePartners } from "../../src/frontier/features/same-pages/same-page-partners.ts";
import { HookCaller } from "../../src/frontier/hook/hook-caller.ts";
import { HostTemplates } from "../../src/frontier/lane/host-templates.ts";
import { Invocations } from "../../src/frontier/lane/invocations.ts";
import { homeOf, Ledgers } from "../../src/frontier/ledgers.ts";
import { StoppedCrawls } from "../../src/frontier/stopped-crawls.ts";
import type { NoticeHint } from "../../src/frontier/visits/notice-hint.ts";
import { RecentAnswers } from "../../src/frontier/visits/recent-answers.ts";
import { VISIT_LANE_MS } from "../../src/host/full-lane.ts";
import type { Gate } from "../../src/host/gate-protocol.ts";
import { Gatekeeper } from "../../src/host/gatekeeper.ts";
import { meteredGate } from "../../src/host/metered-gate.ts";
import type { RobotsRead, RobotsRequest } from "../../src/host/robots-file.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { startCrawl } from "../../src/lifecycle/start.ts";
import { ledgersIn } from "../../src/store/installation/ledger-bindings.ts";
import { Meter, meteredQueue } from "../../src/store/installation/metered.ts";
import { LearnedMemory } from "../../src/store/learned/learned-memory.ts";
import type { CrawlCommit } from "../../src/store/ledger/ledger-commit.ts";
import { openStore } from "../../src/store/store.ts";
import type { PrivateAccess } from "../../src/url/private-access.ts";

import { linesOf } from "./model-links.ts";
import { modelTopic } from "./model-topic.ts";
import { ownershipOf } from "./ownership-of.ts";

/**
 * A world for the pipeline: the real ledger and mirror, with a web, a clock, a queue and gates that the test controls.
 * Time passes only when code sleeps or nothing is due.
 */

/** The answer of a URL to each attempt. `cookie`: the Cookie header of the request; undefined if it has none. */
export type Web = (url: string, attempt: number, cookie?: string) => Answer;
/** The answer of a sitemap's URL to each attempt. */
export type Sitemaps = (
  url: string,
  attempt: number,
  request: SitemapRequest,
) => (Partial<Sitemap> & { etag?: string }) | { redirect: string } | { status: number; retryAfterMs?: number };
export type Answer =
  /** Pages with an equal `same` have the same content. */
  | {
      links: string[];
      same?: string;
      noindex?: string;
      nofollow?: string[];
      lastModified?: number;
      language?: string;
      /** The page in other languages. */
      alternates?: { url: string; language: string }[];
      title?: string;
      text?: string;
      /** The sitemaps that the page names. */
      sitemaps?: string[];
      /** Its content; by default its URL. */
      body?: string;
      /** What it says, a line per block, if the request asks for it. Without it, nothing is judged or compared. */
      says?: string;
      /** The feeds that the page names. */
      feeds?: string[];
      /** Whether it says that there is no such page. */
      missing?: boolean;
      /** Why it looks as if scripts made what it shows. */
      shell?: string;
      /** What a browser made of it, and why. */
      drawn?: { why: string } & RenderLesson;
      /** Where its forms send POST that were to be filled in. */
      postForms?: string[];
      /** The page's assets. An answer with `type` is an asset itself. */
      assets?: string[];
      type?: string;
      setCookies?: string[];
    }
  | { redirect: string; setCookies?: string[] }
  | { status: number; retryAfterMs?: number }
  /** The host refuses the connection. */
  | { refused: true }
  | { throws: string };

export interface WorldOptions {
  seen?: SeenFilters;
  /** Retries of a message before it goes to the dead-letter queue. Defaults to the platform's number. */
  maxRetries?: number;
  /** The number of copies of a sent message that arrive. */
  copies?: () => number;
  /** Called before each D1 commit; may throw. */
  beforeCommit?: (commits: CrawlCommit[]) => void | Promise<void>;
  /** Called after each D1 commit; may throw. */
  afterCommit?: () => void;
  /** Without it, no host has a sitemap. */
  sitemaps?: Sitemaps;
  /** By origin: the sitemaps that its robots.txt names. */
  named?: Record<string, string[]>;
  /** Whether robots.txt of an origin forbids everything now. */
  forbids?: (origin: string) => boolean;
  /** Defaults to the real ones. */
  bindings?: Pick<Env, "LEDGER" | "MIRROR">;
  /** The addresses of host names. Other names have none. */
  addresses?: Record<string, string[]>;
  /** Worker invocations of a batch. Without it, there is no limit. */
  invocations?: number;
  /** Whether the links of pages are kept, as in crawls. A crawl with a depth limit reads them again. */
  keepsLinks?: boolean;
  /** The installation's hook. */
  hook?: CrawlHook;
  /** Which private addresses may be fetched. Defaults to all. */
  access?: PrivateAccess;
}

const NONE = { count: 0, examples: [] };

interface Sent {
  body: FrontierMessage;
  at: number;
  failures: number;
}

const MAX_RETRIES = 5;
/** As in wrangler.toml. */
const BATCH = 2;

/** The result with the links that are kept, as the page fetcher returns it to a crawl that stores files. */
function keptLinksOf(url: string, result: PageResult): PageResult {
  return result.kind === "page" ? captureContent(url, result, 1_000) : result;
}

/** The result as the page fetcher returns it to a crawl that packs. */
async function captured(result: PageResult, { url, capture }: PageRequest): Promise<PageResult> {
  if (capture === null) return keptLinksOf(url, result);
  const answer = { statusText: "OK", date: 1_000, headers: [], requestHeaders: [] };
  if (result.kind !== "page") {
    if (result.httpStatus === null) return result;
    const facts = { status: result.httpStatus, payload: new TextEncoder().encode("not a page"), durationMs: 5 };
    return { ...result, capture: captureAnswer(url, { ...answer, ...facts }, capture) };
  }
  if (reasonToLeave(result) !== null) return captureContent(url, result, answer.date);
  // A real digest, because readers compare the payload with it.
  const sha256 = sha256Of(result.body);
  return capturePage(url, { ...result, sha256 }, answer, capture);
}

function versionOf(says: string): PageVersion {
  return { title: null, canonical: null, looksMissing: false, blocks: says.split("\n"), headings: [], rest: null };
}

function drawnBy({ why, ...lesson }: { why: string } & RenderLesson): Pick<PageFetched, "rendering" | "lesson"> {
  return {
    rendering: { why, browserMs: 200, sent: 2, cached: 0, bytes: 1_000, refused: {}, isUnfinished: false },
    lesson,
  };
}

/** Whether a host name does not exist. */
function isDead(hostname: string): boolean {
  return hostname.endsWith(".invalid");
}

export class World {
  readonly deps: Deps;
  /** Every fetch, in order. */
  readonly fetched: string[] = [];
  /** Every request to a host, robots.txt included, with its times. */
  readonly requests: { host: string; url: string; startedAt: number; endedAt: number }[] = [];
  /** Every sitemap that was fetched, in order. */
  readonly asked: string[] = [];
  /** Every host name that a gate had resolved, in order. */
  readonly resolved: string[] = [];
  /** Messages of documents. Those that are due are delivered if nothing else is. */
  readonly documents: { body: DocumentMessage; at: number; failures: number }[] = [];
  now = 1_000_000;
  /** Messages sent and not delivered yet. */
  get inMotion(): number {
    return this.#queue.length + this.documents.length;
  }
  readonly #queue: Sent[] = [];
  readonly #gates = new Map<string, Gate>();
  readonly #storage = new Map<string, Map<string, unknown>>();
  readonly #maxRetries: number;
  readonly #named: Record<string, string[]>;
  readonly #access: PrivateAccess;
  readonly #addresses: Record<string, string[]>;
  readonly #forbids: (origin: string) => boolean;
  readonly #keepsLinks: boolean;

  constructor(web: Web, options: WorldOptions = {}) {
    this.#maxRetries = options.maxRetries ?? MAX_RETRIES;
    this.#keepsLinks = options.keepsLinks ?? false;
    this.#named = options.named ?? {};
    this.#addresses = options.addresses ?? {};
    this.#access = options.access ?? "all";
    this.#forbids = options.forbids ?? (() => false);
    const meter = new Meter();
    const bindings = options.bindings ?? env;
    const store = openStore(bindings, meter);
    const openAt = (ledger: number): Deps =>
      ledger === 0 ? this.deps : { ...this.deps, ...openStore(bindings, meter, undefined, ledger) };
    const { ledger } = store;
    const commit = ledger.commit.bind(ledger);
    ledger.commit = async (commits, now) => {
      await options.beforeCommit?.(commits);
      const moved = await commit(commits, now);
      options.afterCommit?.();
      return moved;
    };
    const send = (body: FrontierMessage, delaySeconds = 0) => {
      for (let i = options.copies?.() ?? 1; i > 0; i--) {
        this.#queue.push({ body, at: this.now + delaySeconds * 1000, failures: 0 });
      }
    };
    this.deps = {
      ...store,
      ledgers: new Ledgers<Deps>(ledgersIn(bindings), openAt, openAt),
      frontier: meteredQueue(
        {
          sendBatch: async (messages: Iterable<MessageSendRequest<FrontierMessage>>) => {
            for (const { body, delaySeconds } of messages) send(body, delaySeconds);
          },
        } as unknown as Queue<FrontierMessage>,
        meter,
      ),
      // Notices stay in the outbox, unless a test replaces this.
      notices: { sendBatch: async () => undefined } as unknown as Queue<NoticeHint>,
      documentQueue: {
        sendBatch: async (messages: Iterable<MessageSendRequest<DocumentMessage>>) => {
          for (const { body, delaySeconds = 0 } of messages)
            this.documents.push({ body, at: this.now + delaySeconds * 1000, failures: 0 });
        },
      } as unknown as Queue<DocumentMessage>,
      readHeavyPage: async () => {
        throw new Error("no test reads documents here");
      },
      postNotice: async () => {
        throw new Error("no test sends notices here");
      },
      gate: (host) => meteredGate(this.#stub(host), meter),
      fetchPage: async (request, { cookie }) => captured(this.#fetch(request, cookie, web), request),
      readArchived: async () => {
        throw new Error("no archive is imported here");
      },
      readPage: async (_, request) => keptLinksOf(request.url, this.#read(request, web)),
      meter,
      unbilled: new Unbilled(),
      alarm: null,
      model: "this world has no model",
      passRuns: env.PASSES,
      boot: null,
      readVersion: async () => null,
      readFields: readPageFields,
      readContent: async () => {
        throw new Error("no test reads content here");
      },
      writeExportPart: (...part) => writePart(this.deps, ...part),
      // A test of media replaces it.
      fetchMedia: async () => {
        throw new Error("no test describes media here");
      },
      fetchSitemap: async (request) => this.#fetchSitemap(request, options.sitemaps ?? (() => ({ status: 404 }))),
      fetchHead: async (request) => this.#fetchHead(request, web),
      logIn: async () => ({ kind: "later", why: "the model has no browser", billedMs: 0 }),
      isDeadName: async (hostname) => isDead(hostname),
      // A test of a full database replaces it.
      databaseLimit: async () => ({ limitBytes: DATABASE_LIMIT_BYTES, diskFreeBytes: null }),
      clock: {
        now: () => this.now,
        sleep: async (ms) => {
          this.now += Math.max(0, ms);
        },
        speed: 1,
      },
      seen: options.seen ?? new SeenFilters(),
      contexts: new CrawlContexts(),
      recordedRobots: new RecordedRobots(),
      hostTemplates: new HostTemplates(),
      recentAnswers: new RecentAnswers(),
      samePagePartners: new SamePagePartners(),
      groupCounts: new GroupCounts(),
      learned: new LearnedMemory(),
      workload: { batches: 0, failure: null, stopped: new StoppedCrawls() },
      limits: {
        ...{ fetches: 5, drawings: 25, failures: this.#maxRetries, readers: 4 },
        invocations: options.invocations ?? Infinity,
        // As on Cloudflare, where invocations are limited.
        visitLaneMs: options.invocations === undefined ? null : VISIT_LANE_MS,
        longLanes: true,
      },
      invocations: new Invocations(Number.POSITIVE_INFINITY),
      // As from Math.random: what follows from it is no whole number by itself.
      random: () => 0.500_123_4,
      hook: options.hook === undefined ? null : new HookCaller(options.hook, new Set()),
    };
  }

  /** Follows only links by default. */
  async start(urls: string[], changes: Partial<CrawlOptions> = {}): Promise<string> {
    const politeness = { ...DEFAULT_POLITENESS, minDelayMs: 0 };
    const options = { ...DEFAULT_OPTIONS, limit: 100_000, politeness, userAgent: "Test/1", urls };
    return (await startCrawl({ ...options, source: "links", ...changes }, this.deps)) ?? "";
  }

  /** Delivers, retries, settles dead letters and runs heartbeats until the crawl ends. Throws if it does not end. */
  async runToEnd(crawl: string): Promise<void> {
    for (let turn = 0; turn < 2_000; turn++) {
      const state = await homeOf(this.deps, crawl).ledger.crawl(crawl);
      if (state === null || (state.status !== "running" && state.counters.queued + state.counters.pending === 0))
        return;
      await this.turn();
    }
    throw new Error(`the crawl did not end: ${JSON.stringify(await homeOf(this.deps, crawl).ledger.crawl(crawl))}`);
  }

  /**
   * Delivers the messages that are due. If none is due, time moves on to the next message; if there is no message, a
   * minute passes and the heartbeat runs.
   */
  async turn(): Promise<void> {
    const isDue = (messages: readonly { at: number }[]) => messages.some(({ at }) => at <= this.now);
    if (!isDue(this.#queue) && isDue(this.documents)) return this.#deliverDocument();
    if (this.inMotion === 0) {
      this.now += 60_000;
      await heartbeat(this.deps, this.#access);
      return;
    }
    this.now = Math.max(this.now, Math.min(...[...this.#queue, ...this.documents].map(({ at }) => at)));
    await (isDue(this.#queue) ? this.deliverPages() : this.#deliverDocument());
  }

  /** Delivers messages of the frontier alone. Documents wait meanwhile. */
  async deliverPages(): Promise<void> {
    this.#queue.sort((a, b) => a.at - b.at);
    this.now = Math.max(this.now, this.#queue[0]?.at ?? 0);
    await this.#deliver(this.#queue.filter(({ at }) => at <= this.now).slice(0, BATCH));
  }

  async #deliverDocument(): Promise<void> {
    const message = this.documents.find(({ at }) => at <= this.now);
    if (message === undefined) return;
    this.documents.splice(this.documents.indexOf(message), 1);
    const { body, failures } = message;
    const retry = ({ delaySeconds = 0 }: QueueRetryOptions = {}) =>
      void this.documents.push({ body, at: this.now + delaySeconds * 1000, failures: failures + 1 });
    const messages = [{ body, attempts: failures + 1, retry }] as unknown as Message<DocumentMessage>[];
    await deliverDocuments({ messages }, this.deps, this.#access);
  }

  async #deliver(due: Sent[]): Promise<void> {
    for (const message of due) this.#queue.splice(this.#queue.indexOf(message), 1);
    const dead: Sent[] = [];
    // The platform delivers a message again, or dead-letters it after max_retries.
    const retry = (message: Sent, delaySeconds: number) => {
      const again = { ...message, at: this.now + delaySeconds * 1000, failures: message.failures + 1 };
      (again.failures > this.#maxRetries ? dead : this.#queue).push(again);
    };
    const messages = due.map((message) => ({
      body: message.body,
      attempts: message.failures + 1,
      retry: ({ delaySeconds = 0 }: QueueRetryOptions = {}) => retry(message, delaySeconds),
    }));
    await deliver({ messages } as unknown as MessageBatch<FrontierMessage>, "frontier", this.deps, this.#access);
    if (dead.length === 0) return;
    await settleDeadLetters(
      dead.flatMap(({ body }) => hintsOf(body) ?? []),
      this.deps,
    );
  }

  #fetchHead({ url }: Request, web: Web): HeadResult {
    const attempt = this.fetched.filter((before) => before === url).length;
    this.fetched.push(url);
    this.#request(url);
    const answer = web(url, attempt);
    const base = { httpStatus: 200, durationMs: 5, retryAfterMs: null };
    if ("throws" in answer) throw new Error(answer.throws);
    if ("redirect" in answer)
      return { ...base, kind: "redirect", httpStatus: 302, target: answer.redirect, location: answer.redirect };
    if (!("status" in answer)) return { ...base, kind: "head" };
    const { status, retryAfterMs = null } = answer;
    return reject("http-status", String(status), {
      ...base,
      httpStatus: status,
      retryAfterMs,
      hostFailed: status === 503,
    });
  }

  #fetch(request: PageRequest, cookie: string | undefined, web: Web): PageResult {
    const { url, onCondition } = request;
    const attempt = this.fetched.filter((before) => before === url).length;
    this.fetched.push(url);
    this.#request(url);
    const answer = web(url, attempt, cookie);
    const setCookies = "setCookies" in answer ? { setCookies: answer.setCookies } : {};
    const base = { httpStatus: 200, durationMs: 5, retryAfterMs: null, ...setCookies };
    if ("throws" in answer) throw new Error(answer.throws);
    if ("redirect" in answer)
      return { ...base, kind: "redirect", httpStatus: 302, target: answer.redirect, location: answer.redirect };
    if ("refused" in answer)
      return reject("connection", "refused", { durationMs: 5, retryable: true, hostFailed: true });
    if ("status" in answer) {
      const retryable = answer.status >= 500;
      const facts = { reason: "http-status" as const, detail: String(answer.status), contentType: null };
      return {
        ...base,
        ...facts,
        kind: "rejected",
        httpStatus: answer.status,
        retryAfterMs: answer.retryAfterMs ?? null,
        retryable,
        hostFailed: answer.status === 503,
      };
    }
    const page = { ...this.#page(request, answer, 5), ...setCookies };
    if (!onCondition || page.notModified === null) return page;
    const facts = { reason: "not-modified" as const, detail: "304", contentType: null, retryable: false };
    return { ...base, ...facts, kind: "rejected", httpStatus: 304, hostFailed: false };
  }

  /** A page from the mirror has the content of its last fetch. */
  #read(request: ReadRequest, web: Web): PageResult {
    const { url } = request;
    const answer = web(url, this.fetched.filter((before) => before === url).length - 1);
    if (!("links" in answer)) throw new Error(`${url} is in the mirror, but was not a page`);
    return this.#page(request, answer, 0);
  }

  #page(
    {
      url,
      modifiedSince,
      search,
      asset,
      assets,
      linksOnly,
      languages,
      byLanguage,
      hook,
      said,
      topic,
      version,
    }: ReadRequest,
    answer: Extract<Answer, { links: string[] }>,
    durationMs: number,
  ): PageFetched {
    const { lastModified = Number.POSITIVE_INFINITY } = answer;
    return {
      httpStatus: 200,
      durationMs,
      retryAfterMs: null,
      kind: "page",
      body: new TextEncoder().encode(answer.body ?? url),
      headers: [],
      content: null,
      text: search ? (answer.text ?? "") : null,
      version: version === null || answer.says === undefined ? null : versionOf(answer.says),
      said: said && answer.says !== undefined ? { title: null, text: answer.says, pictures: [] } : null,
      bytes: url.length,
      capture: null,
      sha256: answer.same ?? url,
      contentType: answer.type ?? "text/html",
      truncated: null,
      encoding: "utf-8",
      title: answer.title ?? url,
      links: asset ? [] : answer.links,
      sitemaps: answer.sitemaps ?? [],
      feeds: answer.feeds ?? [],
      assets: assets || asset ? (answer.assets ?? []) : [],
      leftOut: {
        links: NONE,
        requisites: NONE,
        ...(answer.postForms === undefined
          ? {}
          : { postForms: { count: answer.postForms.length, examples: answer.postForms } }),
        problem: null,
      },
      nofollow: { count: answer.nofollow?.length ?? 0, examples: answer.nofollow ?? [] },
      linksOnly,
      noindex: answer.noindex ?? null,
      language: answer.language ?? null,
      otherLanguage: refusedLanguage(answer.language ?? null, { languages }),
      ...(byLanguage ? { alternates: answer.alternates ?? [] } : {}),
      looksMissing: answer.missing ?? false,
      shell: answer.shell ?? null,
      ...(asset || !this.#keepsLinks ? {} : { pageLinks: linesOf(url, answer.links, answer.nofollow) }),
      ...(hook === true ? { hookText: answer.text ?? "" } : {}),
      ...(answer.drawn === undefined ? {} : drawnBy(answer.drawn)),
      ...modelTopic(topic, { title: answer.title ?? "", text: answer.text ?? "", links: answer.links }),
      notModified: modifiedSince !== null && lastModified <= modifiedSince * 1000 ? "it is old" : null,
    };
  }

  #request(url: string): void {
    const startedAt = this.now;
    this.now += 5;
    this.requests.push({ host: new URL(url).hostname, url, startedAt, endedAt: this.now });
  }

  #fetchSitemap(request: SitemapRequest, sitemaps: Sitemaps): SitemapResult {
    const { url, validators } = request;
    const attempt = this.asked.filter((before) => before === url).length;
    this.asked.push(url);
    this.#request(url);
    const answer = sitemaps(url, attempt, request);
    const base = { httpStatus: 200, durationMs: 5, retryAfterMs: null };
    if ("redirect" in answer)
      return { ...base, kind: "redirect", httpStatus: 302, target: answer.redirect, location: answer.redirect };
    if ("status" in answer) {
      const { status, retryAfterMs = null } = answer;
      const facts = { reason: "http-status" as const, detail: String(status), contentType: null, hostFailed: false };
      return { ...base, ...facts, kind: "rejected", httpStatus: status, retryAfterMs, retryable: status >= 500 };
    }
    const { etag = null, ...listed } = answer;
    if (etag !== null && validators?.etag === etag) {
      const facts = { reason: "not-modified" as const, detail: "304", contentType: null, hostFailed: false };
      return { ...base, ...facts, kind: "rejected", httpStatus: 304, retryable: false };
    }
    const emptySitemap = {
      pages: [],
      sitemaps: [],
      dropped: NONE,
      truncated: null,
      problem: null,
      invalid: { count: 0, examples: [] },
    };
    const sitemap = { ...emptySitemap, ...listed };
    return { ...base, kind: "sitemap", sitemap, validators: { etag, lastModified: null } };
  }

  /** Calls the current gate of the host, as the stub of a Durable Object does. */
  #stub(host: string): Gate {
    return {
      admit: (request) => this.#gate(host).admit(request),
      settle: (request) => this.#gate(host).settle(request),
      inspect: (request) => this.#gate(host).inspect(request),
      status: (request) => this.#gate(host).status(request),
      recall: (request) => this.#gate(host).recall(request),
      lend: (request) => this.#gate(host).lend(request),
    };
  }

  /** A real gatekeeper with the test's clock. Its storage survives an eviction. */
  #gate(host: string): Gate {
    const known = this.#gates.get(host);
    if (known !== undefined) return known;
    const storage = this.#storage.get(host) ?? new Map<string, unknown>();
    this.#storage.set(host, storage);
    const gate = new Gatekeeper({
      storage: {
        get: <T>(key: string) => structuredClone(storage.get(key)) as T | undefined,
        put: (key, value) => void storage.set(key, structuredClone(value)),
      },
      clock: this.deps.clock,
      fetchRobots: (origin, request) => this.#fetchRobots(origin, request),
      gate: (other) => this.#gate(other),
      resolve: async (hostname) => {
        this.resolved.push(hostname);
        const addresses = this.#addresses[hostname] ?? [];
        return addresses.length === 0 ? { kind: "none" } : { kind: "found", addresses };
      },
      ...ownershipOf(),
      boot: "",
      // This web answers at once.
      patience: () => new Promise(() => undefined),
      keepAlive: () => undefined,
    });
    this.#gates.set(host, gate);
    return gate;
  }

  /** robots.txt of every origin allows everything, unless the test says otherwise, and names the test's sitemaps. */
  async #fetchRobots(origin: string, request: RobotsRequest): Promise<RobotsRead> {
    const hold = await request.holdHost(`${origin}/robots.txt`);
    this.#request(`${origin}/robots.txt`);
    await hold.release(5, true);
    if (isDead(new URL(origin).hostname)) {
      const silence = { detail: "no such host", firstAt: this.now, failures: 1, retryAt: this.now + 60_000 };
      const file = { state: "unreachable" as const, reason: "dns" as const, final: true, ...silence };
      return { file, durationMs: 5, answered: false };
    }
    const groups = this.#forbids(origin) ? [{ agents: ["*"], allow: [], disallow: ["/"] }] : [];
    const robots = { groups, crawlDelays: [], sitemaps: this.#named[origin] ?? [] };
    const head = { status: 200, statusText: "OK", headers: [], requestHeaders: [] };
    const body = new TextEncoder().encode("# allowed\n");
    const exchange = { url: `${origin}/robots.txt`, date: this.now, durationMs: 5, ...head, body, complete: true };
    const file = { state: "read" as const, robots, fetchedAt: this.now };
    return { file, durationMs: 5, answered: true, exchanges: [exchange] };
  }
}

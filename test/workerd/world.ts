import { env } from "cloudflare:test";
import { type CrawlOptions, DEFAULT_OPTIONS, DEFAULT_POLITENESS } from "../../src/crawl/options.ts";
import type { PageResult, SitemapResult } from "../../src/crawl/outcome.ts";
import type { Sitemap } from "../../src/extract/sitemap.ts";
import type { PageRequest } from "../../src/fetch/page-fetcher.ts";
import { consume } from "../../src/frontier/consumer.ts";
import { CrawlContexts } from "../../src/frontier/context.ts";
import { settleDeadLetters } from "../../src/frontier/dead-letter.ts";
import type { Deps, Gate } from "../../src/frontier/deps.ts";
import { heartbeat } from "../../src/frontier/heartbeat.ts";
import type { FrontierMessage } from "../../src/frontier/message.ts";
import { SeenFilters } from "../../src/frontier/seen-filter.ts";
import { startCrawl } from "../../src/frontier/start.ts";
import type { HostStatus, LanePolicy } from "../../src/host/gate-protocol.ts";
import { admitLane, bookSlots, FRESH_HOST, type HostState, settleLane } from "../../src/host/host-state.ts";
import { restMs } from "../../src/host/pace.ts";
import { Ledger } from "../../src/store/ledger.ts";
import { Mirror } from "../../src/store/mirror.ts";
import { Schedules } from "../../src/store/schedules.ts";
import { Sitemaps as LedgerSitemaps } from "../../src/store/sitemaps.ts";
import { Waits } from "../../src/store/waits.ts";

/**
 * A world for the pipeline: the real ledger and mirror, and around them a web, a clock, a queue and gates that a test holds in its
 * hand. Time passes only when somebody sleeps or nothing is due.
 */

/** What a URL answers, at each try. */
export type Web = (url: string, attempt: number) => Answer;
/** What a URL answers that is asked for as a sitemap. */
export type Sitemaps = (
  url: string,
  attempt: number,
) => Partial<Sitemap> | { redirect: string } | { status: number; retryAfterMs?: number };
export type Answer =
  /** `same`: what stands for the content, where it is to equal another page's. */
  | { links: string[]; same?: string; noindex?: string; nofollow?: string[] }
  | { redirect: string }
  | { status: number; retryAfterMs?: number }
  | { throws: string };

export interface WorldOptions {
  seen?: SeenFilters;
  /** Deliveries of a message after its first before it is buried; the platform's number where left out. */
  maxRetries?: number;
  /** What becomes of each message that is sent: how many copies arrive. */
  copies?: () => number;
  /** Called before each D1 commit; may throw. */
  beforeCommit?: () => void;
  /** Called after each D1 commit; may throw. */
  afterCommit?: () => void;
  /** Where left out, no host has one. */
  sitemaps?: Sitemaps;
  /** Sitemaps that robots.txt of an origin names. */
  named?: Record<string, string[]>;
  /** Whether private addresses may be asked, as on one's own machine. True where left out. */
  allowPrivate?: boolean;
}

const MAX_RETRIES = 5;
const BATCH = 25;

export class World {
  readonly deps: Deps;
  /** Every fetch, in order. */
  readonly fetched: string[] = [];
  /** Every sitemap asked for, in order. */
  readonly asked: string[] = [];
  /** Copies of messages that went to the dead-letter queue. */
  deadLetters = 0;
  now = 1_000_000;
  /** Messages sent and not delivered yet. */
  get inMotion(): number {
    return this.#queue.length;
  }
  readonly #queue: { body: FrontierMessage; at: number; failures: number }[] = [];
  readonly #gates = new Map<string, HostState>();
  readonly #maxRetries: number;
  readonly #named: Record<string, string[]>;
  readonly #allowPrivate: boolean;

  constructor(web: Web, options: WorldOptions = {}) {
    this.#maxRetries = options.maxRetries ?? MAX_RETRIES;
    this.#named = options.named ?? {};
    this.#allowPrivate = options.allowPrivate ?? true;
    const ledger = new Ledger(env.LEDGER);
    const commit = ledger.commit.bind(ledger);
    ledger.commit = async (commits, now) => {
      options.beforeCommit?.();
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
      ledger,
      schedules: new Schedules(env.LEDGER),
      sitemaps: new LedgerSitemaps(env.LEDGER),
      waits: new Waits(env.LEDGER),
      mirror: new Mirror(env.MIRROR),
      frontier: {
        sendBatch: async (messages: Iterable<MessageSendRequest<FrontierMessage>>) => {
          for (const { body, delaySeconds } of messages) send(body, delaySeconds);
        },
      } as unknown as Queue<FrontierMessage>,
      gate: (host) => this.#gate(host),
      fetchPage: async (request) => this.#fetch(request, web),
      fetchSitemap: async ({ url }) => this.#fetchSitemap(url, options.sitemaps ?? (() => ({ status: 404 }))),
      clock: {
        now: () => this.now,
        sleep: async (ms) => {
          this.now += Math.max(0, ms);
        },
      },
      seen: options.seen ?? new SeenFilters(),
      contexts: new CrawlContexts(),
    };
  }

  /** Follows links alone, unless the test says otherwise. */
  async start(urls: string[], changes: Partial<CrawlOptions> = {}): Promise<string> {
    const politeness = { ...DEFAULT_POLITENESS, minDelayMs: 0 };
    const options = { ...DEFAULT_OPTIONS, limit: 100_000, politeness, userAgent: "Test/1", urls };
    return (await startCrawl({ ...options, source: "links", ...changes }, this.deps)) ?? "";
  }

  /** Delivers, retries, buries and beats until the crawl has ended. Throws when it does not. */
  async runToEnd(crawl: string): Promise<void> {
    for (let turn = 0; turn < 2_000; turn++) {
      const state = await this.deps.ledger.crawl(crawl);
      if (state === null || (state.status !== "running" && state.counters.queued + state.counters.pending === 0))
        return;
      await this.turn();
    }
    throw new Error(`the crawl did not end: ${JSON.stringify(await this.deps.ledger.crawl(crawl))}`);
  }

  /** One batch of what is due; where nothing is, time passes, to the next message or the next beat that has something to do. */
  async turn(): Promise<void> {
    if (this.#queue.length === 0) {
      this.now += 60_000;
      await heartbeat(this.deps);
      return;
    }
    this.#queue.sort((a, b) => a.at - b.at);
    this.now = Math.max(this.now, this.#queue[0]?.at ?? 0);
    const due = this.#queue.filter(({ at }) => at <= this.now).slice(0, BATCH);
    this.#queue.splice(0, due.length);
    try {
      await consume(
        due.map(({ body }) => body),
        this.deps,
        this.#allowPrivate,
      );
    } catch {
      // As the platform does: each message of the batch again, and after max_retries to the dead-letter queue.
      const dead = due.filter(({ failures }) => failures >= this.#maxRetries);
      this.#queue.push(
        ...due.filter(({ failures }) => failures < this.#maxRetries).map((m) => ({ ...m, failures: m.failures + 1 })),
      );
      this.deadLetters += dead.length;
      if (dead.length > 0) {
        await settleDeadLetters(
          dead.map(({ body }) => body),
          this.deps,
        );
      }
    }
  }

  #fetch({ url }: PageRequest, web: Web): PageResult {
    const attempt = this.fetched.filter((before) => before === url).length;
    this.fetched.push(url);
    this.now += 5;
    const answer = web(url, attempt);
    const base = { httpStatus: 200, durationMs: 5, retryAfterMs: null };
    if ("throws" in answer) throw new Error(answer.throws);
    if ("redirect" in answer)
      return { ...base, kind: "redirect", httpStatus: 302, target: answer.redirect, location: answer.redirect };
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
    const body = new TextEncoder().encode(url);
    return {
      ...base,
      kind: "page",
      body,
      sha256: answer.same ?? url,
      contentType: "text/html",
      encoding: "utf-8",
      title: url,
      links: answer.links,
      nofollow: { count: answer.nofollow?.length ?? 0, examples: answer.nofollow ?? [] },
      noindex: answer.noindex ?? null,
    };
  }

  #fetchSitemap(url: string, sitemaps: Sitemaps): SitemapResult {
    const attempt = this.asked.filter((before) => before === url).length;
    this.asked.push(url);
    this.now += 5;
    const answer = sitemaps(url, attempt);
    const base = { httpStatus: 200, durationMs: 5, retryAfterMs: null };
    if ("redirect" in answer)
      return { ...base, kind: "redirect", httpStatus: 302, target: answer.redirect, location: answer.redirect };
    if ("status" in answer) {
      const { status, retryAfterMs = null } = answer;
      const facts = { reason: "http-status" as const, detail: String(status), contentType: null, hostFailed: false };
      return { ...base, ...facts, kind: "rejected", httpStatus: status, retryAfterMs, retryable: status >= 500 };
    }
    const nothing = { pages: [], sitemaps: [], truncated: null, problem: null, invalid: { count: 0, examples: [] } };
    return { ...base, kind: "sitemap", sitemap: { format: "urlset", ...nothing, ...answer } };
  }

  /** The gate's own arithmetic under the test's clock, for a host whose robots.txt allows all. */
  #gate(host: string): Gate {
    const state = this.#gates.get(host) ?? structuredClone(FRESH_HOST);
    this.#gates.set(host, state);
    return {
      admit: async ({ urls, policy }) => {
        const pace = { ...policy, crawlDelayMs: null };
        const wet = urls.filter(({ robotsOnly }) => !robotsOnly);
        const { slots, grant } = admitLane(
          state,
          {
            keys: wet.map(({ crawl, url }) => `${crawl} ${url}`),
            pace,
            concurrency: policy.concurrency,
            timeoutMs: policy.timeoutMs,
            token: crypto.randomUUID(),
            boot: "",
          },
          this.now,
        );
        const origins = urls.filter(({ sitemaps }) => sitemaps).map(({ origin }) => origin);
        return {
          sitemaps: Object.fromEntries(origins.map((origin) => [origin, this.#named[origin] ?? []])),
          verdicts: urls.map((request) => {
            const slot = request.robotsOnly ? undefined : slots[wet.indexOf(request)];
            if (slot === undefined) return { kind: "allowed" };
            if (slot.kind === "wait") return { ...slot, why: null };
            return slot.kind === "poison" ? { kind: "denied", reason: "poison", detail: "" } : slot;
          }),
          lane: grant === null ? null : { ...grant, pace, concurrency: policy.concurrency },
        };
      },
      inspect: async ({ policy }) => ({
        ...this.#status(state, policy),
        robots: { ...READ, allowed: true, rule: null, agent: null },
      }),
      status: async ({ policy, origins }) => ({ ...this.#status(state, policy), robots: origins.map(() => READ) }),
      settle: async (request) => {
        settleLane(state, request, this.now);
        const pace = { ...request.policy, crawlDelayMs: null };
        return request.sending.map((booking) =>
          bookSlots(state, booking, { pace, concurrency: request.policy.concurrency }, this.now),
        );
      },
    };
  }

  #status(state: HostState, policy: LanePolicy): HostStatus {
    return {
      crawlDelayMs: null,
      nextAt: state.nextAt,
      failures: state.failures,
      failingSince: state.failingSince ?? null,
      failureWhy: state.failureWhy ?? null,
      busy: state.lane !== null,
      restMs: restMs(state.lastDurationMs, { ...policy, crawlDelayMs: null }),
    };
  }
}

const READ = { state: "allow-all", detail: null, fetchedAt: 0, silentSince: null, retryAt: null } as const;

import { createExecutionContext } from "cloudflare:test";
import type { PageVersion } from "../../../src/changes/page-version.ts";
import type { FetchResult, PageResult, SitemapResult } from "../../../src/crawl/page/outcome.ts";
import type { Secrets } from "../../../src/fetch/answer/answer.ts";
import type { RenderGateway } from "../../../src/fetch/browser/render-gateway.ts";
import type { MediaRequest, MediaResult } from "../../../src/fetch/media-fetcher.ts";
import { PageFetcher } from "../../../src/fetch/page-fetcher.ts";
import { type StoredCopy, withStoredVersion } from "../../../src/fetch/reading/stored-copy.ts";
import { ASKS_NOTHING, type PageRequest, type ReadRequest } from "../../../src/fetch/request/page-request.ts";
import { PROOF_PATH, type ProofRead } from "../../../src/host/ownership-proof.ts";
import type { HostHold, RobotsRead, RobotsRequest } from "../../../src/host/robots-file.ts";
import type { RobotsFile } from "../../../src/host/robots-state.ts";
import { isGivenUp, isSameRow, robotsRetryDelayMs } from "../../../src/robots/policy.ts";
import type { SessionBindings } from "../model-session.ts";
import { ModelBrowser } from "./browser.ts";
import { type DocumentServed, digestOf, sendingOf } from "./document-served.ts";
import { htmlSendingOf, type PageDrawn, pictureSendingOf, scriptSendingOf } from "./drawn-page.ts";
import type { Invocation } from "./invocation.ts";
import { type MediaServed, soundSendingOf } from "./media-served.ts";
import { contentOf, NONE, pageOf, rejected, versionOf } from "./model-page.ts";
import { Network, type Surroundings } from "./network.ts";
import { type Sending, Transfers } from "./transfers.ts";

/** The web as the page fetcher sees it: each request takes a connection and time, and is recorded. */

/** What a URL answers. Times are milliseconds. */
export type Answer = {
  headersMs?: number;
  bodyMs?: number;
} /** `text`: for the index. `body`: its first line is what the page says; defaults to the URL. */ & (
  | {
      kind: "page";
      links: string[];
      assets?: string[];
      type?: string;
      noindex?: string;
      text?: string;
      body?: string;
      etag?: string | null;
      /** Its stored copy is too heavy to be read with an answer. */
      isHeavy?: boolean;
      /** What a browser does with it. Absent for a page that no browser draws. */
      drawn?: PageDrawn;
    }
  /** What a drawn page asks for: with 503 if it is busy. */
  | { kind: "script"; isBusy: boolean }
  | { kind: "sitemap"; pages: string[]; lastmods?: ReadonlyMap<string, number> }
  | { kind: "robots"; forbids: boolean }
  | ({ kind: "document" } & DocumentServed)
  | ({ kind: "media" } & MediaServed)
  | { kind: "redirect"; target: string }
  | { kind: "status"; status: number }
  /** The connection is reset. */
  | { kind: "reset" }
  /** No answer, ever. */
  | { kind: "silence" }
);

/** The answer of a URL, after this many requests of it, at this virtual time. */
export type Web = (url: string, attempt: number, now: number) => Answer;

export interface Requested {
  host: string;
  url: string;
  startedAt: number;
  endedAt: number;
  kind: Answer["kind"];
  /** Whether it is a robots.txt that forbids everything. */
  forbids: boolean;
  /** The visit of a drawn page, whose requests follow one another without a rest; null for a request of its own. */
  visit: number | null;
  /** The Range header; absent for a request without one. */
  range?: string | null;
}

/** More than any crawl of the tests makes of one URL. */
const MAX_REQUESTS = 300;

/** As fetch/transport/http.ts: the time that an answer has to begin. */
const HEADERS_MS = 20_000;

export class ModelWeb {
  readonly requests: Requested[] = [];
  /** The documents that were served, by the digests of their bodies. */
  readonly documents = new Map<string, DocumentServed>();
  readonly #around: Surroundings;
  readonly #network: Network;
  readonly #web: Web;
  readonly #attempts = new Map<string, number>();
  readonly #transfers: Transfers;
  readonly browser: ModelBrowser;
  #visits = 0;

  constructor(web: Web, around: Surroundings) {
    this.#web = web;
    this.#around = around;
    this.#network = new Network(around);
    this.#transfers = new Transfers(around, this.requests);
    this.browser = new ModelBrowser(around);
  }

  /** In place of the runtime's `fetch`: for documents, which the real page fetcher takes. */
  get fetch(): typeof fetch {
    return this.#transfers.fetch;
  }

  /** The service binding of an invocation to the page fetcher. `mirror`: the invocation's binding. */
  async fetchPage(
    invocation: Invocation,
    request: PageRequest,
    secrets: Secrets,
    mirror: R2Bucket,
    gateway?: RenderGateway,
    copy?: StoredCopy,
  ): Promise<FetchResult> {
    return this.serve(invocation, async () => {
      const answer = this.answerOf(request.url);
      const asked = { request, secrets };
      if (answer.kind === "document") {
        this.documents.set(digestOf(request.url, answer), answer);
        return this.#fetchReally(invocation, asked, sendingOf(request.url, answer), { MIRROR: mirror });
      }
      if (answer.kind === "media")
        return this.#fetchReally(invocation, asked, soundSendingOf(request.url, answer, null), { MIRROR: mirror });
      const isRendered = gateway !== undefined && request.render !== null && !request.asset;
      if (answer.kind === "page" && answer.drawn !== undefined && isRendered) {
        this.#visits += 1;
        const sending = htmlSendingOf(request.url, answer);
        const visit = this.#visits;
        const browser = this.browser.bindingsOf(request.url, answer, (url) => this.#openScript(invocation, url, visit));
        return this.#fetchReally(invocation, asked, sending, { MIRROR: mirror, ...browser }, { visit, gateway });
      }
      const answered = await this.#fetch(invocation, request.url, request.timeoutMs);
      const date = this.#around.time.wall.now();
      if ("kind" in answered && answered.kind === "rejected") return answered;
      const page = pageOf(answered, request, date);
      if (copy === undefined || (answer.kind === "page" && answer.isHeavy === true)) return page;
      return withStoredVersion(page, copy, async ({ body }) => versionOf(body), false);
    });
  }

  /** A range of a file, or what is made of the ranges so far. */
  async fetchMedia(invocation: Invocation, request: MediaRequest, secrets: Secrets): Promise<MediaResult> {
    return this.serve(invocation, async () => {
      const { url, timeoutMs, stopped } = request;
      const fetcher = new PageFetcher(createExecutionContext(), {} as Env);
      if (stopped !== null) return this.#around.time.real(fetcher.fetchMedia(request, secrets));
      const answer = this.answerOf(url);
      if (answer.kind !== "media" && answer.kind !== "page") {
        const answered = await this.#fetch(invocation, url, timeoutMs);
        if ("kind" in answered) return answered;
        throw new Error(`${url} is no file`);
      }
      this.#countAttempt(url);
      const sending =
        answer.kind === "media"
          ? (range: string | null) => soundSendingOf(url, answer, range)
          : pictureSendingOf(url, answer);
      // Readers are loaded in real time.
      return this.#around.time.mixed((waiting) => {
        const { headers, release } = this.#transfers.open({ invocation, url, sending, visit: null, waiting });
        return fetcher.fetchMedia(request, { ...secrets, ...headers }).finally(release);
      });
    });
  }

  async fetchSitemap(invocation: Invocation, { url, timeoutMs }: { url: string; timeoutMs: number }) {
    return this.serve(invocation, async (): Promise<SitemapResult> => {
      const answered = await this.#fetch(invocation, url, timeoutMs);
      if ("kind" in answered) return answered;
      const { answer, durationMs } = answered;
      if (answer.kind !== "sitemap") throw new Error(`${url} is no sitemap`);
      const pages = answer.pages.map((page) => ({ url: page, lastmod: answer.lastmods?.get(page) ?? null }));
      const leftOut = { truncated: null, problem: null, invalid: NONE, dropped: NONE };
      const sitemap = { pages, sitemaps: [], ...leftOut };
      const validators = { etag: null, lastModified: null };
      return { kind: "sitemap", httpStatus: 200, durationMs, retryAfterMs: null, sitemap, validators };
    });
  }

  /** A stored page, read again as it was fetched. */
  async readPage(invocation: Invocation, request: ReadRequest): Promise<PageResult> {
    return this.serve(invocation, async () => {
      const answer = this.answerOf(request.url, -1);
      return pageOf({ answer, durationMs: 0 }, { ...ASKS_NOTHING, ...request }, this.#around.time.wall.now());
    });
  }

  /** What a stored page says. */
  async readVersion(invocation: Invocation, body: Uint8Array): Promise<PageVersion> {
    return this.serve(invocation, async () => versionOf(body));
  }

  /** A `StoredContent` in JSON. */
  async readContent(invocation: Invocation, body: Uint8Array): Promise<Uint8Array> {
    return this.serve(invocation, async () => new TextEncoder().encode(JSON.stringify(contentOf(body))));
  }

  /** By the real page fetcher. */
  async #fetchReally(
    invocation: Invocation,
    { request, secrets }: { request: PageRequest; secrets: Secrets },
    sending: Sending,
    env: Pick<Env, "MIRROR"> & Partial<SessionBindings>,
    { visit, gateway }: { visit: number | null; gateway?: RenderGateway } = { visit: null },
  ): Promise<FetchResult> {
    this.#countAttempt(request.url);
    const fetcher = new PageFetcher(createExecutionContext(), env as Env);
    const { headers, release } = this.#transfers.open({ invocation, url: request.url, sending, visit });
    const fetching = () => fetcher.fetchPage(request, { ...secrets, ...headers }, gateway).finally(release);
    // The bodies of drawn pages and their scripts are streams of the runtime.
    return visit === null ? fetching() : this.#around.time.native(fetching);
  }

  #openScript(invocation: Invocation, url: string, visit: number) {
    const answer = this.answerOf(url);
    if (answer.kind !== "script") throw new Error(`${url} is no script`);
    this.#countAttempt(url);
    return this.#transfers.open({ invocation, url, sending: scriptSendingOf(answer), visit });
  }

  /** What a URL answers to its next request, or to an earlier one. */
  answerOf(url: string, later = 0): Answer {
    return this.#web(url, Math.max(0, (this.#attempts.get(url) ?? 0) + later), this.#around.time.now());
  }

  /** Throws for a URL that is requested again and again, so that a test ends. */
  expectNoRunaway(): void {
    for (const [url, requests] of this.#attempts)
      if (requests > MAX_REQUESTS && !url.endsWith("/robots.txt"))
        throw new Error(`${url} was requested ${requests} times`);
  }

  #countAttempt(url: string): void {
    this.#attempts.set(url, (this.#attempts.get(url) ?? 0) + 1);
  }

  /** A gate's request for robots.txt. A Durable Object's connections are its own. */
  async fetchRobots(
    origin: string,
    request: RobotsRequest,
    before: RobotsFile | undefined,
    ended: AbortSignal,
  ): Promise<RobotsRead> {
    const { time } = this.#around;
    const url = `${origin}/robots.txt`;
    const hold = await request.holdHost(url);
    const { answer, durationMs } = await this.#request(url, request.timeoutMs, { ended });
    ended.throwIfAborted();
    const isAnswered = answer.kind === "page" || answer.kind === "status" || answer.kind === "robots";
    await hold.release(durationMs, isAnswered);
    const now = time.wall.now();
    if (!isAnswered) {
      const isRow = before !== undefined && "failures" in before && isSameRow(before.retryAt, now);
      const earlier = isRow ? before : { failures: 0, firstAt: now };
      const failures = earlier.failures + 1;
      const trouble = {
        ...request,
        isUndecided: true,
        isRefused: false,
        failures,
        unreachableMs: now - earlier.firstAt,
      };
      const silence = {
        detail: "no answer",
        firstAt: earlier.firstAt,
        failures,
        lastAt: now,
        retryAt: now + robotsRetryDelayMs(failures),
      };
      return {
        file: { state: "unreachable", reason: "timeout", final: isGivenUp(trouble), ...silence },
        durationMs,
        answered: false,
      };
    }
    const isForbidden = answer.kind === "robots" && answer.forbids;
    const groups = isForbidden ? [{ agents: ["*"], allow: [], disallow: ["/"] }] : [];
    const robots = { groups, crawlDelays: [], sitemaps: [] };
    return { file: { state: "read", robots, fetchedAt: now }, durationMs, answered: true };
  }

  /** A gate's request for the file that shows whose host it is: a page if there is one. */
  async fetchProof(origin: string, timeoutMs: number, hold: HostHold): Promise<ProofRead> {
    const { answer, durationMs } = await this.#request(`${origin}${PROOF_PATH}`, timeoutMs);
    const answered = answer.kind === "page" || answer.kind === "status";
    await hold.release(durationMs, answered, 0);
    return { why: answer.kind === "page" ? null : answer.kind, durationMs, bodyBytes: 0, answered, failure: null };
  }

  /** A call of the page fetcher: a service binding. It may fail like any other, and ends with its caller. */
  async serve<T>(invocation: Invocation, work: () => Promise<T>): Promise<T> {
    invocation.startWorker();
    return this.#network.call(invocation, { name: "fetcher", latencyMs: 2, effect: work, isPrompt: true });
  }

  /**
   * As fetch/answer/answer.ts: the time that it measures, and its timeouts, begin before the connection has its place.
   */
  async #fetch(
    { connections }: Invocation,
    url: string,
    timeoutMs: number,
  ): Promise<{ answer: Answer; durationMs: number } | Exclude<SitemapResult, { kind: "sitemap" }>> {
    const { time } = this.#around;
    const startedAt = time.now();
    await connections.take();
    const waitedMs = time.now() - startedAt;
    const patienceMs = Math.min(HEADERS_MS, timeoutMs) - waitedMs;
    if (patienceMs <= 0) {
      connections.release();
      return rejected("timeout", waitedMs, true);
    }
    const { answer } = await this.#request(url, patienceMs, { onHeaders: () => connections.release() });
    const durationMs = time.now() - startedAt;
    switch (answer.kind) {
      case "silence":
        return rejected("timeout", durationMs, true);
      case "reset":
        return rejected("network", durationMs, true);
      case "status": {
        const { status } = answer;
        const facts = { httpStatus: status, detail: String(status), retryable: status >= 500 };
        return { ...rejected("http-status", durationMs, status === 503), ...facts };
      }
      case "redirect": {
        const { target } = answer;
        return { kind: "redirect", httpStatus: 302, durationMs, retryAfterMs: null, target, location: target };
      }
      default:
        return { answer, durationMs };
    }
  }

  async #request(
    url: string,
    patienceMs: number,
    { onHeaders, ended }: { onHeaders?: (() => void) | undefined; ended?: AbortSignal } = {},
  ): Promise<{ answer: Answer; durationMs: number }> {
    const { time } = this.#around;
    const known = this.answerOf(url);
    this.#countAttempt(url);
    const { headersMs = 10, bodyMs = 5 } = known;
    const answer: Answer = headersMs > patienceMs ? { kind: "silence" } : known;
    const startedAt = time.now();
    const request = {
      host: new URL(url).hostname,
      url,
      startedAt,
      endedAt: Number.POSITIVE_INFINITY,
      kind: answer.kind,
      forbids: answer.kind === "robots" && answer.forbids,
      visit: null,
    };
    this.requests.push(request);
    const close = () => {
      request.endedAt = Math.min(request.endedAt, time.now());
    };
    ended?.addEventListener("abort", close);
    await time.sleep(answer.kind === "silence" ? patienceMs : headersMs);
    onHeaders?.();
    if (answer.kind === "page" || answer.kind === "sitemap") await time.sleep(bodyMs);
    close();
    return { answer, durationMs: time.now() - startedAt };
  }
}

import { sha256Of } from "../../../src/archive/sha256.ts";
import type { PageVersion } from "../../../src/changes/page-version.ts";
import type { PageRejected, PageResult, SitemapResult } from "../../../src/crawl/outcome.ts";
import { captureAnswer, capturePage } from "../../../src/fetch/capture-page.ts";
import { ASKS_NOTHING, type PageRequest, type ReadRequest } from "../../../src/fetch/page-request.ts";
import type { RobotsRead, RobotsRequest } from "../../../src/host/robots-file.ts";
import type { RobotsFile } from "../../../src/host/robots-state.ts";
import { isGivenUp, isSameRow, robotsRetryDelayMs } from "../../../src/robots/policy.ts";
import { modelTopic } from "../model-topic.ts";
import type { Invocation } from "./invocation.ts";
import { Network, type Surroundings } from "./network.ts";

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
    }
  | { kind: "sitemap"; pages: string[]; lastmods?: ReadonlyMap<string, number> }
  | { kind: "robots"; forbids: boolean }
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
}

const NONE = { count: 0, examples: [] };

/** As fetch/http.ts: the time that an answer has to begin. */
const HEADERS_MS = 20_000;

export class ModelWeb {
  readonly requests: Requested[] = [];
  readonly #around: Surroundings;
  readonly #network: Network;
  readonly #web: Web;
  readonly #attempts = new Map<string, number>();

  constructor(web: Web, around: Surroundings) {
    this.#web = web;
    this.#around = around;
    this.#network = new Network(around);
  }

  /** The service binding of an invocation to the page fetcher. */
  async fetchPage(invocation: Invocation, request: PageRequest): Promise<PageResult> {
    return this.#service(invocation, async () => {
      const answered = await this.#fetch(invocation, request.url, request.timeoutMs);
      const date = this.#around.time.wall.now();
      return "kind" in answered && answered.kind === "rejected" ? answered : pageOf(answered, request, date);
    });
  }

  async fetchSitemap(invocation: Invocation, { url, timeoutMs }: { url: string; timeoutMs: number }) {
    return this.#service(invocation, async (): Promise<SitemapResult> => {
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
    return this.#service(invocation, async () => {
      const { time } = this.#around;
      const answer = this.#web(request.url, (this.#attempts.get(request.url) ?? 1) - 1, time.now());
      return pageOf({ answer, durationMs: 0 }, { ...ASKS_NOTHING, ...request }, time.wall.now());
    });
  }

  /** What a stored page says. */
  async readVersion(invocation: Invocation, body: Uint8Array): Promise<PageVersion> {
    return this.#service(invocation, async () => versionOf(body));
  }

  /** A gate's request for robots.txt. A Durable Object's connections are its own. */
  async fetchRobots(origin: string, request: RobotsRequest, before: RobotsFile | undefined): Promise<RobotsRead> {
    const { time } = this.#around;
    const url = `${origin}/robots.txt`;
    const hold = await request.holdHost(url);
    const { answer, durationMs } = await this.#request(url, request.timeoutMs);
    const isAnswered = answer.kind === "page" || answer.kind === "status" || answer.kind === "robots";
    await hold.release(durationMs, isAnswered);
    const now = time.wall.now();
    if (!isAnswered) {
      const isRow = before !== undefined && "failures" in before && isSameRow(before.retryAt, now);
      const earlier = isRow ? before : { failures: 0, firstAt: now };
      const failures = earlier.failures + 1;
      const trouble = { ...request, isUndecided: true, failures, unreachableMs: now - earlier.firstAt };
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

  /** A call of a service binding may fail like any other, and ends with its caller. */
  async #service<T>(invocation: Invocation, work: () => Promise<T>): Promise<T> {
    invocation.startWorker();
    return this.#network.call(invocation, { name: "fetcher", latencyMs: 2, effect: work, isPrompt: true });
  }

  /** As fetch/answer.ts: the time that it measures, and its timeouts, begin before the connection has its place. */
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
    const { answer } = await this.#request(url, patienceMs, () => connections.release());
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
    onHeaders?: () => void,
  ): Promise<{ answer: Answer; durationMs: number }> {
    const { time } = this.#around;
    const attempt = this.#attempts.get(url) ?? 0;
    this.#attempts.set(url, attempt + 1);
    const known = this.#web(url, attempt, time.now());
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
    };
    this.requests.push(request);
    await time.sleep(answer.kind === "silence" ? patienceMs : headersMs);
    onHeaders?.();
    if (answer.kind === "page" || answer.kind === "sitemap") await time.sleep(bodyMs);
    request.endedAt = time.now();
    return { answer, durationMs: time.now() - startedAt };
  }
}

function rejected(reason: PageRejected["reason"], durationMs: number, hostFailed: boolean): PageRejected {
  const base = { httpStatus: null, contentType: null, retryAfterMs: null, retryable: true };
  return { ...base, kind: "rejected", reason, detail: reason, durationMs, hostFailed };
}

/** What a page says: the first line of its body. */
export function versionOf(body: Uint8Array): PageVersion {
  const text = new TextDecoder().decode(body).split("\n")[0] ?? "";
  return { title: null, canonical: null, looksMissing: false, blocks: [text], headings: [], rest: null };
}

/** The result as the page fetcher gives it. `date`: milliseconds since the epoch, by the crawler's clock. */
function pageOf(
  answered: { answer: Answer; durationMs: number } | PageResult,
  request: ReadRequest & Pick<PageRequest, "capture" | "validators">,
  date: number,
): PageResult {
  if ("kind" in answered) return answered;
  const { answer, durationMs } = answered;
  const { url, search, asset, assets, capture, validators, topic } = request;
  if (answer.kind !== "page") throw new Error(`${url} is no page`);
  const etag = answer.etag ?? null;
  const headers: [string, string][] = etag === null ? [] : [["etag", etag]];
  if (etag !== null && validators?.etag === etag) {
    const head = { statusText: "Not Modified", date, headers, requestHeaders: [], status: 304, durationMs };
    const known =
      capture === null ? {} : { capture: captureAnswer(url, { ...head, payload: new Uint8Array() }, capture) };
    const facts = { httpStatus: 304, detail: "304", retryable: false, ...known };
    return { ...rejected("not-modified", durationMs, false), ...facts };
  }
  const body = new TextEncoder().encode(answer.body ?? url);
  const page = {
    kind: "page" as const,
    httpStatus: 200,
    durationMs,
    retryAfterMs: null,
    body,
    headers,
    content: null,
    text: search ? (answer.text ?? "") : null,
    version: request.version === null ? null : versionOf(body),
    bytes: body.byteLength,
    capture: null,
    // A real digest, because readers compare the payload with it.
    sha256: sha256Of(body),
    contentType: answer.type ?? "text/html",
    encoding: "utf-8",
    title: url,
    links: asset ? [] : answer.links,
    assets: assets || asset ? (answer.assets ?? []) : [],
    nofollow: { count: 0, examples: [] },
    noindex: answer.noindex ?? null,
    notModified: null,
    sitemaps: [],
    feeds: [],
    truncated: null,
    leftOut: { links: NONE, requisites: NONE, problem: null },
    ...modelTopic(topic, { title: url, text: answer.text ?? "", links: asset ? [] : answer.links }),
  };
  if (capture === null || page.noindex !== null) return page;
  return capturePage(url, page, { statusText: "OK", date, headers, requestHeaders: [] }, capture);
}

import { sha256Of } from "../../archive/sha256.ts";
import type { PageHeaders, PageRedirected, PageRejected } from "../../crawl/page/outcome.ts";
import { canonicalize } from "../../url/canonicalize.ts";
import { hostKey } from "../../url/host-key.ts";
import { readPrivateAccess } from "../../url/private-access.ts";
import { ask, identityOf, type Request, SENT_PLAINLY, senderOf } from "../answer/answer.ts";
import { keepBody } from "../answer/keep-answer.ts";
import type { Readable } from "../answer/readable.ts";
import { ACCEPT_ENCODING, type FetchEnv } from "../transport/http.ts";
import { type AnswerResource, type AskedResource, LOOK_KINDS, NEEDED_KINDS, type ResourceAnswer } from "./drawing.ts";
import { type Exchange, Exchanges } from "./exchanges.ts";
import type { Entry, Refusal, RenderGateway } from "./render-gateway.ts";
import type { CachedAnswer, ResourceCache } from "./resource-cache.ts";

/**
 * Answers the requests of one rendered page: those that it needs for its text are fetched by our own fetcher, one at a
 * time from each host, after the lane has allowed them. The others are refused, and counted by kind.
 */

/** Requests of one page, and bytes of their bodies, decompressed. */
const MAX_REQUESTS = 100;
const MAX_BYTES = 24 * 1024 * 1024;
/** Requests for which a gate is asked, which may have to read a robots.txt first. */
const MAX_ENTRIES = 300;
/** Longer URLs are refused: servers take 8 to 16 kB. In characters. */
const MAX_RESOURCE_URL = 16_384;
/** Images and fonts for a picture of the page leave room for what it needs for its text. */
const MAX_LOOK_REQUESTS = 60;
const MAX_LOOK_BYTES = 8 * 1024 * 1024;
const MAX_RESOURCE_BYTES = 8 * 1024 * 1024;
const MAX_REDIRECTS = 5;
const MAX_HEADER_CHARACTERS = 4_096;

const NEEDED = new Set<string>(NEEDED_KINDS);
const LOOKS = new Set<string>(LOOK_KINDS);
const KEPT_KINDS = new Set(["script", "stylesheet", ...LOOK_KINDS]);
export const ACCEPT: Readonly<Record<string, string>> = {
  document: "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8",
  stylesheet: "text/css,*/*;q=0.1",
  image: "image/avif,image/webp,image/*,*/*;q=0.8",
};
/**
 * The browser's headers that are not ours to send: who asks is the crawl's to say, the fetcher knows its codings, and
 * cookies follow the crawl's own rules.
 */
const OWN =
  /^(?:user-agent|from|cookie|host|connection|content-length|accept|accept-encoding|upgrade-.*|sec-.*|proxy-.*)$/;
/** The body is decoded, and a policy would keep scripts from drawing what we read. */
export const DROPPED = new Set([
  "content-encoding",
  "content-length",
  "transfer-encoding",
  "set-cookie",
  "alt-svc",
  "link",
]);

/** The browser's headers that stand in the archive. Those that scripts set may be a password. */
const RECORDED = ["referer", "origin"];

/** What a page asked for. */
export interface Traffic {
  /** Requests that were sent, redirects included. */
  sent: number;
  /** Bytes of their bodies, decompressed. */
  bytes: number;
  /** Requests that an earlier page of the crawl had sent: their answers were used again. */
  cached: number;
  /** Requests that were not sent, by kind of request or reason. */
  refused: Record<string, number>;
}

/** What the pages of a crawl share. */
interface KeptResources {
  /** Names the crawl. */
  crawl: string;
  /** Whether a picture is taken of pages. */
  screenshot: boolean;
  cache: ResourceCache;
}

export class Resources {
  readonly traffic: Traffic = { sent: 0, bytes: 0, cached: 0, refused: {} };
  readonly exchanges = new Exchanges();
  /** Bytes of bodies from the page's own host, for its bandwidth limit. */
  ownBytes = 0;
  readonly #request: Request;
  readonly #gateway: RenderGateway;
  readonly #env: FetchEnv;
  readonly #kept: KeptResources;
  readonly #lastOf = new Map<string, Promise<unknown>>();
  readonly #answering = new Set<Promise<unknown>>();
  /** Requests for images and fonts, and bytes of their bodies: a part of `traffic`. */
  readonly #looks = { sent: 0, bytes: 0 };
  readonly #leaseLeftMs: () => number;
  #entries = 0;
  #isOver = false;
  readonly #over = Promise.withResolvers<Entry>();

  /** `request`: that of the page. `leaseLeftMs`: how long its requests may take now, all together. */
  constructor(request: Request, gateway: RenderGateway, env: FetchEnv, kept: KeptResources, leaseLeftMs: () => number) {
    this.#leaseLeftMs = leaseLeftMs;
    this.#kept = kept;
    this.#request = request;
    this.#gateway = gateway;
    this.#env = env;
  }

  readonly answer: AnswerResource = async (asked) => {
    const answering = this.#answer(asked);
    this.#answering.add(answering);
    return answering.finally(() => this.#answering.delete(answering));
  };

  async #answer(asked: AskedResource): ReturnType<AnswerResource> {
    const why = this.#isOver ? "limit" : refusalOf(asked, this.#kept.screenshot);
    const found = why === null ? await this.#find(asked) : { refused: why };
    if ("refused" in found) this.#count(found.refused);
    return found;
  }

  async #find(asked: AskedResource): Promise<CachedAnswer | { refused: string }> {
    const { crawl, cache } = this.#kept;
    // Other crawls may send other headers.
    const key = KEPT_KINDS.has(asked.kind) && asked.method === "GET" ? `${crawl} ${asked.url}` : null;
    const known = key === null ? undefined : cache.get(key);
    if (known !== undefined) {
      this.traffic.cached += 1;
      for (const exchange of known.exchanges ?? []) this.exchanges.add(exchange, true);
      return plain(known);
    }
    const exchanges: Exchange[] = [];
    const found = await this.#follow(asked, exchanges);
    for (const exchange of exchanges) this.exchanges.add(exchange);
    if (key !== null && !("refused" in found)) cache.put(key, { ...found, exchanges });
    return found;
  }

  /** Resolves when no request is in flight any more. Others are refused from now on, and those that wait for a gate. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.#over.resolve({ kind: "refused", why: "busy" });
    await Promise.allSettled(this.#answering);
  }

  #count(refused: string): void {
    this.traffic.refused[refused] = (this.traffic.refused[refused] ?? 0) + 1;
  }

  /** `exchanges` gets each of them, redirects included. */
  async #follow(asked: AskedResource, exchanges: Exchange[]): Promise<ResourceAnswer | { refused: string }> {
    let url = canonicalize(asked.url);
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      if (url === null) return { refused: "scheme" satisfies Refusal };
      const here: string = url;
      const answered = await this.#inTurn(hostKey(here), () => this.#send(here, asked, exchanges));
      if (!("location" in answered)) return answered;
      url = answered.location;
    }
    return { refused: "redirects" };
  }

  #hasRoom({ kind }: AskedResource): boolean {
    const { sent, bytes } = this.#looks;
    if (LOOKS.has(kind)) return sent < MAX_LOOK_REQUESTS && bytes < MAX_LOOK_BYTES;
    return this.traffic.sent - sent < MAX_REQUESTS && this.traffic.bytes - bytes < MAX_BYTES;
  }

  /** One request at a time to a host. */
  async #inTurn<T>(host: string, work: () => Promise<T>): Promise<T> {
    const before = this.#lastOf.get(host) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#lastOf.set(host, mine);
    return mine;
  }

  async #send(
    url: string,
    asked: AskedResource,
    exchanges: Exchange[],
  ): Promise<ResourceAnswer | { refused: string } | { location: string | null }> {
    const { traffic } = this;
    if (this.#isOver || !this.#hasRoom(asked) || this.#entries >= MAX_ENTRIES) return { refused: "limit" };
    this.#entries += 1;
    const entry = await Promise.race([this.#gateway.enter(url), this.#over.promise]);
    if (entry.kind === "refused") return { refused: entry.why };
    const leaseMs = this.#leaseLeftMs();
    if (this.#isOver || leaseMs <= 0) return { refused: "busy" satisfies Refusal };
    const isLook = LOOKS.has(asked.kind);
    traffic.sent += 1;
    if (isLook) this.#looks.sent += 1;
    const timeoutMs = Math.min(this.#request.timeoutMs, leaseMs);
    const { mayBePrivate } = entry;
    const { hidesCookies } = this.#request;
    const about = { url, timeoutMs, mayBePrivate, hidesCookies };
    const request: Request = { ...SENT_PLAINLY, ...senderOf(this.#request), ...about };
    // Where the operator allows all, the gateway does not.
    const env = { ...this.#env, ALLOW_PRIVATE: readPrivateAccess(this.#env.ALLOW_PRIVATE) === "none" ? "" : "seeds" };
    const accept = ACCEPT[asked.kind] ?? "*/*";
    const { answer, outcome, exchange } = await fetchResource(
      request,
      { accept, ...sentHeaders(asked), ...entry.headers },
      env,
      recordedHeaders(asked, accept, request),
    );
    if (exchange !== null) exchanges.push(exchange);
    traffic.bytes += answer?.body.byteLength ?? 0;
    if (isLook) this.#looks.bytes += answer?.body.byteLength ?? 0;
    if (hostKey(url) === hostKey(this.#request.url)) this.ownBytes += answer?.body.byteLength ?? 0;
    const { durationMs, httpStatus, retryAfterMs, setCookies } = outcome;
    // Nobody can tell whether the host would have answered in time.
    const isCut = outcome.kind === "rejected" && outcome.reason === "timeout" && timeoutMs < this.#request.timeoutMs;
    const failed = outcome.kind === "rejected" && !isCut ? outcome : { hostFailed: false, dropped: false, detail: "" };
    await this.#gateway.leave(url, {
      ...{ durationMs, httpStatus, retryAfterMs, bodyBytes: answer?.body.byteLength ?? 0 },
      ...{ hostFailed: failed.hostFailed, dropped: failed.dropped ?? false, detail: failed.detail },
      ...(setCookies === undefined ? {} : { setCookies }),
    });
    if (outcome.kind === "redirect") return { location: outcome.target };
    if (answer !== null) return answer;
    return { refused: outcome.kind === "rejected" ? outcome.reason : "network" };
  }
}

/** The word under which a request is refused without being asked for; null if it may be sent. */
function refusalOf({ kind, method, url }: AskedResource, screenshot: boolean): string | null {
  if (!/^https?:/.test(url)) return "scheme" satisfies Refusal;
  if (url.length > MAX_RESOURCE_URL) return "limit" satisfies Refusal;
  if (!NEEDED.has(kind) && !(screenshot && LOOKS.has(kind))) return kind;
  return method === "GET" || method === "HEAD" ? null : ("method" satisfies Refusal);
}

export function sentHeaders({ headers }: Pick<AskedResource, "headers">): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => !OWN.test(name) && value.length <= MAX_HEADER_CHARACTERS),
  );
}

/** The answer without what only the archive needs: it goes to another invocation. */
function plain({ status, headers, body }: CachedAnswer): ResourceAnswer {
  return { status, headers, body };
}

/** The headers of the request, without the crawl's own, cookies, and those that scripts set. */
function recordedHeaders({ headers }: AskedResource, accept: string, request: Request): PageHeaders {
  const sent = RECORDED.flatMap((name): PageHeaders => {
    const value = headers[name];
    return value === undefined ? [] : [[name, value]];
  });
  return [...Object.entries({ accept, ...ACCEPT_ENCODING, ...identityOf(request) }), ...sent];
}

type Fetched =
  | PageRejected
  | PageRedirected
  | { kind: "resource"; httpStatus: number; durationMs: number; retryAfterMs: null; setCookies?: string[] };

/** `answer`: null for a redirect, and where no answer came. The body of an error is an answer, for scripts read it. */
async function fetchResource(
  request: Request,
  headers: Readonly<Record<string, string>>,
  env: FetchEnv,
  requestHeaders: PageHeaders,
): Promise<{ outcome: Fetched; answer: ResourceAnswer | null; exchange: Exchange | null }> {
  let answer: ResourceAnswer | null = null;
  let exchange: Exchange | null = null;
  const keep = async ({ response, startedAt: date, signal, received, deadline }: Readable): Promise<void> => {
    const body = await keepBody(response, MAX_RESOURCE_BYTES, signal);
    const { payload } = body;
    received.bytes = payload.byteLength;
    const { status, statusText } = response;
    // Cookies stay out of the archive.
    const all: PageHeaders = [...response.headers].filter(([name]) => name !== "set-cookie");
    const head = { url: request.url, status, statusText, headers: all, date, requestHeaders };
    exchange = { ...head, ...body, sha256: sha256Of(payload), durationMs: deadline.elapsed() };
    const headers: PageHeaders = [...response.headers].filter(([name]) => !DROPPED.has(name));
    answer = { status: response.status, headers, body: payload };
  };
  const outcome: Fetched = await ask<Extract<Fetched, { kind: "resource" }>>(
    request,
    headers,
    env,
    async (readable) => {
      await keep(readable);
      const { response, deadline } = readable;
      return { kind: "resource", httpStatus: response.status, durationMs: deadline.elapsed(), retryAfterMs: null };
    },
    async (readable) => {
      await keep(readable);
      return null;
    },
  );
  return { outcome, answer: outcome.kind === "redirect" ? null : answer, exchange };
}

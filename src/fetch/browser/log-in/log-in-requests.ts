import { systemClock } from "../../../core/clock.ts";
import { isLogInHost } from "../../../crawl/log-in.ts";
import type { PageHeaders } from "../../../crawl/page/outcome.ts";
import { findAction } from "../../../scope/action-links.ts";
import { MAX_URL_LENGTH } from "../../../url/canonicalize.ts";
import { hostKey, hostOf } from "../../../url/host-key.ts";
import { blameFor, identityOf, type Sender } from "../../answer/answer.ts";
import { keepBody } from "../../answer/keep-answer.ts";
import { retryAfterMs } from "../../answer/retry-after.ts";
import { type FetchEnv, get, NetworkFailure } from "../../transport/http.ts";
import { LOOK_KINDS, NEEDED_KINDS, type ResourceAnswer } from "../drawing.ts";
import type { Refusal, RenderGateway, ResourceAnswered } from "../render-gateway.ts";
import { ACCEPT, DROPPED, sentHeaders } from "../resources.ts";
import type { AnswerLogIn, AskedByLogIn } from "./log-in-drawing.ts";

/**
 * Answers the requests of a log-in's pages: each is sent by our own fetcher, after the gate of its host has allowed it.
 * Documents come from the hosts of the log-in alone, and only there cookies, headers of the session and POST go.
 */

/** Requests of one log-in, and bytes of their bodies, decompressed. */
const MAX_REQUESTS = 150;
const MAX_BYTES = 24 * 1024 * 1024;
const MAX_LOG_IN_BODY = 8 * 1024 * 1024;
const MAX_POST_BYTES = 1024 * 1024;

const KINDS = new Set<string>([...NEEDED_KINDS, ...LOOK_KINDS]);

/** Who logs in, and where. */
export interface LogInSender extends Sender {
  /** The hosts of the log-in, as `matchesHost` reads them. */
  hosts: readonly string[];
  /** Timeout of one request, in milliseconds. */
  timeoutMs: number;
}

const WHY: Record<Refusal, string> = {
  robots: "robots.txt forbids it, or cannot be read",
  busy: "the host rests, or others have it now: try again later",
  "private-address": "it is a private address",
  method: "only GET and POST are sent",
  action: "it looks as if it changed something",
  limit: "the pages ask for more than a log-in may",
  scheme: "it is no http or https URL",
};

export class LogInRequests {
  /** Requests that were sent. */
  sent = 0;
  /** Whether a host had no time. */
  wasBusy = false;
  readonly #sender: LogInSender;
  readonly #gateway: RenderGateway;
  readonly #env: FetchEnv;
  readonly #leaseLeftMs: () => number;
  readonly #lastOf = new Map<string, Promise<unknown>>();
  readonly #answering = new Set<Promise<unknown>>();
  #bytes = 0;
  #isOver = false;

  constructor(sender: LogInSender, gateway: RenderGateway, env: FetchEnv, leaseLeftMs: () => number) {
    this.#sender = sender;
    this.#gateway = gateway;
    this.#env = env;
    this.#leaseLeftMs = leaseLeftMs;
  }

  readonly answer: AnswerLogIn = async (asked) => {
    const answering = this.#inTurn(asked);
    this.#answering.add(answering);
    return answering.finally(() => this.#answering.delete(answering));
  };

  /** Resolves when no request is in flight any more. Others are refused from now on. */
  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.allSettled(this.#answering);
  }

  /** One request at a time to a host. */
  async #inTurn(asked: AskedByLogIn): ReturnType<AnswerLogIn> {
    const why = this.#whyNot(asked);
    if (why !== null) return { refused: why };
    const host = hostKey(asked.url);
    const before = this.#lastOf.get(host) ?? Promise.resolve();
    const send = async () => this.#send(asked);
    const mine = before.then(send, send);
    this.#lastOf.set(host, mine);
    return mine;
  }

  /** Why it is not sent, for people; null if it may be. */
  #whyNot({ url, method, kind, isDocument, from, body }: AskedByLogIn): string | null {
    if (this.#isOver) return WHY.limit;
    if (!/^https?:/.test(url)) return WHY.scheme;
    if (url.length > 4 * MAX_URL_LENGTH || (body?.byteLength ?? 0) > MAX_POST_BYTES) return WHY.limit;
    if (!KINDS.has(kind)) return `a log-in needs no ${kind}`;
    const host = hostOf(url);
    const isOurs = isLogInHost(this.#sender.hosts, host);
    if (isDocument && !isOurs) return `it leads to ${host}, which is no host of the log-in: name it in "hosts"`;
    if (method === "POST" && !(isOurs && (from === "" || isLogInHost(this.#sender.hosts, from))))
      return `POST goes to hosts of the log-in alone, and ${host} is none: name it in "hosts"`;
    if (method !== "GET" && method !== "HEAD" && method !== "POST") return WHY.method;
    if (!isDocument && method !== "POST" && findAction({ url }) !== null) return WHY.action;
    return null;
  }

  async #send(asked: AskedByLogIn): ReturnType<AnswerLogIn> {
    if (this.sent >= MAX_REQUESTS || this.#bytes >= MAX_BYTES) return { refused: WHY.limit };
    const { url } = asked;
    const entry = await this.#gateway.enter(url);
    if (entry.kind === "refused" && entry.why === "busy") this.wasBusy = true;
    if (entry.kind === "refused") return { refused: `${hostOf(url)}: ${WHY[entry.why]}` };
    const leftMs = this.#leaseLeftMs();
    if (this.#isOver || leftMs <= 0) return { refused: WHY.busy };
    this.sent += 1;
    const { answer, answered, why } = await this.#fetch(asked, entry.headers, entry.mayBePrivate, leftMs);
    this.#bytes += answer?.body.byteLength ?? 0;
    await this.#gateway.leave(url, answered);
    return answer ?? { refused: why };
  }

  async #fetch(
    asked: AskedByLogIn,
    secrets: Readonly<Record<string, string>>,
    mayBePrivate: boolean,
    leftMs: number,
  ): Promise<{ answer: ResourceAnswer | null; answered: ResourceAnswered; why: string }> {
    const { url, method, kind, cookie, body } = asked;
    const startedAt = systemClock.now();
    const signal = AbortSignal.timeout(Math.min(this.#sender.timeoutMs, leftMs));
    const isOurs = isLogInHost(this.#sender.hosts, hostOf(url));
    const headers = {
      accept: ACCEPT[kind] ?? "*/*",
      ...sentHeaders(asked),
      ...secrets,
      ...(isOurs && cookie !== "" ? { cookie } : {}),
      ...identityOf(this.#sender),
    };
    const post = method === "POST" ? (body ?? new Uint8Array(0)) : null;
    const base = { retryAfterMs: null, hostFailed: false, dropped: false, detail: "" };
    try {
      const response = await get({ url, headers, post, mayBePrivate }, signal, this.#env);
      const { payload } = await keepBody(response, MAX_LOG_IN_BODY, signal);
      if (!response.bodyUsed) await response.body?.cancel();
      const { status } = response;
      const kept: PageHeaders = [...response.headers].filter(([name]) => !DROPPED.has(name));
      const set = isOurs ? response.headers.getSetCookie().map((value): [string, string] => ["set-cookie", value]) : [];
      const isOverloaded = status === 429 || status === 503;
      const answered: ResourceAnswered = {
        ...base,
        durationMs: systemClock.now() - startedAt,
        bodyBytes: payload.byteLength,
        httpStatus: status,
        retryAfterMs: isOverloaded ? retryAfterMs(response.headers.get("retry-after"), startedAt) : null,
        hostFailed: isOverloaded,
        detail: isOverloaded ? `it answered ${status}` : "",
      };
      return { answer: { status, headers: [...kept, ...set], body: payload }, answered, why: "" };
    } catch (error) {
      if (!(error instanceof NetworkFailure)) throw error;
      const { hostFailed = false, dropped = false } = blameFor(error, false);
      const isRefused = error.reason === "private-address" || error.reason === "ip-address";
      const answered: ResourceAnswered = {
        ...base,
        ...(isRefused ? {} : { hostFailed, dropped }),
        durationMs: systemClock.now() - startedAt,
        bodyBytes: 0,
        httpStatus: null,
        detail: error.message,
      };
      return { answer: null, answered, why: `${hostOf(url)} does not answer: ${error.reason}` };
    }
  }
}

import { systemClock } from "../../core/clock.ts";
import { MAX_URL_LENGTH } from "../../url/canonicalize.ts";
import type { Send } from "./devtools.ts";
import type { AnswerResource, AskedResource, DrawRequest, ResourceAnswer } from "./drawing.ts";
import type { PausedRequest } from "./tab.ts";
import { type Fail, TabRequests } from "./tab-requests.ts";

/** The requests of one page: each is answered by the page fetcher, or refused. The browser sends none. */

/** URLs to which scripts wanted to lead. */
const MAX_WAYS = 100;

export class PageTraffic extends TabRequests {
  /** Number of times that the page wanted to lead elsewhere. */
  navigations = 0;
  /** The longest time that the browser took to say that it has an answer, in milliseconds. */
  slowestMs = 0;
  readonly #request: DrawRequest;
  readonly #answer: AnswerResource;
  readonly #ways = new Set<string>();
  #isFirst = true;

  constructor(request: DrawRequest, answer: AnswerResource) {
    super();
    this.#request = request;
    this.#answer = answer;
  }

  /** `href`: the address that the page shows. */
  waysWith(href: string): string[] {
    return [...this.#ways, ...(href === this.#request.url ? [] : [href])];
  }

  protected async handle(
    { requestId, request, resourceType }: PausedRequest,
    send: Send,
    fail: Fail,
    isMainDocument: boolean,
  ): Promise<void> {
    if (this.isOver) return fail("Aborted");
    if (isMainDocument && this.#isFirst) {
      this.#isFirst = false;
      return this.#fulfil(requestId, this.#request.answer, send);
    }
    const url = `${request.url}${request.urlFragment ?? ""}`;
    // The page stays: where a script leads is a link of it.
    if (isMainDocument) {
      this.navigations += 1;
      // A form that sends POST has no address to visit.
      const isWay = request.method === "GET" && url.length <= MAX_URL_LENGTH && this.#ways.size < MAX_WAYS;
      if (isWay) this.#ways.add(url);
      return fail("Aborted");
    }
    const asked = toAsked(request, resourceType);
    if (asked.method === "OPTIONS") return this.#fulfil(requestId, preflight(asked), send);
    const found = await this.#answer(asked);
    if ("refused" in found) return fail("BlockedByClient");
    return this.#fulfil(requestId, found, send);
  }

  async #fulfil(requestId: string, answer: ResourceAnswer, send: Send): Promise<void> {
    const sentAt = systemClock.now();
    await send("Fetch.fulfillRequest", { requestId, ...toFulfil(answer) });
    this.slowestMs = Math.max(this.slowestMs, systemClock.now() - sentAt);
  }
}

export function toAsked({ url, method, headers }: PausedRequest["request"], type: string): AskedResource {
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  // Its type is that of a fetch. Scripts cannot set this header.
  const kind = named["sec-purpose"] === undefined ? type.toLowerCase() : "prefetch";
  return { url, method, kind, headers: named };
}

/**
 * What is sent is a GET, or the POST of a log-in, so a preflight asks the server nothing that matters: the answer says
 * who may read it.
 */
export function preflight({ headers }: AskedResource, methods = "GET, HEAD"): ResourceAnswer {
  return {
    status: 204,
    headers: [
      ["access-control-allow-origin", headers.origin ?? "*"],
      ["access-control-allow-credentials", "true"],
      ["access-control-allow-methods", methods],
      ["access-control-allow-headers", headers["access-control-request-headers"] ?? ""],
    ],
    body: new Uint8Array(0),
  };
}

export function toFulfil({ status, headers, body }: ResourceAnswer) {
  const length = { name: "content-length", value: String(body.byteLength) };
  return {
    responseCode: status,
    responseHeaders: [...headers.map(([name, value]) => ({ name, value })), length],
    body: Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("base64"),
  };
}

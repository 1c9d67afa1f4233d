import { systemClock } from "../../../core/clock.ts";
import { hostOf } from "../../../url/host-key.ts";
import type { Send } from "../devtools.ts";
import { preflight, toAsked, toFulfil } from "../page-traffic.ts";
import type { PausedRequest, TabListener } from "../tab.ts";
import type { AnswerLogIn } from "./log-in-drawing.ts";

/**
 * The requests of a log-in. Unlike a page that is drawn, it leads on: documents come from the caller too, and the
 * browser follows redirects itself, so that it has the cookies and addresses that each page expects.
 */
export class LogInTraffic implements TabListener {
  /** Requests that wait for an answer. */
  inFlight = 0;
  /** Requests that got one, or none. */
  answers = 0;
  /** Why the last document was refused, for people; null if it was not. */
  refused: string | null = null;
  /** The status of the last document. */
  status: number | null = null;
  readonly #answer: AnswerLogIn;
  #from = "";
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor(answer: AnswerLogIn) {
    this.#answer = answer;
  }

  onRequest(paused: PausedRequest, send: Send, isMainDocument: boolean): void {
    this.inFlight += 1;
    void this.#handle(paused, send, isMainDocument)
      .catch(() =>
        send("Fetch.failRequest", { requestId: paused.requestId, errorReason: "Failed" }).catch(() => undefined),
      )
      .finally(() => {
        this.inFlight -= 1;
        this.answers += 1;
        if (this.inFlight === 0) this.#wake?.();
      });
  }

  /** Resolves when no request is in flight, or after `maxMs`. */
  async silence(maxMs: number): Promise<void> {
    if (this.inFlight === 0) return;
    await Promise.race([new Promise<void>((resolve) => (this.#wake = resolve)), systemClock.sleep(maxMs)]);
  }

  /** Refuses all requests from now on. */
  end(): void {
    this.#isOver = true;
  }

  async #handle({ requestId, request, resourceType }: PausedRequest, send: Send, isDocument: boolean): Promise<void> {
    const refuse = async () => send("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" });
    if (this.#isOver) return refuse();
    const asked = toAsked(request, resourceType);
    if (asked.method === "OPTIONS")
      return send("Fetch.fulfillRequest", { requestId, ...toFulfil(preflight(asked, "GET, HEAD, POST")) });
    const { cookies } = await send("Network.getCookies", { urls: [request.url] });
    // RFC 6265bis, section 5.8.3: longer paths first.
    const sorted = cookies.toSorted((a, b) => b.path.length - a.path.length);
    const cookie = sorted.map(({ name, value }) => (name === "" ? value : `${name}=${value}`)).join("; ");
    const body = bodyOf(request);
    const found = await this.#answer({ ...asked, cookie, body, from: this.#from, isDocument });
    if ("refused" in found) {
      if (isDocument) this.refused = found.refused;
      return refuse();
    }
    if (isDocument) {
      this.refused = null;
      this.status = found.status;
      this.#from = hostOf(request.url);
    }
    await send("Fetch.fulfillRequest", { requestId, ...toFulfil(found) });
  }
}

function bodyOf({ postData, postDataEntries }: PausedRequest["request"]): Uint8Array | null {
  const parts = postDataEntries?.map(({ bytes = "" }) => Buffer.from(bytes, "base64"));
  if (parts !== undefined && parts.length > 0) return new Uint8Array(Buffer.concat(parts));
  return postData === undefined ? null : new TextEncoder().encode(postData);
}

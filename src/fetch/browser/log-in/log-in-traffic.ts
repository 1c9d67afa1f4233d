import { hostOf } from "../../../url/host-key.ts";
import type { Send } from "../devtools.ts";
import { preflight, toAsked, toFulfil } from "../page-traffic.ts";
import type { PausedRequest } from "../tab.ts";
import { type Fail, TabRequests } from "../tab-requests.ts";
import type { AnswerLogIn } from "./log-in-drawing.ts";

/**
 * The requests of a log-in. Unlike a page that is drawn, it leads on: documents come from the caller too, and the
 * browser follows redirects itself, so that it has the cookies and addresses that each page expects.
 */
export class LogInTraffic extends TabRequests {
  /** Why the last document was refused, for people; null if it was not. */
  refused: string | null = null;
  /** The status of the last document. */
  status: number | null = null;
  readonly #answer: AnswerLogIn;
  #from = "";

  constructor(answer: AnswerLogIn) {
    super();
    this.#answer = answer;
  }

  protected async handle(
    { requestId, request, resourceType }: PausedRequest,
    send: Send,
    fail: Fail,
    isDocument: boolean,
  ): Promise<void> {
    if (this.isOver) return fail("BlockedByClient");
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
      return fail("BlockedByClient");
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

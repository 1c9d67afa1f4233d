import type { Truncated } from "../../archive/warc-record.ts";
import type { Capture, PageHeaders } from "../../crawl/page/outcome.ts";
import { startsAsText } from "../../media/kind/sniff.ts";
import { NOT_MODIFIED } from "../request/conditional.ts";
import { NetworkFailure } from "../transport/http.ts";
import { FREE_BODY_BYTES, readBody, unknownCoding } from "../transport/read-body.ts";
import { type CaptureRequest, captureAnswer } from "./capture-page.ts";
import { storableHeaders } from "./kept-headers.ts";
import type { Readable } from "./readable.ts";

/** Makes the records of answers that the crawl does not read: redirects and errors. */

export interface KeptBody {
  payload: Uint8Array;
  /** Why it is incomplete; absent if it is complete. */
  truncated?: Truncated;
}

/**
 * Reads at most 512 KiB of the body. A body that fails does not change the outcome. A 304 says something of a stored
 * answer alone: null unless this is a visit of a stored page.
 */
export async function keepAnswer(
  asked: { url: string; hidesCookies: boolean },
  { response, startedAt: date, received, signal, deadline }: Readable,
  requestHeaders: PageHeaders | null,
  request: CaptureRequest,
  isVisit = false,
): Promise<Capture | null> {
  if (response.status === NOT_MODIFIED && !isVisit) return null;
  const body = await keepBody(response, FREE_BODY_BYTES, signal);
  received.bytes = body.payload.byteLength;
  const { status, statusText } = response;
  const head = { status, statusText, headers: storableHeaders(response, asked), date, requestHeaders };
  return captureAnswer(asked.url, { ...head, ...body, durationMs: deadline.elapsed() }, request);
}

/**
 * Reads at most `limit` bytes of a body, decoded, and what has come of a broken one. A body in an unknown coding is
 * kept if it is text, as a browser shows it. Never throws for what a server does.
 */
export async function keepBody(response: Response, limit: number, signal: AbortSignal): Promise<KeptBody> {
  const none = new Uint8Array(0);
  try {
    const { bytes: payload, complete, truncated } = await readBody(response, limit, signal, { keepBroken: true });
    const isEncoded = unknownCoding(response) !== null;
    if (isEncoded && !startsAsText(payload, null)) return { payload: none, truncated: "unspecified" };
    if (!complete) return { payload, truncated: "length" };
    return truncated === null ? { payload } : { payload, truncated };
  } catch (error) {
    if (!(error instanceof NetworkFailure)) throw error;
    return { payload: none, truncated: error.reason === "timeout" ? "time" : "disconnect" };
  }
}

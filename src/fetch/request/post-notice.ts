import { systemClock } from "../../core/clock.ts";
import { retryAfterMs } from "../answer/retry-after.ts";
import { type FetchEnv, messageOf, NetworkFailure, networkFor, refuseAddress } from "../transport/http.ts";

/** One POST of a notice to a receiver. */

export interface NoticeRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface NoticeAnswer {
  /** Null if no answer came. */
  status: number | null;
  retryAfterMs: number | null;
  /** Why there is no success, for people; null if there is. */
  detail: string | null;
}

/**
 * Real time for a whole answer: 15 to 30 s are recommended.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#request-timeouts
 */
const NOTICE_TIMEOUT_MS = 15_000;
/** Bytes of an answer's body that are read, and discarded, so that the connection can be used again. */
const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * Sends a notice. Redirects are not followed, and a private address gets no request, as in http.ts. A status of 200 to
 * 299 is success. Never throws.
 */
export async function postNotice({ url, headers, body }: NoticeRequest, env: FetchEnv): Promise<NoticeAnswer> {
  const signal = AbortSignal.timeout(NOTICE_TIMEOUT_MS);
  try {
    // The operator has named it.
    const named = { url, mayBePrivate: true };
    await refuseAddress(named, env, signal);
    const response = await networkFor(named, env).fetch(url, {
      method: "POST",
      redirect: "manual",
      headers,
      body,
      signal,
    });
    await discard(response);
    const { status, ok } = response;
    const after = retryAfterMs(response.headers.get("retry-after"), systemClock.now());
    return { status, retryAfterMs: after, detail: ok ? null : describeStatus(status) };
  } catch (error) {
    return { status: null, retryAfterMs: null, detail: describeFailure(error, signal) };
  }
}

/** Reads a little of the body. What breaks in it matters to nobody: the status has come. */
async function discard({ body }: Response): Promise<void> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (let bytes = 0; bytes < MAX_ANSWER_BYTES; ) {
      const { done, value } = await reader.read();
      if (done) return;
      bytes += value.byteLength;
    }
    await reader.cancel();
  } catch {
    await reader.cancel().catch(() => undefined);
  }
}

function describeStatus(status: number): string {
  if (status === 410) return "it answered 410: it wants no further notices";
  return status >= 300 && status < 400
    ? `it answered ${status}, and redirects are not followed`
    : `it answered ${status}`;
}

function describeFailure(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return `it did not answer within ${NOTICE_TIMEOUT_MS / 1_000} s`;
  if (error instanceof NetworkFailure && error.reason === "private-address")
    return `${error.message} is a private address, which gets no notice`;
  if (error instanceof NetworkFailure && error.reason === "ip-address")
    return `${error.message} is an IP address, which Cloudflare does not fetch`;
  return messageOf(error).replace(/; reference = \S+/, "");
}

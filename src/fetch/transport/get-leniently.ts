import { signatureHeaders } from "../request/sign-request.ts";
import { allowedAddresses, type FetchEnv, NetworkFailure, type NetworkReason } from "./http.ts";

/**
 * Asks again for an answer that the runtime has refused, by the diagnosis service of this machine
 * (src/cli/installation/diagnosis.ts), which reads answers leniently. The caller waits for another turn of the host's
 * gate first.
 */

/** What the service answers: one line of JSON, and after it the body. */
type Head =
  | { unreadable: NetworkReason | "dropped"; detail: string }
  | {
      status: number;
      statusText: string;
      headers: [name: string, value: string][];
      /** How the body breaks off; null if it is whole. */
      broken: string | null;
      fault: string | null;
    };

interface LenientAnswer {
  response: Response;
  /** What is wrong with the answer, for people; null if nothing. */
  fault: string | null;
}

const LINE_END = 0x0a;
/** `new Response` throws if such a status has a body: https://fetch.spec.whatwg.org/#null-body-status */
export const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** What the service gets. */
interface LenientRequest {
  url: string;
  headers: Record<string, string>;
  /** As in Request. */
  mayBePrivate: boolean;
  /** The service does not see the signal of its caller. It ends its request before that time, in milliseconds. */
  timeoutMs: number;
}

/** Like `get`, by the diagnosis service. Throws NetworkFailure, which says what was wrong. */
export async function getLeniently(
  asked: LenientRequest,
  signal: AbortSignal,
  env: FetchEnv,
  diagnosis: Fetcher,
): Promise<LenientAnswer> {
  const { mayBePrivate, ...request } = asked;
  const addresses = await allowedAddresses(asked, env, signal);
  let bytes: Uint8Array;
  try {
    const headers = { ...asked.headers, ...(await signatureHeaders(asked.url, env)) };
    const post = { method: "POST", body: JSON.stringify({ ...request, headers, addresses }), signal };
    bytes = new Uint8Array(await (await diagnosis.fetch("http://diagnosis/answer", post)).arrayBuffer());
  } catch (error) {
    if (signal.aborted) throw new NetworkFailure("timeout", "no answer in time");
    throw error;
  }
  const headEnd = bytes.indexOf(LINE_END);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(0, headEnd))) as Head;
  if ("unreadable" in head) {
    if (head.unreadable === "dropped") throw new NetworkFailure("connection", head.detail, true);
    throw new NetworkFailure(head.unreadable, head.detail);
  }
  const { status, statusText, broken, fault } = head;
  const sent = new Headers();
  for (const [name, value] of head.headers) sent.append(name, value);
  const content = bytes.subarray(headEnd + 1);
  const body = BODILESS.has(status) ? null : broken === null ? content : breakOff(content, broken);
  // The constructor throws for characters that a reason phrase must not have (RFC 9112, section 4).
  const phrase = statusText.replace(/[^\t\x20-\x7e\x80-\xff]/g, "?");
  return { response: new Response(body, { status, statusText: phrase, headers: sent, encodeBody: "manual" }), fault };
}

/** A stream that fails after these bytes. */
function breakOff(bytes: Uint8Array, why: string): ReadableStream<Uint8Array> {
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  const written = bytes.length === 0 ? Promise.resolve() : writer.write(bytes);
  // It fails where the reader has stopped before.
  void written.then(() => writer.abort(new Error(why))).catch(() => undefined);
  return readable;
}

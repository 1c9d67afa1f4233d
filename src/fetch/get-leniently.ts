import { NetworkFailure } from "./http.ts";

/**
 * Asks again for an answer that the runtime has refused, by the diagnosis service of this machine
 * (src/cli/diagnosis.ts), which reads answers leniently. The caller waits for another turn of the host's gate first.
 */

/** What the service answers: one line of JSON, and after it the body. */
type Head =
  | { unreadable: "connection" | "parse"; detail: string }
  | { status: number; statusText: string; headers: [name: string, value: string][]; fault: string | null };

interface LenientAnswer {
  response: Response;
  /** What is wrong with the answer, for people; null if nothing. */
  fault: string | null;
}

const LINE_END = 0x0a;

/** `url` has just been asked for by `get`, which checks addresses. Throws NetworkFailure, which says what was wrong. */
export async function getLeniently(
  url: string,
  headers: Record<string, string>,
  signal: AbortSignal,
  diagnosis: Fetcher,
): Promise<LenientAnswer> {
  let bytes: Uint8Array;
  try {
    const request = { method: "POST", body: JSON.stringify({ url, headers }), signal };
    bytes = new Uint8Array(await (await diagnosis.fetch("http://diagnosis/answer", request)).arrayBuffer());
  } catch (error) {
    if (signal.aborted) throw new NetworkFailure("timeout", "no answer in time");
    throw error;
  }
  const headEnd = bytes.indexOf(LINE_END);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(0, headEnd))) as Head;
  if ("unreadable" in head) throw new NetworkFailure(head.unreadable, head.detail, head.unreadable === "connection");
  const { status, statusText, fault } = head;
  const sent = new Headers();
  for (const [name, value] of head.headers) sent.append(name, value);
  const body = status === 204 || status === 304 ? null : bytes.subarray(headEnd + 1);
  // The constructor throws for characters that a reason phrase must not have (RFC 9112, section 4).
  const phrase = statusText.replace(/[^\t\x20-\x7e\x80-\xff]/g, "?");
  return { response: new Response(body, { status, statusText: phrase, headers: sent, encodeBody: "manual" }), fault };
}

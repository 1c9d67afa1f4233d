import { clockOf, systemClock } from "../core/clock.ts";
import { identityOf } from "../fetch/answer/answer.ts";
import { retryAfterMs } from "../fetch/answer/retry-after.ts";
import { type FetchEnv, get, NetworkFailure } from "../fetch/transport/http.ts";
import { readBody } from "../fetch/transport/read-body.ts";
import type { HostHold, RobotsRequest } from "./robots-file.ts";

/** The proofs by which a host names an installation as its owner's: a file of its own, or a DNS record. */

export const PROOF_PATH = "/.well-known/orbweaver";
/** More proves nothing: the file has a few keys. */
const MAX_PROOF_BYTES = 8_192;
/** A page that answers to everything, and may repeat what it was sent, is no such file. */
const PROOF_TYPES = new Set(["", "text/plain", "application/octet-stream"]);

/** The name of the TXT record. */
export function proofNameOf(hostname: string): string {
  return `_orbweaver.${hostname}`;
}

/** Whether a text names one of the keys: each stands on a line of its own. */
export function namesKey(text: string, keys: readonly string[]): boolean {
  return text.split(/[\r\n]+/).some((line) => keys.includes(line.trim()));
}

export interface ProofRead {
  /** Why it proves nothing, for people; null if it names a key. */
  why: string | null;
  /** Real duration of the request. */
  durationMs: number;
  bodyBytes: number;
  answered: boolean;
  /** What a 429 or 503 says of the host; null for any other answer. */
  failure: { retryAfterMs: number | null; why: string } | null;
}

/**
 * Asks an origin for its file, once its host is held. A redirect is not followed: whoever can write the file can put it
 * where it is asked for. Never throws for what a server does.
 */
export async function fetchProof(
  origin: string,
  request: Pick<RobotsRequest, "userAgent" | "from" | "timeoutMs" | "privateHosts">,
  hold: HostHold,
  keys: readonly string[],
  env: FetchEnv,
): Promise<ProofRead> {
  const url = `${origin}${PROOF_PATH}`;
  const read: ProofRead = { why: null, durationMs: 0, bodyBytes: 0, answered: false, failure: null };
  const startedAt = systemClock.now();
  try {
    const signal = AbortSignal.timeout(request.timeoutMs);
    const headers = { accept: "text/plain", ...identityOf(request) };
    const mayBePrivate = request.privateHosts.includes(new URL(url).host);
    const response = await get({ url, headers, mayBePrivate }, signal, env);
    read.answered = true;
    const { status } = response;
    if (status === 429 || status === 503) {
      const now = clockOf(env).now();
      read.failure = { retryAfterMs: retryAfterMs(response.headers.get("retry-after"), now), why: `status ${status}` };
    }
    const [type = ""] = (response.headers.get("content-type") ?? "").split(";");
    if (status !== 200 || !PROOF_TYPES.has(type.trim().toLowerCase())) {
      await response.body?.cancel();
      read.why = status === 200 ? `${url} is no plain text` : `${url} answered ${status}`;
      return read;
    }
    const { bytes, complete } = await readBody(response, MAX_PROOF_BYTES + 1, signal);
    read.bodyBytes = bytes.byteLength;
    if (!complete || bytes.byteLength > MAX_PROOF_BYTES) read.why = `${url} has more than ${MAX_PROOF_BYTES} bytes`;
    else if (!namesKey(new TextDecoder().decode(bytes), keys)) read.why = `${url} does not name the key`;
  } catch (error) {
    if (!(error instanceof NetworkFailure)) throw error;
    read.why = `${url} gave no answer: ${error.message}`;
  } finally {
    read.durationMs = systemClock.now() - startedAt;
    await hold.release(read.durationMs, read.answered, read.bodyBytes);
  }
  return read;
}

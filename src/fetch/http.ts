import type { Reason } from "../crawl/reason.ts";
import { isAddress, isPublicHost } from "../url/public-address.ts";
import { resolve } from "./resolver.ts";

/** One HTTP GET of a crawler: redirects are answers, time and bytes are limited, and a failure has a reason. */

type NetworkReason = Extract<
  Reason,
  "dns" | "connection" | "tls" | "timeout" | "network" | "private-address" | "ip-address" | "parse"
>;

/** The host did not answer, or its answer cannot be read. */
export class NetworkFailure extends Error {
  readonly reason: NetworkReason;
  /** Whether the failure says nothing about the host, which may be fine. */
  readonly isUndecided: boolean;

  constructor(reason: NetworkReason, detail: string, isUndecided = reason === "timeout" || reason === "network") {
    super(detail);
    this.reason = reason;
    this.isUndecided = isUndecided;
  }
}

/** The settings of the operator and the installation for requests. */
export type FetchEnv = Pick<Env, "ALLOW_PRIVATE" | "BOOT" | "CLOCK" | "DIAGNOSIS" | "RESOLVER">;

/** Timeout of the headers, in milliseconds: less than the timeout of the whole answer. */
export const HEADERS_TIMEOUT_MS = 20_000;

/**
 * Statuses with which Cloudflare's edge reports that it could not reach an origin. The host itself did not answer.
 * https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/
 */
const EDGE_FAILURES: Readonly<Record<number, readonly [NetworkReason, string]>> = {
  521: ["connection", "connection refused"],
  522: ["timeout", "the connection timed out"],
  523: ["connection", "the host is unreachable"],
  524: ["timeout", "the server took too long to answer"],
  525: ["tls", "the TLS handshake failed"],
  526: ["tls", "the certificate is not valid"],
  530: ["dns", "the host name does not resolve"],
};

/**
 * Bypasses Cloudflare's cache in both directions. The runtime sends Cloudflare the same two values for `cache:
 * "no-store"` (https://developers.cloudflare.com/changelog/2024-11-11-cache-no-store), but then also adds
 * `Cache-Control: no-cache` and `Pragma: no-cache` to the request, and an origin might skip its own caches for those:
 * https://github.com/cloudflare/workerd/blob/main/src/workerd/api/http.c%2B%2B (serializeCfBlobJson).
 */
const UNCACHED = { cacheTtl: -1, cacheLevel: "bypass" };

/** The codings that the runtime decompresses. We request only these. */
export const ACCEPT_ENCODING = { "accept-encoding": "gzip, br" };

/**
 * Fetches `url` without following redirects. If `headers` has a name twice, in any spelling, the last value counts.
 * `signal` ends the request and the reading of its body. Throws NetworkFailure if no answer comes, and for an address
 * that gets no request: a private one, unless the operator allows it, and on Cloudflare any IP address.
 */
export async function get(
  url: string,
  headers: Record<string, string>,
  signal: AbortSignal,
  env: FetchEnv,
): Promise<Response> {
  const { hostname } = new URL(url);
  if (env.ALLOW_PRIVATE !== "true") await refusePrivate(hostname, env, signal);
  if (isAddress(hostname) && !mayFetchAddresses(env)) throw new NetworkFailure("ip-address", hostname);
  const sent = new Headers(ACCEPT_ENCODING);
  // Set one by one: a record that has a name in two spellings would send both values.
  for (const [name, value] of Object.entries(headers)) sent.set(name, value);
  let response: Response;
  try {
    response = await fetch(url, { redirect: "manual", headers: sent, signal, cf: UNCACHED });
  } catch (error) {
    throw await explain(url, error, signal, env.DIAGNOSIS);
  }
  const edge = response.headers.get("server") === "cloudflare" ? EDGE_FAILURES[response.status] : undefined;
  if (edge === undefined) return response;
  await response.body?.cancel();
  throw new NetworkFailure(...edge);
}

/**
 * Whether a URL may have an IP address as its host. Cloudflare answers such a request itself, with 403 and error 1003,
 * even if the address is not its own: https://github.com/cloudflare/workers-docs/issues/981. Only an Orbweaver on one's
 * own machine, where BOOT is set, can send it.
 */
export function mayFetchAddresses({ BOOT }: Pick<Env, "BOOT">): boolean {
  return BOOT !== undefined;
}

/**
 * Checks the name and, if the operator configured a resolver, its addresses. If the resolver does not answer, the
 * request is refused.
 */
async function refusePrivate(hostname: string, { RESOLVER = "" }: FetchEnv, signal: AbortSignal): Promise<void> {
  if (!isPublicHost(hostname)) throw new NetworkFailure("private-address", hostname);
  if (RESOLVER === "" || isAddress(hostname)) return;
  const resolution = await resolve(hostname, RESOLVER, signal);
  if (resolution.kind === "unanswered")
    throw new NetworkFailure("dns", `the resolver does not say what ${hostname} is: ${resolution.why}`, true);
  if (resolution.kind === "none") throw new NetworkFailure("dns", `no such host as ${hostname}`);
  const address = resolution.addresses.find((found) => !isPublicHost(found));
  if (address !== undefined) throw new NetworkFailure("private-address", `${hostname} resolves to ${address}`);
}

/** Content-Encoding values, in exactly this spelling, that the runtime handles. We decode the others. */
const BY_RUNTIME = new Set(["", "gzip", "br", "identity"]);
const OURS = new Set(["gzip", "x-gzip", "deflate"]);

/**
 * Reads at most `limit` bytes, then stops the transfer. `complete` says whether the body ended before that. The limit
 * applies to the decompressed body, and also to the compressed body if we decompress it ourselves. Throws
 * NetworkFailure if the transfer breaks off, the signal ends it, or the body does not match its coding.
 *
 * Before it holds more than FREE_BODY_BYTES, it waits once for `reserve`, with the most bytes that the body can have.
 */
export async function readBody(
  response: Response,
  limit: number,
  signal: AbortSignal,
  reserve: (bytes: number) => Promise<void> = async () => undefined,
): Promise<{ bytes: Uint8Array; complete: boolean }> {
  const declared = Number(response.headers.get("content-length")) || 0;
  // The length of a body with a coding is that before decompression.
  const isExact = declared > 0 && !response.headers.has("content-encoding");
  const hold = reserveOnce(isExact ? Math.min(declared, limit) : limit, reserve);
  let body = await readStream(response.body, declared || FIRST_READ_BYTES, limit, signal, hold);
  // The server applied the last coding last.
  for (const coding of codingsLeft(response).reverse()) {
    const format = formatOf(coding, body.bytes);
    if (!body.complete || body.bytes.length === 0 || format === null) break;
    const plain = new Blob([body.bytes]).stream().pipeThrough(new DecompressionStream(format));
    body = await readStream(plain, FIRST_READ_BYTES, limit, signal, hold);
  }
  return body;
}

/**
 * Streams the body. Decodes its codings like `readBody`, and the gzip of a file that was compressed before it was
 * served. The transfer stops when the caller stops reading. Throws what `readBody` throws.
 */
export async function* streamBody(response: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (response.body === null) return;
  let length = 0;
  try {
    let body = await peek(response.body);
    for (const coding of [...codingsLeft(response).reverse(), "gzip"]) {
      const format = formatOf(coding, body.first);
      if (format !== null) body = await peek(body.stream.pipeThrough(new DecompressionStream(format)));
    }
    for await (const chunk of body.stream) {
      length += chunk.byteLength;
      yield chunk;
    }
  } catch (error) {
    throw broken(error, length, signal);
  }
}

/** Returns the first chunk, and a stream of all chunks. */
async function peek(
  stream: ReadableStream<Uint8Array>,
): Promise<{ first: Uint8Array; stream: ReadableStream<Uint8Array> }> {
  const reader = stream.getReader();
  const { value: first = new Uint8Array(0) } = await reader.read();
  const whole = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(first),
    pull: async (controller) => {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { first, stream: whole };
}

/** A coding of the body that neither the runtime nor we can decode. */
export function unknownCoding(response: Response): string | null {
  return codingsLeft(response).find((coding) => !OURS.has(coding)) ?? null;
}

/** The codings that we must decode, in the order in which the server applied them. */
function codingsLeft(response: Response): string[] {
  const header = response.headers.get("content-encoding")?.trim() ?? "";
  return BY_RUNTIME.has(header) ? [] : header.split(",").map((coding) => coding.trim().toLowerCase());
}

/**
 * Servers use `deflate` for RFC 1950, which is correct, or for bare RFC 1951. Null for a gzip coding if the bytes are
 * not gzip.
 */
function formatOf(coding: string, [first = 0, second = 0]: Uint8Array): "gzip" | "deflate" | "deflate-raw" | null {
  if (coding === "gzip" || coding === "x-gzip") return first === 0x1f && second === 0x8b ? "gzip" : null;
  if (coding !== "deflate") return null;
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0 ? "deflate" : "deflate-raw";
}

/** First buffer for a body of unknown length; it grows fourfold. Few large reads cost less than many small ones. */
const FIRST_READ_BYTES = 65_536;
/** A smaller body needs no reservation: the 25 of a batch hold 12.5 MiB. */
export const FREE_BODY_BYTES = 524_288;

/** Returns a function that waits for `reserve` when more than FREE_BODY_BYTES are to be held, and only once. */
function reserveOnce(most: number, reserve: (bytes: number) => Promise<void>): (held: number) => Promise<void> {
  let isReserved = false;
  return async (held) => {
    if (isReserved || held <= FREE_BODY_BYTES) return;
    isReserved = true;
    await reserve(most);
  };
}

async function readStream(
  stream: ReadableStream<Uint8Array> | null,
  expected: number,
  limit: number,
  signal: AbortSignal,
  hold: (bytes: number) => Promise<void>,
): Promise<{ bytes: Uint8Array; complete: boolean }> {
  if (stream === null) return { bytes: new Uint8Array(0), complete: true };
  const reader = stream.getReader({ mode: "byob" });
  // One byte more than expected, so a short read is the last one.
  let room = Math.min(expected, limit) + 1;
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      await hold(length + room - 1);
      // https://developers.cloudflare.com/workers/runtime-apis/streams/readablestreambyobreader/
      const { value } = await reader.readAtLeast(room, new Uint8Array(room));
      if (value !== undefined) chunks.push(value);
      length += value?.byteLength ?? 0;
      if (value === undefined || value.byteLength < room || length > limit) break;
      room = Math.min(room * 4, limit - length) + 1;
    }
  } catch (error) {
    throw broken(error, length, signal);
  }
  if (length > limit) await reader.cancel();
  return { bytes: concat(chunks, Math.min(length, limit)), complete: length <= limit };
}

function broken(error: unknown, length: number, signal: AbortSignal): NetworkFailure {
  if (signal.aborted) return new NetworkFailure("timeout", `the body did not end in time (${length} bytes came)`);
  const message = messageOf(error);
  // "Gzip decompression failed." comes from the runtime's decompression and from ours.
  return /decompression failed/i.test(message)
    ? new NetworkFailure("parse", "the body is not in its content-encoding")
    : new NetworkFailure("connection", `the transfer broke off after ${length} bytes (${message})`);
}

/** Returns a buffer of exactly this length: another invocation gets the entire buffer, not only the part of a view. */
function concat(chunks: Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    const part = chunk.subarray(0, length - at);
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

/**
 * Finds the reason of a failed request. The runtime reports "Network connection lost" for a refused or dropped
 * connection, and "internal error" for both an unknown name and an invalid certificate. The diagnosis service, if there
 * is one, knows the difference.
 */
async function explain(
  url: string,
  error: unknown,
  signal: AbortSignal,
  diagnosis: Fetcher | undefined,
): Promise<NetworkFailure> {
  if (signal.aborted) return new NetworkFailure("timeout", "no answer in time");
  if (diagnosis !== undefined) {
    const answer = await diagnosis.fetch("http://diagnosis/", { method: "POST", body: url });
    const found = (await answer.json()) as { reason: NetworkReason; detail: string } | null;
    if (found !== null) return new NetworkFailure(found.reason, found.detail);
  }
  const message = messageOf(error);
  return message.startsWith("Network connection lost")
    ? new NetworkFailure("connection", "connection refused or dropped", true)
    : new NetworkFailure("network", message.replace(/; reference = \S+/, ""));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

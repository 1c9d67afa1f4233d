import type { Reason } from "../../crawl/page/reason.ts";
import { readPrivateAccess } from "../../url/private-access.ts";
import { isAddress, isPublicHost } from "../../url/public-address.ts";
import type { IdentityEnv } from "../request/identity.ts";
import { signatureHeaders } from "../request/sign-request.ts";
import { resolveOnMachine } from "./host-addresses.ts";
import { resolve } from "./resolver.ts";

/** One HTTP GET of a crawler: redirects are answers, time and bytes are limited, and a failure has a reason. */

export type NetworkReason = Extract<
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
export type FetchEnv = Pick<
  Env,
  "ALLOW_PRIVATE" | "BOOT" | "CLOCK" | "DIAGNOSIS" | "OPEN_NETWORK" | "PRIVATE_NETWORK" | "PUBLIC_NETWORK" | "RESOLVER"
> &
  IdentityEnv;

/** A URL to ask. `mayBePrivate`: as in Request. */
export interface Asked {
  url: string;
  mayBePrivate: boolean;
}

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

/** The codings that we request. We read a few more. */
export const ACCEPT_ENCODING = { "accept-encoding": "gzip, br" };

/**
 * Fetches `url` without following redirects, signed if the installation has an identity. The body comes as it was sent,
 * with its content codings. If `headers` has a name twice, in any spelling, the last value counts. `signal` ends the
 * request and the reading of its body. Throws NetworkFailure if no answer comes, and for an address that gets no
 * request: a private one, unless the operator allows it, and on Cloudflare any IP address. `post`: the body of a POST,
 * which only a log-in sends.
 */
export async function get(
  { headers, post = null, ...asked }: Asked & { headers: Record<string, string>; post?: Uint8Array | null },
  signal: AbortSignal,
  env: FetchEnv,
): Promise<Response> {
  const { url } = asked;
  await refuseAddress(asked, env, signal);
  const sent = new Headers(ACCEPT_ENCODING);
  // Set one by one: a record that has a name in two spellings would send both values.
  for (const [name, value] of Object.entries({ ...headers, ...(await signatureHeaders(url, env)) }))
    sent.set(name, value);
  let response: Response;
  try {
    response = await networkFor(asked, env).fetch(url, {
      ...(post === null ? {} : { method: "POST", body: post }),
      redirect: "manual",
      headers: sent,
      signal,
      encodeResponseBody: "manual",
      cf: UNCACHED,
    });
  } catch (error) {
    throw await explain(asked, error, signal, env);
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

/** Throws NetworkFailure for a URL that gets no request, see `get`. */
export async function refuseAddress(asked: Asked, env: FetchEnv, signal: AbortSignal): Promise<void> {
  const { hostname } = new URL(asked.url);
  if (!isPrivateAllowed(asked, env)) await refusePrivate(hostname, env, signal);
  if (isAddress(hostname) && !mayFetchAddresses(env)) throw new NetworkFailure("ip-address", hostname);
}

/**
 * Like `refuseAddress`, for a program that connects by itself: gives it the addresses to which it may connect, null for
 * any. IPv6 addresses are in brackets.
 */
export async function allowedAddresses(asked: Asked, env: FetchEnv, signal: AbortSignal): Promise<string[] | null> {
  await refuseAddress(asked, env, signal);
  const { hostname } = new URL(asked.url);
  if (isPrivateAllowed(asked, env) || env.DIAGNOSIS === undefined) return null;
  if (isAddress(hostname)) return [hostname];
  const resolution = await resolveOnMachine(hostname, env.DIAGNOSIS);
  // It finds out by itself that there is no such name.
  return resolution.kind === "found" ? publicOf(hostname, resolution.addresses) : [];
}

function isPrivateAllowed({ mayBePrivate }: Asked, { ALLOW_PRIVATE }: FetchEnv): boolean {
  const access = readPrivateAccess(ALLOW_PRIVATE);
  return access === "all" || (access === "seeds" && mayBePrivate);
}

/**
 * The network that a request may use. On one's own machine PUBLIC_NETWORK connects to public addresses alone, whatever
 * a name resolves to at that moment.
 */
export function networkFor(asked: Asked, env: FetchEnv): Pick<Fetcher, "fetch"> {
  const { PUBLIC_NETWORK = globalThis, OPEN_NETWORK = globalThis, PRIVATE_NETWORK } = env;
  if (!isPrivateAllowed(asked, env)) return PUBLIC_NETWORK;
  // On Cloudflare, a name of one's own network leads nowhere but through the binding to it.
  return PRIVATE_NETWORK !== undefined && !isPublicHost(new URL(asked.url).hostname) ? PRIVATE_NETWORK : OPEN_NETWORK;
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
  publicOf(hostname, resolution.addresses);
}

/** The addresses of a name. Throws NetworkFailure if one is private. */
function publicOf(hostname: string, addresses: string[]): string[] {
  const address = addresses.find((found) => !isPublicHost(found));
  if (address === undefined) return addresses;
  throw new NetworkFailure("private-address", `${hostname} resolves to ${address}`);
}

/**
 * Finds the reason of a failed request. The runtime reports "Network connection lost" for a refused or dropped
 * connection, and "internal error" for both an unknown name and an invalid certificate. The diagnosis service, if there
 * is one, knows the difference.
 */
async function explain(asked: Asked, error: unknown, signal: AbortSignal, env: FetchEnv): Promise<NetworkFailure> {
  if (signal.aborted) return new NetworkFailure("timeout", "no answer in time");
  const { DIAGNOSIS: diagnosis } = env;
  if (diagnosis !== undefined) {
    let addresses: string[] | null;
    try {
      addresses = await allowedAddresses(asked, env, signal);
    } catch (refused) {
      if (refused instanceof NetworkFailure) return refused;
      throw refused;
    }
    const body = JSON.stringify({ url: asked.url, addresses });
    const answer = await diagnosis.fetch("http://diagnosis/", { method: "POST", body });
    const found = (await answer.json()) as { reason: NetworkReason; detail: string } | null;
    if (found !== null) return new NetworkFailure(found.reason, found.detail);
  }
  const message = messageOf(error).replace(/; reference = \S+/, "");
  if (message.startsWith("Network connection lost"))
    return new NetworkFailure("connection", "connection refused or dropped", true);
  const isUnsaid = message === "internal error";
  return new NetworkFailure(
    "network",
    isUnsaid ? "no connection: an unknown name, or an invalid certificate" : message,
  );
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

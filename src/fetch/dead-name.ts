import type { FetchEnv } from "./http.ts";
import { resolve } from "./resolver.ts";

/** Asks DNS whether a host name exists. */

/** Asked on Cloudflare where the operator names no resolver. The request stays with Cloudflare, which runs both. */
const DEFAULT_RESOLVER = "https://cloudflare-dns.com/dns-query";
const TIMEOUT_MS = 10_000;

/**
 * Whether DNS says that the name does not exist, or has no address. False if nobody answers: a failed request tells
 * nothing of a name, because Cloudflare's edge answers 530 for an origin's tunnel that is down, too.
 */
export async function isDeadName(hostname: string, { DIAGNOSIS, RESOLVER = "" }: FetchEnv): Promise<boolean> {
  if (DIAGNOSIS !== undefined) {
    const answer = await DIAGNOSIS.fetch("http://diagnosis/name", { method: "POST", body: hostname });
    return answer.ok && (await answer.json()) === "dead";
  }
  const resolver = RESOLVER === "" ? DEFAULT_RESOLVER : RESOLVER;
  return (await resolve(hostname, resolver, AbortSignal.timeout(TIMEOUT_MS))).kind === "none";
}

import { type Resolution, resolve } from "./resolver.ts";

/** Asks DNS for the addresses of a host. */

/** Asked on Cloudflare where the operator names no resolver. The request stays with Cloudflare, which runs both. */
const DEFAULT_RESOLVER = "https://cloudflare-dns.com/dns-query";
const TIMEOUT_MS = 10_000;

/**
 * Asks the operator's resolver, or else that of the machine or of Cloudflare. IPv6 addresses are in brackets. Never
 * throws.
 */
export async function resolveHost(
  hostname: string,
  { DIAGNOSIS, RESOLVER = "" }: Pick<Env, "DIAGNOSIS" | "RESOLVER">,
): Promise<Resolution> {
  if (RESOLVER !== "" || DIAGNOSIS === undefined)
    return resolve(hostname, RESOLVER === "" ? DEFAULT_RESOLVER : RESOLVER, AbortSignal.timeout(TIMEOUT_MS));
  return resolveOnMachine(hostname, DIAGNOSIS);
}

/** As the machine itself resolves it, with its hosts file. Only an Orbweaver on one's own machine has DIAGNOSIS. */
export async function resolveOnMachine(hostname: string, diagnosis: Fetcher): Promise<Resolution> {
  try {
    const answer = await diagnosis.fetch("http://diagnosis/name", { method: "POST", body: hostname });
    if (answer.ok) return (await answer.json()) as Resolution;
    await answer.body?.cancel();
    return { kind: "unanswered", why: `the machine's resolver answered ${answer.status}` };
  } catch (error) {
    // The caller asks again, or goes on without the answer.
    return { kind: "unanswered", why: error instanceof Error ? error.message : String(error) };
  }
}

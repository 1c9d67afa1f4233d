import { type Resolution, resolve, resolveText, type TextResolution } from "./resolver.ts";

/** Asks DNS for the addresses of a host, or for the text records of a name. */

/** Asked on Cloudflare where the operator names no resolver. The request stays with Cloudflare, which runs both. */
const DEFAULT_RESOLVER = "https://cloudflare-dns.com/dns-query";
const ADDRESSES_TIMEOUT_MS = 10_000;

/**
 * Asks the operator's resolver, or else that of the machine or of Cloudflare. IPv6 addresses are in brackets. Never
 * throws.
 */
export async function resolveHost(
  hostname: string,
  { DIAGNOSIS, RESOLVER = "" }: Pick<Env, "DIAGNOSIS" | "RESOLVER">,
): Promise<Resolution> {
  if (RESOLVER !== "" || DIAGNOSIS === undefined)
    return resolve(hostname, RESOLVER === "" ? DEFAULT_RESOLVER : RESOLVER, AbortSignal.timeout(ADDRESSES_TIMEOUT_MS));
  return resolveOnMachine(hostname, DIAGNOSIS);
}

/** The same for the TXT records of a name. Never throws. */
export async function resolveHostText(
  name: string,
  { DIAGNOSIS, RESOLVER = "" }: Pick<Env, "DIAGNOSIS" | "RESOLVER">,
): Promise<TextResolution> {
  if (RESOLVER !== "" || DIAGNOSIS === undefined)
    return resolveText(name, RESOLVER === "" ? DEFAULT_RESOLVER : RESOLVER, AbortSignal.timeout(ADDRESSES_TIMEOUT_MS));
  return askMachine<TextResolution>("/text", name, DIAGNOSIS);
}

/** As the machine itself resolves it, with its hosts file. Only an Orbweaver on one's own machine has DIAGNOSIS. */
export async function resolveOnMachine(hostname: string, diagnosis: Fetcher): Promise<Resolution> {
  return askMachine<Resolution>("/name", hostname, diagnosis);
}

async function askMachine<T>(
  path: "/name" | "/text",
  name: string,
  diagnosis: Fetcher,
): Promise<T | { kind: "unanswered"; why: string }> {
  try {
    const answer = await diagnosis.fetch(`http://diagnosis${path}`, { method: "POST", body: name });
    if (answer.ok) return (await answer.json()) as T;
    await answer.body?.cancel();
    return { kind: "unanswered", why: `the machine's resolver answered ${answer.status}` };
  } catch (error) {
    // The caller asks again, or goes on without the answer.
    return { kind: "unanswered", why: error instanceof Error ? error.message : String(error) };
  }
}

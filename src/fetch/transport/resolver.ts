import { LRUCache } from "lru-cache";
import * as z from "zod";
import { systemClock } from "../../core/clock.ts";

/**
 * Resolves host names over HTTPS if the operator configured a resolver. A public name may resolve to a private address,
 * and a Worker's own fetch does not say where it connects.
 * https://developers.cloudflare.com/1.1.1.1/encryption/dns-over-https/make-api-requests/dns-json/
 */

export type Resolution =
  /** IPv6 addresses are in brackets, as in URLs. */
  | { kind: "found"; addresses: string[] }
  /** The name does not exist, or it has no address. */
  | { kind: "none" }
  /** The resolver did not answer. */
  | { kind: "unanswered"; why: string };

export type TextResolution = { kind: "found"; texts: string[] } | { kind: "unanswered"; why: string };

type Known = Exclude<Resolution, { kind: "unanswered" }>;

const RESOLVER_TIMEOUT_MS = 5_000;
const MIN_TTL_S = 60;
const MAX_TTL_S = 3_600;

/** https://www.iana.org/assignments/dns-parameters */
const TYPES = { A: 1, TXT: 16, AAAA: 28 } as const;
const ADDRESS_TYPES = ["A", "AAAA"] as const;
const NOERROR = 0;
const NXDOMAIN = 3;

const reply = z.object({
  Status: z.number(),
  Answer: z.array(z.object({ type: z.number(), TTL: z.number(), data: z.string() })).default([]),
});
type Reply = z.infer<typeof reply>;

/** Answers of this isolate, by resolver and name. */
const known = new LRUCache<string, { resolution: Known; until: number }>({ max: 5_000 });

/**
 * Returns the addresses of both families. An answer is cached for the shortest TTL of its records, at least a minute
 * and at most an hour. If the answer for one family is missing, the result is `unanswered`, because an address of that
 * family might be private. Never throws.
 */
export async function resolve(hostname: string, resolver: string, signal: AbortSignal): Promise<Resolution> {
  const key = `${resolver} ${hostname}`;
  const before = known.get(key);
  if (before !== undefined && before.until > systemClock.now()) return before.resolution;
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(RESOLVER_TIMEOUT_MS)]);
    const replies = await Promise.all(ADDRESS_TYPES.map((type) => ask(hostname, type, resolver, limited)));
    const records = replies.flatMap(({ Answer }) => Answer);
    const addresses = records.flatMap(({ type, data }) =>
      type === TYPES.A ? [data] : type === TYPES.AAAA ? [`[${data}]`] : [],
    );
    const resolution: Known = addresses.length === 0 ? { kind: "none" } : { kind: "found", addresses };
    // A name without addresses may get one soon.
    const ttl = addresses.length === 0 ? MIN_TTL_S : Math.min(...records.map(({ TTL }) => TTL));
    const seconds = Math.max(MIN_TTL_S, Math.min(ttl, MAX_TTL_S));
    known.set(key, { resolution, until: systemClock.now() + seconds * 1_000 });
    return resolution;
  } catch (error) {
    // The caller refuses the request, and may retry it.
    return { kind: "unanswered", why: error instanceof Error ? error.message : String(error) };
  }
}

/** Returns the TXT records of a name, none if there is no such name. Never throws. */
export async function resolveText(name: string, resolver: string, signal: AbortSignal): Promise<TextResolution> {
  try {
    const { Answer } = await ask(
      name,
      "TXT",
      resolver,
      AbortSignal.any([signal, AbortSignal.timeout(RESOLVER_TIMEOUT_MS)]),
    );
    return { kind: "found", texts: Answer.flatMap(({ type, data }) => (type === TYPES.TXT ? [readText(data)] : [])) };
  } catch (error) {
    // The caller goes on without the answer.
    return { kind: "unanswered", why: error instanceof Error ? error.message : String(error) };
  }
}

/** A record is written as one or more strings in quotes, which belong together (RFC 1035, section 5.1). */
function readText(data: string): string {
  if (!data.startsWith('"')) return data;
  let text = "";
  let isQuoted = false;
  for (let at = 0; at < data.length; at++) {
    const character = data[at] ?? "";
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted && character === "\\") text += data[++at] ?? "";
    else if (isQuoted) text += character;
  }
  return text;
}

async function ask(name: string, type: keyof typeof TYPES, resolver: string, signal: AbortSignal): Promise<Reply> {
  const url = new URL(resolver);
  url.searchParams.set("name", name);
  url.searchParams.set("type", type);
  const response = await fetch(url.href, { headers: { accept: "application/dns-json" }, redirect: "manual", signal });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`it answered ${response.status}`);
  }
  const answer = reply.parse(await response.json());
  if (answer.Status !== NOERROR && answer.Status !== NXDOMAIN) throw new Error(`its code is ${answer.Status}`);
  return answer;
}

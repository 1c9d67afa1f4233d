import { LRUCache } from "lru-cache";
import { z } from "zod";
import { systemClock } from "../core/clock.ts";

/**
 * What a host name resolves to, asked over HTTPS, where the operator names a resolver: a public name may lead to a
 * private address, and a Worker's own fetch does not say where it connects.
 * https://developers.cloudflare.com/1.1.1.1/encryption/dns-over-https/make-api-requests/dns-json/
 */

type Resolution =
  /** As IPv6 literals are written in URLs, in brackets. */
  | { kind: "found"; addresses: string[] }
  /** There is no such name, or it has no address. */
  | { kind: "none" }
  /** The resolver did not say. */
  | { kind: "unanswered"; why: string };

type Known = Exclude<Resolution, { kind: "unanswered" }>;

const TIMEOUT_MS = 5_000;
const MIN_TTL_S = 60;
const MAX_TTL_S = 3_600;

/** https://www.iana.org/assignments/dns-parameters */
const TYPES = { A: 1, AAAA: 28 } as const;
const NOERROR = 0;
const NXDOMAIN = 3;

const reply = z.object({
  Status: z.number(),
  Answer: z.array(z.object({ type: z.number(), TTL: z.number(), data: z.string() })).default([]),
});
type Reply = z.infer<typeof reply>;

/** Per isolate. By resolver and name. */
const known = new LRUCache<string, { resolution: Known; until: number }>({ max: 5_000 });

/**
 * The addresses of both families, as said before where the shortest TTL among the records, at least a minute and at
 * most an hour, has not run out. Where one of the two questions goes unanswered all does: it is the other family that
 * might be private. Never throws.
 */
export async function resolve(hostname: string, resolver: string, signal: AbortSignal): Promise<Resolution> {
  const key = `${resolver} ${hostname}`;
  const before = known.get(key);
  if (before !== undefined && before.until > systemClock.now()) return before.resolution;
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const types = Object.keys(TYPES) as (keyof typeof TYPES)[];
    const replies = await Promise.all(types.map((type) => ask(hostname, type, resolver, limited)));
    const records = replies.flatMap(({ Answer }) => Answer);
    const addresses = records.flatMap(({ type, data }) =>
      type === TYPES.A ? [data] : type === TYPES.AAAA ? [`[${data}]`] : [],
    );
    const resolution: Known = addresses.length === 0 ? { kind: "none" } : { kind: "found", addresses };
    // That there is nothing may change soonest.
    const ttl = addresses.length === 0 ? MIN_TTL_S : Math.min(...records.map(({ TTL }) => TTL));
    const seconds = Math.max(MIN_TTL_S, Math.min(ttl, MAX_TTL_S));
    known.set(key, { resolution, until: systemClock.now() + seconds * 1_000 });
    return resolution;
  } catch (error) {
    // It is the caller's to refuse, and to try again.
    return { kind: "unanswered", why: error instanceof Error ? error.message : String(error) };
  }
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

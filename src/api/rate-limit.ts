import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import { LRUCache } from "lru-cache";
import { clockOf } from "../core/clock.ts";

/**
 * How many requests a token may make in a minute, and how many wrong tokens an address may try. The numbers stand in wrangler.toml.
 * Cloudflare counts for each of its locations by itself, and not to the request:
 * https://developers.cloudflare.com/workers/runtime-apis/bindings/rate-limit/
 * No limit holds where its binding was taken out, nor with RATE_LIMITS = "off", as on one's own machine.
 */

type Api = Context<{ Bindings: Env }>;

/** The period of both limits. When it began nobody tells, so it is waited for whole. */
const PERIOD_S = 60;
/** Addresses that tried too often, until when nothing of theirs is looked at. Per isolate: another one finds out at their next try. */
const guessers = new LRUCache<string, number>({ max: 10_000 });

/**
 * Throws 429 when the token has made its requests of this minute. Told a digest: the token itself is to be nowhere else. The replay counts by
 * itself, for one page of it is many requests.
 */
export async function countRequest(c: Api, tokenDigest: ArrayBuffer, of: "" | "replay " = ""): Promise<void> {
  const digest = btoa(String.fromCharCode(...new Uint8Array(tokenDigest)));
  const isWithin = await count(c.env, c.env.TOKEN_LIMIT, of + digest);
  if (!isWithin) throw tooMany(c, PERIOD_S, "This token has made too many requests.");
}

/** Throws 429 for an address that tried too often, before its token is looked at: else the right one would still be told from wrong ones. */
export function refuseGuesser(c: Api): void {
  const leftMs = (guessers.get(networkOf(c)) ?? 0) - clockOf(c.env).now();
  if (leftMs > 0) throw tooMany(c, Math.ceil(leftMs / 1000), "Too many wrong tokens came from this address.");
}

/** Notes a wrong token; throws 429 when it was one too many. */
export async function countGuess(c: Api): Promise<void> {
  const network = networkOf(c);
  if (await count(c.env, c.env.GUESS_LIMIT, network)) return;
  guessers.set(network, clockOf(c.env).now() + PERIOD_S * 1000);
  refuseGuesser(c);
}

async function count({ RATE_LIMITS }: Env, limit: RateLimit | undefined, key: string): Promise<boolean> {
  return limit === undefined || RATE_LIMITS === "off" || (await limit.limit({ key })).success;
}

function tooMany(c: Api, seconds: number, sentence: string): HTTPException {
  c.header("retry-after", String(seconds));
  return new HTTPException(429, { message: `${sentence} Try again in ${seconds} s.` });
}

/** The client's address as Cloudflare saw it; of IPv6 the /64, for that is what one client is given. */
function networkOf(c: Api): string {
  const address = c.req.header("cf-connecting-ip") ?? "";
  if (!address.includes(":")) return address;
  const [head = "", tail = ""] = address.split("::");
  const [first, last] = [head, tail].map((part) => (part === "" ? [] : part.split(":"))) as [string[], string[]];
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => "0");
  return [...first, ...zeros, ...last].slice(0, 4).join(":");
}

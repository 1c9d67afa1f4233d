import type { Context } from "hono";
import type { HTTPException } from "hono/http-exception";
import { LRUCache } from "lru-cache";
import { clockOf } from "../../core/clock.ts";
import { refusal } from "../requests/request-problem.ts";

/**
 * Limits of requests with one token, of wrong tokens from one address, and of submissions without a token, per minute.
 * The numbers are in wrangler.toml. Cloudflare counts approximately, and separately in each of its locations:
 * https://developers.cloudflare.com/workers/runtime-apis/bindings/rate-limit/ There is no limit without its binding, as
 * on a local machine, or with RATE_LIMITS = "off".
 */

type Api = Context<{ Bindings: Env }>;

/** The period of all limits. Its start is not known, so Retry-After is the complete period. */
const PERIOD_S = 60;
/** Addresses with too many wrong tokens, and until when they are refused. Each isolate has its own. */
const guessers = new LRUCache<string, number>({ max: 10_000 });

/**
 * Throws 429 if the token has used up its requests of this minute. Only the token's digest is passed on, never the
 * token. Replays are counted separately, because one page makes many requests, and so are the feeds of each key.
 */
export async function countRequest(
  c: Api,
  tokenDigest: ArrayBuffer,
  prefix: "" | "replay " | "feed " = "",
): Promise<void> {
  const digest = btoa(String.fromCharCode(...new Uint8Array(tokenDigest)));
  const isWithin = await count(c.env, c.env.TOKEN_LIMIT, prefix + digest);
  if (!isWithin) throw tooMany(c, PERIOD_S, "This token has made too many requests.");
}

/**
 * Throws 429 for an address with too many wrong tokens, before its token is checked, so that it cannot find the right
 * one.
 */
export function refuseGuesser(c: Api): void {
  const leftMs = (guessers.get(networkOf(c)) ?? 0) - clockOf(c.env).now();
  if (leftMs > 0) throw tooMany(c, Math.ceil(leftMs / 1000), "Too many wrong tokens came from this address.");
}

/** Counts a wrong token. Throws 429 if there are too many. */
export async function countGuess(c: Api): Promise<void> {
  const network = networkOf(c);
  if (await count(c.env, c.env.GUESS_LIMIT, network)) return;
  guessers.set(network, clockOf(c.env).now() + PERIOD_S * 1000);
  refuseGuesser(c);
}

/**
 * Counts a request without a token by its address and, once that is known, by the host that it names. Throws 429 if
 * there are too many.
 */
export async function countSubmission(c: Api, host?: string): Promise<void> {
  const key = host === undefined ? networkOf(c) : `host ${host}`;
  if (await count(c.env, c.env.INDEXNOW_LIMIT, key)) return;
  throw tooMany(c, PERIOD_S, "Too many submissions came from this address, or for this host.");
}

async function count({ RATE_LIMITS }: Env, limit: RateLimit | undefined, key: string): Promise<boolean> {
  return limit === undefined || RATE_LIMITS === "off" || (await limit.limit({ key })).success;
}

function tooMany(c: Api, seconds: number, sentence: string): HTTPException {
  c.header("retry-after", String(seconds));
  return refusal(429, `${sentence} Try again in ${seconds} s.`);
}

/** The client's address, as Cloudflare sees it. For IPv6 the /64 network, because one client has all of it. */
function networkOf(c: Api): string {
  const address = c.req.header("cf-connecting-ip") ?? "";
  if (!address.includes(":")) return address;
  const [head = "", tail = ""] = address.split("::");
  const [first, last] = [head, tail].map((part) => (part === "" ? [] : part.split(":"))) as [string[], string[]];
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => "0");
  return [...first, ...zeros, ...last].slice(0, 4).join(":");
}

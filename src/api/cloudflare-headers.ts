import type { Cookie } from "./cloudflare-schemas.ts";

/**
 * What a browser would send of a request to Cloudflare's /crawl, as request headers of the crawl. Those go to its seeds' origins and to
 * nobody else, so what is meant for others is left out.
 */

const encoder = new TextEncoder();

/** RFC 7617 2.1: in UTF-8. */
export function basicAuthorization({ username, password }: { username: string; password: string }): string {
  const bytes = encoder.encode(`${username}:${password}`);
  return `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}`;
}

/** The value of a Cookie header for all these seeds, null where there is none, and the names of cookies that cannot be in it. */
export function cookieHeader(
  cookies: readonly Cookie[],
  seeds: readonly string[],
  now: number,
): { value: string | null; left: string[] } {
  const urls = seeds.map((seed) => new URL(seed));
  const isSent = (cookie: Cookie) => isFresh(cookie, now) && urls.every((url) => isFor(cookie, url));
  const { sent = [], left = [] } = Object.groupBy(cookies, (cookie) => (isSent(cookie) ? "sent" : "left"));
  const value = sent.map((cookie) => `${cookie.name}=${cookie.value}`).join("; ");
  return { value: value === "" ? null : value, left: left.map(({ name }) => name) };
}

function isFresh({ expires = 0 }: Cookie, now: number): boolean {
  return expires <= 0 || expires * 1000 > now;
}

/** RFC 6265 5.4, for every path of the origin: a cookie of one path would go to others too. */
function isFor({ domain, path = "/", url: given, secure = false }: Cookie, url: URL): boolean {
  if (path !== "/" || (secure && url.protocol !== "https:")) return false;
  if (given !== undefined && URL.parse(given)?.hostname !== url.hostname) return false;
  if (domain === undefined) return true;
  const name = domain.replace(/^\./, "").toLowerCase();
  return url.hostname === name || (name.includes(".") && url.hostname.endsWith(`.${name}`));
}

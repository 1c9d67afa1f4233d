import type { Cookie } from "./cloudflare-schemas.ts";

/**
 * Credentials and cookies of a request to Cloudflare's /crawl, as request headers of the crawl. A crawl sends its
 * headers only to its seeds' origins, so cookies for other origins are left out.
 */

const encoder = new TextEncoder();

/** RFC 7617 2.1, in UTF-8. */
export function basicAuthorization({ username, password }: { username: string; password: string }): string {
  const bytes = encoder.encode(`${username}:${password}`);
  return `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}`;
}

/**
 * The value of a Cookie header that is right for all seeds, or null, and the names of the cookies that it leaves out.
 */
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

/** RFC 6265 5.4. Only cookies for all paths: the header is sent to every path of the origin. */
function isFor({ domain, path = "/", url: given, secure = false }: Cookie, url: URL): boolean {
  if (path !== "/" || (secure && url.protocol !== "https:")) return false;
  if (given !== undefined && URL.parse(given)?.hostname !== url.hostname) return false;
  if (domain === undefined) return true;
  const name = domain.replace(/^\./, "").toLowerCase();
  return url.hostname === name || (name.includes(".") && url.hostname.endsWith(`.${name}`));
}

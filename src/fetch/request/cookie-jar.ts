import { trimBlanks } from "../../core/trim-blanks.ts";
import { hostKey, pathAndQueryOf } from "../../url/host-key.ts";
import { parseCookieDate } from "./cookie-date.ts";

/**
 * Cookies by RFC 6265bis, stricter in one point: `Domain` is ignored, so a cookie goes back to the host alone that set
 * it. A jar that somebody has brought may have cookies of whole domains, and only an answer that replaces one of these
 * may set it for its domain. https://datatracker.ietf.org/doc/draft-ietf-httpbis-rfc6265bis/ (the sections named below
 * are those of draft 20)
 */

export interface Cookie {
  /** Without a port. */
  host: string;
  /** Present if it goes to the hosts below `host`, too. */
  isOfDomain?: true;
  name: string;
  value: string;
  path: string;
  /** It goes to https URLs alone. */
  secure: boolean;
  /** Milliseconds since the Unix epoch; null is never. */
  expiresAt: number | null;
}

/** In the order in which the cookies were created. */
export type CookieJar = readonly Cookie[];

/** The least that section 6.1 asks of a client for one domain. */
const MAX_COOKIES_PER_HOST = 50;
/** A chain of redirects may lead through many hosts. */
const MAX_COOKIES_PER_JAR = 100;
/** The characters of all names, values and paths. Servers accept as much in a request. */
const MAX_JAR_CHARACTERS = 8_192;

/** What a jar holds at most, beside `MAX_COOKIES_PER_HOST`. */
export interface JarLimits {
  cookies: number;
  characters: number;
}

const OF_A_CHAIN: JarLimits = { cookies: MAX_COOKIES_PER_JAR, characters: MAX_JAR_CHARACTERS };
/** A jar that somebody has brought serves several hosts. */
export const OF_A_SESSION: JarLimits = { cookies: 400, characters: 100_000 };
/** A longer Set-Cookie is ignored, whatever it holds. */
const MAX_SET_COOKIE_CHARACTERS = 16_384;
const MAX_COOKIE_CHARACTERS = 4_096;
const MAX_ATTRIBUTE_CHARACTERS = 1_024;
/** A cookie is kept for no longer (section 5.5). */
export const MAX_COOKIE_AGE_MS = 400 * 86_400_000;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the standard refuses them
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/;

/**
 * Stores what an answer of `url` sets, and removes what has expired. Beyond the limits the oldest cookies go. `url`:
 * canonical.
 */
export function storeCookies(
  jar: CookieJar,
  url: string,
  setCookies: readonly string[],
  now: number,
  limits = OF_A_CHAIN,
): CookieJar {
  let cookies = [...jar];
  for (const header of setCookies) {
    const parsed = parseSetCookie(header, url, now);
    if (parsed === null) continue;
    const cookie = asOfDomain(parsed, header, cookies);
    if (isShadowing(cookie, url, cookies)) continue;
    const at = cookies.findIndex((known) => isSame(known, cookie));
    // A cookie that replaces another keeps its time of creation.
    if (at === -1) cookies.push(cookie);
    else cookies[at] = cookie;
  }
  cookies = cookies.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
  return newest(cookies, limits);
}

/** The cookie as one of its domain, if it replaces one that the jar has of it. */
function asOfDomain(cookie: Cookie, header: string, jar: CookieJar): Cookie {
  const [, ...attributes] = header.split(";").map((attribute) => splitPair(attribute, "name"));
  const written = attributes.findLast(([name]) => name.toLowerCase() === "domain")?.[1] ?? "";
  const domain = written.replace(/^\./, "").toLowerCase();
  const replaced = jar.some(
    ({ host, isOfDomain, name }) => isOfDomain && host === domain && name === cookie.name && isAt(cookie.host, domain),
  );
  return replaced ? { ...cookie, host: domain, isOfDomain: true } : cookie;
}

/** Whether a host is a domain, or lies below it. Section 5.1.3. An IP address lies below nothing. */
export function isAt(host: string, domain: string): boolean {
  return host === domain || (host.endsWith(`.${domain}`) && !/^[\d.]+$|^\[/.test(host));
}

/** The Cookie header of a request for `url`; null if it has none. Section 5.8.3. */
export function cookieHeader(jar: CookieJar, url: string, now: number): string | null {
  const host = hostKey(url);
  const path = pathOf(url);
  const sent = jar.filter(
    (cookie) =>
      (cookie.isOfDomain ? isAt(host, cookie.host) : cookie.host === host) &&
      isBelow(path, cookie.path) &&
      (!cookie.secure || isSecure(url)) &&
      (cookie.expiresAt === null || cookie.expiresAt > now),
  );
  // The sort is stable, so of paths of one length the cookie that was created first stays first.
  const sorted = sent.toSorted((a, b) => b.path.length - a.path.length);
  return sent.length === 0
    ? null
    : sorted.map(({ name, value }) => (name === "" ? value : `${name}=${value}`)).join("; ");
}

/** A jar as the ledger stores it; null if it is empty. */
export function writeJar(jar: CookieJar): string | null {
  return jar.length === 0 ? null : JSON.stringify(jar);
}

export function readJar(stored: string | null): CookieJar {
  return stored === null ? [] : (JSON.parse(stored) as CookieJar);
}

/** Null if the cookie is to be ignored. Sections 5.6 and 5.7. */
function parseSetCookie(header: string, url: string, now: number): Cookie | null {
  if (header.length > MAX_SET_COOKIE_CHARACTERS || CONTROL.test(header)) return null;
  const [pair = "", ...written] = header.split(";");
  const [name, value] = splitPair(pair, "value");
  if (name.length + value.length > MAX_COOKIE_CHARACTERS || name + value === "") return null;
  const attributes = new Map<string, string>();
  for (const attribute of written) {
    const [key, text] = splitPair(attribute, "name");
    // The last one of a name counts.
    if (text.length <= MAX_ATTRIBUTE_CHARACTERS) attributes.set(key.toLowerCase(), text);
  }
  const givenPath = attributes.get("path") ?? "";
  const path = givenPath.startsWith("/") ? givenPath : defaultPath(url);
  const secure = attributes.has("secure");
  if (secure && !isSecure(url)) return null;
  const isForHost = secure && path === "/" && givenPath === "/" && !attributes.get("domain");
  const prefixed = (name === "" ? value : name).toLowerCase();
  if (prefixed.startsWith("__secure-") && (!secure || name === "")) return null;
  if (prefixed.startsWith("__host-") && (!isForHost || name === "")) return null;
  return { host: hostKey(url), name, value, path, secure, expiresAt: expiryOf(attributes, now) };
}

/** Splits at the first `=`. Without one, the text is the `only` part of the pair. */
function splitPair(text: string, only: "name" | "value"): [name: string, value: string] {
  const at = text.indexOf("=");
  if (at === -1) return only === "name" ? [trimBlanks(text), ""] : ["", trimBlanks(text)];
  return [trimBlanks(text.slice(0, at)), trimBlanks(text.slice(at + 1))];
}

/** `Max-Age` counts before `Expires`. What cannot be read is ignored. */
function expiryOf(attributes: ReadonlyMap<string, string>, now: number): number | null {
  const maxAge = attributes.get("max-age") ?? "";
  if (/^-?\d+$/.test(maxAge)) return Number(maxAge) <= 0 ? 0 : now + Math.min(Number(maxAge) * 1000, MAX_COOKIE_AGE_MS);
  const date = parseCookieDate(attributes.get("expires") ?? "");
  return date === null ? null : Math.min(date, now + MAX_COOKIE_AGE_MS);
}

/** Whether a page without TLS would hide a cookie that was set with TLS. */
function isShadowing(cookie: Cookie, url: string, jar: CookieJar): boolean {
  if (cookie.secure || isSecure(url)) return false;
  return jar.some(
    ({ host, name, path, secure }) =>
      secure && host === cookie.host && name === cookie.name && isBelow(cookie.path, path),
  );
}

function isSame(a: Cookie, b: Cookie): boolean {
  return a.host === b.host && a.isOfDomain === b.isOfDomain && a.name === b.name && a.path === b.path;
}

function newest(cookies: readonly Cookie[], limits: JarLimits): CookieJar {
  const kept: Cookie[] = [];
  const counts = new Map<string, number>();
  let characters = 0;
  for (const cookie of cookies.toReversed()) {
    const count = (counts.get(cookie.host) ?? 0) + 1;
    if (count > MAX_COOKIES_PER_HOST) continue;
    characters += cookie.name.length + cookie.value.length + cookie.path.length;
    if (characters > limits.characters || kept.length === limits.cookies) break;
    counts.set(cookie.host, count);
    kept.push(cookie);
  }
  return kept.reverse();
}

function isSecure(url: string): boolean {
  return url.startsWith("https:");
}

function pathOf(url: string): string {
  return pathAndQueryOf(url).replace(/\?.*$/s, "");
}

/** Section 5.1.4. */
function defaultPath(url: string): string {
  const path = pathOf(url);
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

/** Whether a path is a cookie's path, or lies below it. Section 5.1.4. */
function isBelow(path: string, cookiePath: string): boolean {
  if (!path.startsWith(cookiePath)) return false;
  return path.length === cookiePath.length || cookiePath.endsWith("/") || path.charAt(cookiePath.length) === "/";
}

import { hostKey } from "../../url/host-key.ts";
import { type Cookie, type CookieJar, isAt, OF_A_SESSION, storeCookies } from "./cookie-jar.ts";

/**
 * Reads the cookies of a file that a browser or a tool has written: cookies.txt (Netscape, curl, yt-dlp), the storage
 * state of Playwright, an archive of HTTP requests (HAR 1.2), or a JSON array of cookies as browser extensions and
 * Puppeteer write it. https://playwright.dev/docs/auth http://www.softwareishard.com/blog/har-12-spec/#cookies
 */

/** The text is none of these, or has no cookies. `message` is for people, and quotes nothing of the file. */
export class CookieFileProblem extends Error {}

export interface KeptCookies {
  kept: CookieJar;
  /** The hosts of the cookies that were left out, sorted, each once. */
  left: string[];
  /** The hosts, as given, for which none was kept. */
  without: string[];
}

/**
 * The cookies of a file, those that have expired left out. `now`: milliseconds since the epoch. Throws
 * CookieFileProblem.
 */
export function readCookieFile(text: string, now: number): CookieJar {
  const trimmed = text.replace(/^\ufeff/, "").trimStart();
  const isJson = trimmed.startsWith("{") || trimmed.startsWith("[");
  const cookies = isJson ? readJson(trimmed, now) : readNetscape(trimmed);
  const live = cookies.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
  if (live.length > 0) return live;
  throw new CookieFileProblem(
    cookies.length > 0
      ? "All cookies of the file have expired: log in again, and write it anew."
      : "There are no cookies in the file. It may be cookies.txt, the storage state of Playwright, or a HAR that was saved with its cookies (Chrome: “with sensitive data”).",
  );
}

/**
 * Keeps the cookies that some of these hosts would get. `hosts`: a host name, `host:port`, or `*.suffix`, as
 * `matchesHost` reads them.
 */
export function keepFor(cookies: CookieJar, hosts: readonly string[]): KeptCookies {
  const names = hosts.map((host) => ({ host, name: host.replace(/:\d+$/, "") }));
  const kept = cookies.filter((cookie) => names.some(({ name }) => goesTo(cookie, name)));
  const left = new Set(cookies.filter((cookie) => !kept.includes(cookie)).map(({ host }) => host));
  const without = names.filter(({ name }) => !kept.some((cookie) => goesTo(cookie, name))).map(({ host }) => host);
  return { kept, left: [...left].sort(), without };
}

/** `name`: a host name, or `*.suffix`. */
function goesTo({ host, isOfDomain }: Cookie, name: string): boolean {
  if (name.startsWith("*.")) return isAt(host, name.slice(2)) || (isOfDomain === true && isAt(name.slice(2), host));
  return isOfDomain === true ? isAt(name, host) : name === host;
}

const HTTP_ONLY = "#HttpOnly_";

/** Fields between tabs: domain, whether it goes below that, path, whether it is secure, seconds, name, value. */
function readNetscape(text: string): Cookie[] {
  const cookies: Cookie[] = [];
  for (const line of text.split(/\r?\n/)) {
    const written = line.startsWith(HTTP_ONLY) ? line.slice(HTTP_ONLY.length) : line;
    if (written.trim() === "" || written.startsWith("#")) continue;
    const [domain = "", below = "", path = "", secure = "", expiry = "", name, ...value] = written.split("\t");
    if (name === undefined || !/^(?:TRUE|FALSE)$/i.test(below) || !/^-?\d+(?:\.\d+)?$/.test(expiry))
      throw new CookieFileProblem(
        "The file is neither JSON nor cookies.txt, whose lines have seven fields between tabs.",
      );
    cookies.push(
      ...toCookie({
        domain,
        isHostOnly: !/^TRUE$/i.test(below),
        path,
        secure: /^TRUE$/i.test(secure),
        expires: Number(expiry),
        name,
        value: value.join("\t"),
      }),
    );
  }
  return cookies;
}

function readJson(text: string, now: number): Cookie[] {
  const parsed = parse(text);
  if (Array.isArray(parsed)) return parsed.flatMap(readListed);
  const { cookies, log } = (parsed ?? {}) as { cookies?: unknown; log?: { entries?: unknown } };
  if (Array.isArray(log?.entries)) return readEntries(log.entries, now);
  if (Array.isArray(cookies)) return cookies.flatMap(readListed);
  throw new CookieFileProblem(
    "The JSON has neither `cookies`, as Playwright's storage state has, nor `log.entries` of a HAR.",
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The message of the error would quote the file.
    throw new CookieFileProblem("The file begins like JSON and cannot be read as such.");
  }
}

/** A cookie of Playwright, Puppeteer or a browser extension. */
function readListed(listed: unknown): Cookie[] {
  const { domain, hostOnly, path, secure, expires, expirationDate, name, value } = (listed ?? {}) as Record<
    string,
    unknown
  >;
  if (typeof domain !== "string" || typeof name !== "string" || typeof value !== "string") return [];
  return toCookie({
    domain,
    isHostOnly: typeof hostOnly === "boolean" ? hostOnly : !domain.startsWith("."),
    path: typeof path === "string" ? path : "/",
    secure: secure === true,
    expires: secondsOf(expires ?? expirationDate),
    name,
    value,
  });
}

interface Entry {
  request?: { url?: unknown; cookies?: unknown; headers?: unknown };
  response?: { headers?: unknown };
}

/** What the answers of an archive set, and what its requests carry besides. */
function readEntries(entries: readonly unknown[], now: number): Cookie[] {
  let jar: CookieJar = [];
  for (const { request, response } of entries as Entry[]) {
    const url = URL.parse(String(request?.url ?? ""));
    if (url === null || !/^https?:$/.test(url.protocol)) continue;
    jar = withSent(jar, url, sentIn(request ?? {}));
    jar = storeCookies(jar, url.href, valuesOf(response?.headers, "set-cookie"), now, OF_A_SESSION);
  }
  return [...jar];
}

/** Name and value of each cookie of a request. */
function sentIn({ cookies, headers }: NonNullable<Entry["request"]>): [string, string][] {
  const listed = (Array.isArray(cookies) ? cookies : []).flatMap((cookie): [string, string][] => {
    const { name, value } = (cookie ?? {}) as Record<string, unknown>;
    return typeof name === "string" && typeof value === "string" ? [[name, value]] : [];
  });
  if (listed.length > 0) return listed;
  return valuesOf(headers, "cookie")
    .flatMap((header) => header.split(/;\s*/))
    .filter((pair) => pair.includes("="))
    .map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]);
}

/** A request does not say for which paths and hosts its cookies are: it is its own host, and all paths. */
function withSent(jar: CookieJar, url: URL, sent: readonly (readonly [string, string])[]): CookieJar {
  const host = hostKey(url.href);
  const cookies = [...jar];
  for (const [name, value] of sent) {
    const at = cookies.findIndex((known) => known.name === name && goesTo(known, host));
    const known = cookies[at];
    if (known !== undefined) cookies[at] = { ...known, value };
    else cookies.push({ host, name, value, path: "/", secure: url.protocol === "https:", expiresAt: null });
  }
  return cookies;
}

function valuesOf(headers: unknown, wanted: string): string[] {
  return (Array.isArray(headers) ? headers : []).flatMap((header) => {
    const { name, value } = (header ?? {}) as Record<string, unknown>;
    // Chrome joins the Set-Cookie headers of an answer by line breaks.
    return String(name).toLowerCase() === wanted && typeof value === "string" ? value.split("\n") : [];
  });
}

interface Written {
  domain: string;
  isHostOnly: boolean;
  path: string;
  secure: boolean;
  /** Seconds since the epoch; 0, negative or not a number for the end of the browser's session. */
  expires: number;
  name: string;
  value: string;
}

/** None for a cookie that no request could carry. */
function toCookie({ domain, isHostOnly, path, secure, expires, name, value }: Written): Cookie[] {
  const host = domain.trim().replace(/^\./, "").toLowerCase();
  // Header values are bytes; other characters cannot be sent as they are.
  const isSendable = /^[\t\x20-\x7e\x80-\xff]*$/.test(name + value) && !/[;=]/.test(name) && !value.includes(";");
  if (host === "" || /[/\s]/.test(host) || !isSendable) return [];
  const expiresAt = expires > 0 ? expires * 1_000 : null;
  const cookie = { host, name, value, path: path.startsWith("/") ? path : "/", secure, expiresAt };
  return [isHostOnly ? cookie : { ...cookie, isOfDomain: true }];
}

/** Puppeteer writes numbers, Cypress sometimes texts. */
function secondsOf(written: unknown): number {
  return typeof written === "number" || typeof written === "string" ? Number(written) || 0 : 0;
}

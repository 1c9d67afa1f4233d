/**
 * The key of a page in the mirror. A person can find a page by its key. No two URLs share a key, in R2 or on a disk,
 * which has files and directories and may ignore case.
 *
 *     https://example.com/                   example.com/index.html
 *     https://example.com/docs/a.html        example.com/docs/a.html
 *     https://example.com/docs/intro         example.com/docs/intro~.html
 *     https://example.com/list?page=2        example.com/list~page=2.html
 *     https://example.com/README             example.com/README~~00p7l660xizk2k.html
 *     http://127.0.0.1:8080/a.html/b         127.0.0.1~8080/a.html~/b~.html
 *
 * Why no two URLs share a key: a `~` never comes from the URL, because that is written `%7E`. A file's name is the
 * URL's own segment, or `index.html`, or has exactly one `~` before its query, or has `~~` and a hash. It always ends
 * in an extension, and a directory's name never does. Names that differ only in case, or were cut, have the hash.
 */

import { hostnameOf, hostOf, pathAndQueryOf } from "../../url/host-key.ts";

/** A file system's limit is 255 bytes for a name; this leaves room for what tools append. */
const MAX_COMPONENT = 200;
/** R2's limit for a key is 1,024 bytes; with a crawl id of up to 99 the key stays within 1,000. */
const MAX_PATH = 900;

/** Segments that stand as they are: lower case, safe on every file system, with an extension. */
const PLAIN = /^(?:[a-z0-9._-]|%[0-9A-F]{2})*\.[a-z0-9]{1,8}$/;
const LOOKS_LIKE_FILE = /\.[a-z0-9]{1,8}$/i;
/** An escape, so that its hexadecimal digits do not count, or an upper-case letter. */
const ESCAPE_OR_UPPER = /%[0-9A-F]{2}|[A-Z]/g;
/**
 * Characters that file systems or this scheme forbid, raw or as the URL's own escape. A canonical URL's path and query
 * never have the other characters that Windows forbids (`"`, `<`, `>`, controls) raw.
 */
const UNSAFE = /[/\\:*?|~]|%(?:2F|5C|3A|2A|3F|7C|7E|25)/g;
const UNSAFE_IN_HOST = /[*"~]/g;
/** Windows treats these names as devices, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?:\.|$)/i;

/** The R2 key `CRAWL/HOST/PATH`: at most 1,000 bytes for a `crawlId` of at most 99. `url` is canonical. */
export function mirrorKey(crawlId: string, url: string): string {
  return `${crawlId}/${mirrorPath(url)}`;
}

/**
 * The key of a page's content. No page has this key, because a page's key has a hash and `.html` after `~~`. At most
 * 1,014 bytes.
 */
export function contentKey(crawlId: string, url: string): string {
  return `${mirrorKey(crawlId, url)}~~content.json`;
}

/** The key after the crawl: the page's path below the directory to which a crawl is exported. At most 900 bytes. */
export function mirrorPath(url: string): string {
  const target = pathAndQueryOf(url);
  const queryAt = target.indexOf("?");
  const path = queryAt === -1 ? target : target.slice(0, queryAt);
  const query = queryAt === -1 ? "" : target.slice(queryAt + 1);
  const segments = path.slice(1).split("/");
  const last = segments.pop() ?? "";

  const host = hostComponent(url);
  const directories = segments.map(directoryComponent);
  let file = hasUpperCase(target) ? hashedFile(last, query, url) : exactFile(last, query);
  if (file.length > MAX_COMPONENT) file = hashedFile(last, query, url);
  if (lengthOf(host, directories, file) > MAX_PATH) {
    // The hash stands for the directories that are left out.
    file = hashedFile(last, query, url);
    let length = lengthOf(host, directories, file);
    while (length > MAX_PATH) length -= (directories.pop()?.length ?? 0) + 1;
  }
  return [host, ...directories, file].join("/");
}

function exactFile(last: string, query: string): string {
  if (query !== "") return `${safe(last)}~${escaped(query)}.html`;
  if (last === "") return "index.html";
  return PLAIN.test(last) && last !== "index.html" && !RESERVED.test(last) ? last : `${safe(last)}~.html`;
}

function hashedFile(last: string, query: string, url: string): string {
  const name = query === "" ? safe(last) || "index" : `${safe(last)}~${escaped(query)}`;
  const end = `~~${hash(url)}.html`;
  return name.slice(0, MAX_COMPONENT - end.length) + end;
}

function directoryComponent(segment: string): string {
  const name = safe(segment);
  if (name.length >= MAX_COMPONENT) return cut(name, segment);
  return name === "" || name.endsWith(".") || LOOKS_LIKE_FILE.test(name) ? `${name}~` : name;
}

/** The host; `~PORT` for http, `~httpsPORT` for https off its port, so that each origin has a directory of its own. */
function hostComponent(url: string): string {
  const host = hostOf(url);
  const hostname = hostnameOf(host);
  // Brackets and colons are awkward in a shell and impossible on Windows; an IPv6 address has no other punctuation.
  const name = hostname.startsWith("[")
    ? `ip6~${hostname.slice(1, -1).replaceAll(":", "-")}`
    : unreserve(hostname.replace(UNSAFE_IN_HOST, percentEncode));
  const port = host.slice(hostname.length + 1);
  const suffix = url.startsWith("http://") ? `~${port || "80"}` : port && `~https${port}`;
  return name.length + suffix.length > MAX_COMPONENT
    ? cut(name + suffix, url.slice(0, url.indexOf(host)) + host)
    : name + suffix;
}

/**
 * Injective over canonical URLs: an escape that the URL itself holds of an unsafe character, or of `%`, gets its `%`
 * written `%25`.
 */
function escaped(text: string): string {
  return text.replace(UNSAFE, (found) => (found.length === 1 ? percentEncode(found) : `%25${found.slice(1)}`));
}

function safe(segment: string): string {
  return unreserve(escaped(segment));
}

/** `con.txt` to `%63on.txt`. No canonical URL has an escaped letter there, so none is met. */
function unreserve(name: string): string {
  return RESERVED.test(name) ? percentEncode(name.charAt(0)) + name.slice(1) : name;
}

function percentEncode(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}

function hasUpperCase(text: string): boolean {
  for (const [found] of text.matchAll(ESCAPE_OR_UPPER)) if (found.length === 1) return true;
  return false;
}

function cut(name: string, whole: string): string {
  const end = `~~${hash(whole)}`;
  return name.slice(0, MAX_COMPONENT - end.length) + end;
}

function lengthOf(host: string, directories: readonly string[], file: string): number {
  return directories.reduce((length, directory) => length + directory.length + 1, host.length + 1 + file.length);
}

/**
 * 64 bits in 14 characters: FNV-1a beside a multiply-and-shift lane that shares none of its low bits' linearity.
 *
 * Enough, because only names that are alike but for case, or alike in their first 180 bytes, under one host and one
 * crawl rely on it: among a million such the chance that any two meet is 3 in 10⁸. It is not cryptographic: a site that
 * sets out to make two of its own URLs meet can, and overwrites a page of its own.
 */
function hash(text: string): string {
  let fnv = 0x811c9dc5;
  let mixed = 0x9747b28c ^ text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    fnv = Math.imul(fnv ^ code, 0x01000193);
    mixed = Math.imul(mixed ^ code, 0x5bd1e995);
    mixed ^= mixed >>> 15;
  }
  return base36(fnv) + base36(mixed);
}

function base36(lane: number): string {
  return (lane >>> 0).toString(36).padStart(7, "0");
}

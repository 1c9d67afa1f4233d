import { count } from "../../core/shown-values.ts";
import { canonicalize, MAX_URL_LENGTH } from "../../url/canonicalize.ts";
import { hasUserInfo } from "../../url/user-info.ts";
import { withScheme } from "../../url/with-scheme.ts";

/** Reads the URLs of a list as people write them. */

export interface ListedSeed {
  url: string;
  /** Such as `line 12` or `line 12 of pages.csv`. */
  place: string;
}

export interface InvalidEntry {
  place: string;
  text: string;
  why: string;
}

/** A host without a dot has its scheme, or a port: a word alone is a header or a note. */
const HOSTS = [
  /^https?:\/\//i,
  /^[\w-]+:\d+(?:[/?#]|$)/,
  /^localhost(?:[/?#]|$)/i,
  /^\[[\da-f:.]+\](?::\d+)?(?:[/?#]|$)/i,
];

/** The canonical URL of what somebody wrote; null if it names no page, or has a log-in, which would not be sent. */
export function pageOf(text: string): string | null {
  if (/\s/.test(text)) return null;
  const url = isHost(text) && !hasUserInfo(text) ? canonicalize(withScheme(text)) : null;
  return url === null || url.length > MAX_URL_LENGTH ? null : url;
}

function isHost(text: string): boolean {
  const [, name = ""] = /^([^\s/?#@:[\]]+)(?::\d+)?(?:[/?#]|$)/.exec(text) ?? [];
  return /[^.]\.[^.]/.test(name) || HOSTS.some((host) => host.test(text));
}

/** Why `pageOf` gives none. */
export function whyInvalid({ text }: { text: string }): string {
  if (/\s/.test(text)) return "it has spaces";
  if (text.length > MAX_URL_LENGTH) return `it is longer than ${count(MAX_URL_LENGTH)} characters`;
  if (hasUserInfo(text)) return "a name and a password in a URL are not sent: give a header";
  return "it is no http or https URL";
}

/** By its byte order mark; spreadsheets write UTF-16. Without one, UTF-8. */
export function decodeList(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}

import { trimBlanksAtEnd } from "../core/trim-blanks.ts";

/** Reads one line of a robots.txt (RFC 9309, section 2.2), with the typos that Google forgives. */

interface RobotsRecord {
  /** In lower case; a typo in its correct spelling. */
  key: string;
  value: string;
}

/**
 * Keys that begin like this count as the key before them, as in Google's parser
 * (https://github.com/google/robotstxt/blob/master/robots.cc, KeyIsUserAgent and KeyIsDisallow). Only lines that keep a
 * crawler out are forgiven: an Allow with a typo allows nothing.
 */
const FORGIVEN: readonly (readonly [key: string, spellings: readonly string[]])[] = [
  ["user-agent", ["user-agent", "useragent", "user agent"]],
  ["disallow", ["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"]],
  ["crawl-delay", ["crawl-delay"]],
];

/**
 * Splits a line without its comment at the first colon; null if it is no record. A byte order mark counts as white
 * space everywhere.
 */
export function readLine(line: string): RobotsRecord | null {
  const comment = line.indexOf("#");
  const content = comment === -1 ? line : line.slice(0, comment);
  const colon = content.indexOf(":");
  if (colon === -1) return readWithoutColon(content);
  const key = content.slice(0, colon).trim().toLowerCase();
  return { key: forgivenKey(key) ?? key, value: trimValue(content.slice(colon + 1)) };
}

/** Google forgives a missing colon in a line of exactly two words (GetKeyAndValueFrom). */
function readWithoutColon(content: string): RobotsRecord | null {
  const [, word = "", value = ""] = /^(\S+)[ \t]+(\S+)$/.exec(content.trim()) ?? [];
  const key = forgivenKey(word.toLowerCase());
  return key === null ? null : { key, value };
}

/** The key that is meant, if a typo of it is forgiven. */
function forgivenKey(key: string): string | null {
  const found = FORGIVEN.find(([, spellings]) => spellings.some((spelling) => key.startsWith(spelling)));
  return found?.[0] ?? null;
}

/** Trims only spaces and tabs at the end, as section 2.2 says: other white space there belongs to the path. */
function trimValue(value: string): string {
  return trimBlanksAtEnd(value.trimStart());
}

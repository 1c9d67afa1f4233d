import { decodeRobots, parseRobots, type Robots } from "./parse.ts";

/** Tells a robots.txt without rules from one that cannot be read. */

/**
 * Control characters that no text has, looked for in as many characters as browsers look at: the binary data bytes and
 * the resource header of https://mimesniff.spec.whatwg.org/.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what it looks for
const BINARY = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/;
const MAX_SNIFFED = 1_445;

/**
 * The file; null if it cannot be read. `isEncoded`: it has a content-encoding that was not undone.
 *
 * A file with binary characters is read if some line of it is a record (RFC 9309, section 2.3.1.5), because one stray
 * character makes no file unreadable. Without a record, or in a coding, it is compressed, or in an unknown encoding. A
 * coding alone means nothing: servers send `Content-Encoding: utf-8`, and browsers ignore it.
 */
export function readRobots(bytes: Uint8Array, isEncoded: boolean): Robots | null {
  const text = decodeRobots(bytes);
  const robots = parseRobots(text);
  const isBinary = BINARY.test(text.slice(0, MAX_SNIFFED));
  const hasRecord = robots.groups.length + robots.crawlDelays.length + robots.sitemaps.length > 0;
  return isBinary && (isEncoded || !hasRecord) ? null : robots;
}

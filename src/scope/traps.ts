/** Traps: finds URLs that lead to endless pages, and the pattern that such URLs share. */

import { hostKey, originOf, pathAndQueryOf } from "../url/host-key.ts";
import type { Refusal } from "./refusal.ts";

export interface TrapRules {
  maxUrlLength: number;
  /** The maximum number of path segments that are not empty. */
  maxPathDepth: number;
  /** How often one segment may occur in a row. Heritrix's PathologicalPathDecideRule has 2. */
  maxRepeatedSegments: number;
}

/** Null if it is no trap. */
type TrapDecision = null | { readonly reason: Refusal; readonly detail: string };

/** Decides for one link. `url` and `via`, the page that has the link, are canonical URLs. */
export function decideTrap(rules: TrapRules, url: string, via: string): TrapDecision {
  if (url.length > rules.maxUrlLength) return { reason: "too-long", detail: `${url.length} characters` };

  const tail = pathAndQueryOf(url);
  const segments = pathOf(tail).split("/").filter(isNotEmpty);
  if (segments.length > rules.maxPathDepth) {
    return { reason: "path-depth", detail: `${segments.length} path segments, the crawl takes ${rules.maxPathDepth}` };
  }

  const repetition = findRepetition(segments, rules.maxRepeatedSegments);
  if (repetition !== null) return { reason: "repeated-segments", detail: repetition };

  const session = findOtherSession(tail, url, via);
  return session === null ? null : { reason: "session-id", detail: `${session} differs from the page's` };
}

/**
 * The pattern that variants of one URL share: origin and path with `#` in place of each run of digits and each id, then
 * the distinct query keys without values, sorted, with `#` likewise. Null for a URL without digits and query, which has
 * no variants.
 *
 * Escapes stay as they are, because the digits of `%D0%9F` mean a letter.
 */
export function variantPattern(url: string): string | null {
  const tail = pathAndQueryOf(url);
  const path = pathOf(tail);
  const pattern = collapseIds(path);
  if (path.length === tail.length) return pattern === path ? null : originOf(url) + pattern;
  const keys = new Set(
    tail
      .slice(path.length + 1)
      .split("&")
      .map(keyPattern),
  );
  return `${originOf(url)}${pattern}?${Array.from(keys).sort().join("&")}`;
}

function pathOf(tail: string): string {
  const queryAt = tail.indexOf("?");
  return queryAt === -1 ? tail : tail.slice(0, queryAt);
}

function isNotEmpty(segment: string): boolean {
  return segment !== "";
}

/** In segments. Longer loops are found by counting one of their segments. */
const LONGEST_RUN = 5;

/**
 * Finds one segment more than `max` times in a row, a run of several segments `max` times in a row (`/a/b/c/b/c` for 2:
 * relative links in a loop show after one round), or one segment more than `max + 2` times anywhere. Numbers may
 * repeat, as in `/2020/12/2020/12`, and so may single characters anywhere (`/a/b/a/c`).
 */
function findRepetition(segments: readonly string[], max: number): string | null {
  if (segments.length < 2) return null;
  const repeats = segments.length - new Set(segments).size;
  if (repeats === 0) return null;

  for (let length = 1; length <= LONGEST_RUN && length <= repeats; length++) {
    const allowed = length === 1 ? Math.max(max, 1) : Math.max(max, 2) - 1;
    let same = 0;
    for (let at = length; at <= segments.length; at++) {
      if (at < segments.length && segments[at] === segments[at - length]) {
        same++;
        continue;
      }
      const times = Math.floor(same / length) + 1;
      if (times > allowed) {
        const run = segments.slice(at - same - length, at - same);
        if (!run.every(isNumber)) return `${run.join("/")} stands ${times} times in a row`;
      }
      same = 0;
    }
  }

  // A segment that occurs more than `inAll` times has at least `inAll` repeats.
  const inAll = Math.max(max, 1) + 2;
  if (repeats < inAll) return null;
  const counts = new Map<string, number>();
  for (const segment of segments) counts.set(segment, (counts.get(segment) ?? 0) + 1);
  for (const [segment, times] of counts) {
    if (times > inAll && segment.length > 1 && !isNumber(segment)) return `${segment} stands ${times} times`;
  }
  return null;
}

function isNumber(segment: string): boolean {
  return /^[0-9]+$/.test(segment);
}

/**
 * Names under which sites keep sessions in URLs, in lower case: those of Heritrix's StripSessionIDs, of shops and
 * forums (osCommerce, Zen Cart, xt:Commerce, vBulletin's `s`), of ColdFusion, and plain words. `canonicalize` removes
 * many sessions before; this finds those in other places and forms.
 */
const SESSION_NAMES: ReadonlySet<string> = new Set(
  `s sid sess sessid session sessionid session_id session-id session_token sessiontoken phpsessid jsessionid oscsid zenid xtcsid
  cftoken token`.split(/\s+/),
);
const MIN_ID = 16;
/** Names that have other meanings too. Their ids need this minimum length. */
const VAGUE_NAMES: ReadonlySet<string> = new Set(["s", "token"]);
const MIN_VAGUE_ID = 24;

const NAMES = Array.from(SESSION_NAMES).join("|");
/**
 * Names that count as a segment before an id. Conferences use `/session/UUID` for pages, and others use `/token/ID`.
 */
const PATH_NAMES = Array.from(SESSION_NAMES)
  .filter((name) => !["s", "session", "token"].includes(name))
  .join("|");
/** Matches `/name/id`, and `name=id` as a segment, a `;` parameter or in the query. */
const MARKED = new RegExp(`(?:/(${PATH_NAMES})/|[/?&;](${NAMES})=)([0-9A-Za-z_-]{${MIN_ID},})(?![^/?&;])`, "gi");

interface Session {
  readonly name: string;
  readonly id: string;
}

/**
 * The name of a session that the link and its page both have, with different ids. It compares only URLs of one host. A
 * page without a session may link to one.
 */
function findOtherSession(tail: string, url: string, via: string): string | null {
  const sessions = sessionsOf(tail);
  if (sessions.length === 0 || hostKey(url) !== hostKey(via)) return null;
  const own = sessionsOf(pathAndQueryOf(via));
  for (const { name, id } of sessions) {
    const named = own.filter((session) => session.name === name);
    if (named.length > 0 && named.every((session) => session.id !== id)) return name;
  }
  return null;
}

function sessionsOf(tail: string): readonly Session[] {
  const sessions: Session[] = [];
  if (tail.length < MIN_ID) return sessions;
  const queryAt = tail.indexOf("?");
  MARKED.lastIndex = 0;
  for (let match = MARKED.exec(tail); match !== null; match = MARKED.exec(tail)) {
    const [, segment, parameter, id = ""] = match;
    // Slashes separate nothing in a query.
    if (segment !== undefined && queryAt !== -1 && match.index > queryAt) continue;
    const name = (segment ?? parameter ?? "").toLowerCase();
    if (isId(id) && (id.length >= MIN_VAGUE_ID || !VAGUE_NAMES.has(name))) sessions.push({ name, id });
  }
  return sessions;
}

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const IS_UUID = new RegExp(`^${UUID}$`, "i");

/**
 * Whether a word of letters, digits, `-` and `_` was made by a program: 16 characters or more, with a letter and a
 * digit. A word with `-` or `_` may be a title (`10-tips-for-better-code`), unless it is a UUID or looks like
 * base64url.
 */
function isId(word: string): boolean {
  if (word.length < MIN_ID || !/[0-9]/.test(word) || !/[A-Za-z]/.test(word)) return false;
  return !/[-_]/.test(word) || IS_UUID.test(word) || looksLikeBase64Url(word);
}

/**
 * Whether it has both cases, and changes between lower case, upper case and digits at least once in three characters.
 */
function looksLikeBase64Url(word: string): boolean {
  if (!/[a-z]/.test(word) || !/[A-Z]/.test(word)) return false;
  let changes = 0;
  let before = 0;
  for (let at = 0; at < word.length; at++) {
    const kind = characterKind(word.charCodeAt(at));
    if (kind !== 0 && before !== 0 && kind !== before) changes++;
    before = kind;
  }
  return changes * 3 >= word.length;
}

/** 1 is a digit, 2 upper case, 3 lower case, and 0 `-` or `_`. */
function characterKind(code: number): 0 | 1 | 2 | 3 {
  if (code >= 48 && code <= 57) return 1;
  if (code >= 65 && code <= 90) return 2;
  return code >= 97 && code <= 122 ? 3 : 0;
}

const WORDS = /%[0-9A-F]{2}|[0-9A-Za-z_-]+/g;
const PARTS = new RegExp(`(?<![0-9a-z])${UUID}(?![0-9a-z])|[0-9a-z]{${MIN_ID},}|[0-9]+`, "gi");

/** The text with `#` in place of each run of digits and each id. */
export function collapseIds(text: string): string {
  return /[0-9]/.test(text) ? text.replace(WORDS, collapseWord) : text;
}

function collapseWord(word: string): string {
  if (word.startsWith("%")) return word;
  return isId(word) ? "#" : word.replace(PARTS, (part) => (/[0-9]/.test(part) ? "#" : part));
}

/** The key of a `key=value` in a query, with `#` likewise. */
export function keyPattern(parameter: string): string {
  const equals = parameter.indexOf("=");
  return collapseIds(equals === -1 ? parameter : parameter.slice(0, equals));
}

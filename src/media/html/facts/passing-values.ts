/**
 * Values that a server draws anew for each answer: tokens, nonces, numbers of sessions, times to the millisecond. They
 * say nothing to anybody.
 */

/** Hex digits, or the form of a UUID. */
const HEX = /^(?:[\da-f]{16,}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i;
/** Characters of base64, and of a token that has dots. */
const BASE64 = /^[\w+/.~-]{20,}={0,2}$/;
/** Seconds or milliseconds since 1970: from 2001 to 2033. */
const EPOCH = /^1\d{9}(?:\d{3})?(?:\.\d+)?$/;
/** Names of query parameters that only keep a cache from answering. */
const CACHE_BUSTER = /^(?:_|t|ts|cb|rnd|rand|random|nocache|cachebust(?:er)?|nonce|token|csrf|sid|session)$/i;

/** Whether a value looks drawn: long, without words, of letters in both cases and digits. */
export function isPassing(value: string): boolean {
  if (HEX.test(value)) return /\d/.test(value);
  if (EPOCH.test(value)) return true;
  return BASE64.test(value) && /\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value) && !hasWords(value);
}

/** A URL without the query parameters whose values pass. */
export function withoutPassing(url: string): string {
  const start = url.indexOf("?");
  if (start === -1) return url;
  const end = url.indexOf("#", start);
  const query = url.slice(start + 1, end === -1 ? undefined : end);
  const kept = query.split("&").filter((pair) => {
    const at = pair.indexOf("=");
    const name = at === -1 ? pair : pair.slice(0, at);
    return !CACHE_BUSTER.test(name) && !(at !== -1 && isPassing(pair.slice(at + 1)));
  });
  const rest = end === -1 ? "" : url.slice(end);
  return url.slice(0, start) + (kept.length === 0 ? "" : `?${kept.join("&")}`) + rest;
}

/** Whether signs divide it into words, as in a path or a name. */
function hasWords(value: string): boolean {
  return value.split(/[-_/.~+]/).filter((part) => /^[A-Za-z]?[a-z]{2,}$/.test(part)).length >= 2;
}

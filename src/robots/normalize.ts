/**
 * The normal form in which rules and URLs are compared octet by octet (RFC 9309, sections 2.2.2 and 2.2.3): ASCII,
 * escapes in capitals and only where needed, and `*` and `$` escaped unless they are special.
 */

const ENCODER = new TextEncoder();
const ESCAPES = Array.from({ length: 256 }, (_, octet) => `%${octet.toString(16).toUpperCase().padStart(2, "0")}`);

/** An escape, or a run of characters that a URI cannot contain: neither unreserved, reserved nor `%`. */
const TO_REWRITE = /%[0-9A-Fa-f]{2}|[^\w\-.~:/?#[\]@!$&'()*+,;=%]+/g;
const UNRESERVED = /^[\w\-.~]$/;

/**
 * Escapes of characters that separate nothing in a query: `:`, `/`, `?`, `@`, `[`, `]`; and `'`, which the URL standard
 * escapes there.
 */
const QUERY_ESCAPES = /%(?:3A|2F|3F|40|5B|5D|27)/g;

/**
 * Converts a rule's path to normal form. Every `*` in it is a wildcard. A `$` at the end is the anchor; elsewhere it is
 * a literal and becomes `%24`.
 */
export function normalizePattern(path: string): string {
  const anchored = path.endsWith("$");
  const body = rewrite(anchored ? path.slice(0, -1) : path).replaceAll("$", "%24");
  return anchored ? `${body}$` : body;
}

/** The path and query of a URL in normal form; "/" if it has no path. A URL that does not parse is used as written. */
export function normalizeUrl(url: string): string {
  return rewrite(pathAndQuery(url)).replaceAll("*", "%2A").replaceAll("$", "%24");
}

/**
 * Decodes QUERY_ESCAPES in the query, so that `?u=https://a.b` and `?u=https%3A%2F%2Fa.b` are equal (second example of
 * section 2.2.2). In the path, an escaped reserved character stays distinct from the character.
 */
export function withPlainQuery(normalized: string): string {
  const query = normalized.indexOf("?");
  if (query === -1) return normalized;
  return normalized.slice(0, query) + normalized.slice(query).replace(QUERY_ESCAPES, decodeEscape);
}

function rewrite(text: string): string {
  return text.replace(TO_REWRITE, (found) => {
    if (!found.startsWith("%")) return percentEncode(found);
    const character = decodeEscape(found);
    return UNRESERVED.test(character) ? character : found.toUpperCase();
  });
}

function decodeEscape(escaped: string): string {
  return String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
}

function percentEncode(text: string): string {
  let encoded = "";
  for (const octet of ENCODER.encode(text)) encoded += ESCAPES[octet];
  return encoded;
}

/** `URL.pathname` and `URL.search` would lose the `?` of an empty query, with which a rule may end. */
function pathAndQuery(url: string): string {
  const href = URL.canParse(url) ? new URL(url).href : url;
  const fragment = href.indexOf("#");
  const beforeFragment = fragment === -1 ? href : href.slice(0, fragment);
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//.exec(beforeFragment);
  const rest = beforeFragment.slice(scheme === null ? 0 : scheme[0].length);
  const start = rest.search(/[/?]/);
  if (start === -1) return "/";
  return rest.charAt(start) === "?" ? `/${rest.slice(start)}` : rest.slice(start);
}

/**
 * The one form in which a rule and a URL are compared, octet by octet (RFC 9309, sections 2.2.2 and 2.2.3): pure ASCII, escapes in
 * capitals, no escape where none is needed, and `*` and `$` escaped wherever they stand for themselves.
 */

const ENCODER = new TextEncoder();
const ESCAPES = Array.from({ length: 256 }, (_, octet) => `%${octet.toString(16).toUpperCase().padStart(2, "0")}`);

/** An escape, or a run of what a URI cannot hold as it is: anything but unreserved, reserved and `%`. */
const TO_REWRITE = /%[0-9A-Fa-f]{2}|[^\w\-.~:/?#[\]@!$&'()*+,;=%]+/g;
const UNRESERVED = /^[\w\-.~]$/;

/** Escapes of characters that delimit nothing in a query: `:`, `/`, `?`, `@`, `[`, `]`; and `'`, which the URL standard escapes there. */
const QUERY_ESCAPES = /%(?:3A|2F|3F|40|5B|5D|27)/g;

/**
 * A rule's path in the form of comparison. Every `*` in it is a wildcard, and a `$` can only be its last character, the anchor: a `$`
 * elsewhere stands for itself and comes back as `%24`.
 */
export function normalizePattern(path: string): string {
  const anchored = path.endsWith("$");
  const body = rewrite(anchored ? path.slice(0, -1) : path).replaceAll("$", "%24");
  return anchored ? `${body}$` : body;
}

/** The path and query of a URL in the form of comparison; "/" when it has no path. A URL that does not parse is taken as it stands. */
export function normalizeUrl(url: string): string {
  return rewrite(pathAndQuery(url)).replaceAll("*", "%2A").replaceAll("$", "%24");
}

/**
 * The same with the escapes of a query's undelimiting characters undone, so that `?u=https://a.b` and `?u=https%3A%2F%2Fa.b` can meet
 * (second example of section 2.2.2). In the path, before the first `?`, an escape of a reserved character stays distinct from it.
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

/** Not `URL.pathname` and `URL.search`: they lose the `?` of an empty query, which a rule may end in. */
function pathAndQuery(url: string): string {
  const href = URL.canParse(url) ? new URL(url).href : url;
  const fragment = href.indexOf("#");
  const whole = fragment === -1 ? href : href.slice(0, fragment);
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//.exec(whole);
  const rest = whole.slice(scheme === null ? 0 : scheme[0].length);
  const start = rest.search(/[/?]/);
  if (start === -1) return "/";
  return rest.charAt(start) === "?" ? `/${rest.slice(start)}` : rest.slice(start);
}

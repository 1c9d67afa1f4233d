import { trimBlanks, trimBlanksAtEnd } from "./trim-blanks.ts";

/**
 * Media types as browsers read them: parsed by the MIME Sniffing standard, and taken from a Content-Type header by the
 * Fetch standard.
 */

interface MediaType {
  /** Without parameters, in lower case. */
  essence: string;
  charset: string | null;
}

const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const ESSENCE = new RegExp(`^[\\t\\n\\r ]*(${TOKEN}/${TOKEN})[\\t\\n\\r ]*(?=;|$)`);
/** A name, and a value in quotes or without them. */
const PARAMETER = /;[\t\n\r ]*([^;=]*)(?:=(?:"((?:[^"\\]|\\[\s\S])*)[^;]*|([^;]*)))?/gy;
const VALUE = /^[\t\x20-\x7e\x80-\xff]+$/;
/** The pieces of a header that lists values: a comma in quotes separates nothing. */
const LIST_PIECE = /,|"(?:[^"\\]|\\[\s\S])*"?|[^",]+/g;
/** Types that a browser sniffs: https://mimesniff.spec.whatwg.org/#mime-type-sniffing-algorithm */
const UNKNOWN = new Set(["unknown/unknown", "application/unknown"]);

/**
 * The media type of a Content-Type header without its parameters, in lower case. Empty if a browser sniffs the type,
 * because the header is missing or names none.
 */
export function essenceOf(contentType: string | null): string {
  return extract(listOf(contentType))?.essence ?? "";
}

/**
 * A Content-Type header as one media type, because several headers arrive joined by commas. A header with one value
 * stays as it is. Null if a browser sniffs the type.
 */
export function soleMediaType(contentType: string | null): string | null {
  const values = listOf(contentType);
  const found = extract(values);
  if (found === null || values.length === 1) return found === null ? null : contentType;
  return found.charset === null ? found.essence : `${found.essence}; charset=${JSON.stringify(found.charset)}`;
}

/**
 * The last valid type counts, with the charset of an earlier one of the same essence if it has none itself.
 * https://fetch.spec.whatwg.org/#concept-header-extract-mime-type
 */
function extract(values: readonly string[]): MediaType | null {
  const found = values.map(parse).reduce((before, parsed) => {
    if (parsed === null || parsed.essence === "*/*") return before;
    return before?.essence === parsed.essence ? { ...parsed, charset: parsed.charset ?? before.charset } : parsed;
  }, null);
  return found === null || UNKNOWN.has(found.essence) ? null : found;
}

/** https://mimesniff.spec.whatwg.org/#parsing-a-mime-type, without the parameters that nobody needs. */
function parse(text: string): MediaType | null {
  const match = ESSENCE.exec(text);
  if (match === null) return null;
  PARAMETER.lastIndex = match[0].length;
  let charset: string | null = null;
  for (let found = PARAMETER.exec(text); found !== null; found = PARAMETER.exec(text)) {
    const [, name = "", quoted, bare = ""] = found;
    // A header holds no line breaks, so only blanks are left to trim.
    const value = quoted?.replace(/\\([\s\S])/g, "$1") ?? trimBlanksAtEnd(bare);
    if (name.toLowerCase() === "charset" && VALUE.test(value)) charset ??= value;
  }
  return { essence: (match[1] ?? "").toLowerCase(), charset };
}

/** https://fetch.spec.whatwg.org/#header-value-get-decode-and-split */
function listOf(header: string | null): string[] {
  if (header === null) return [];
  const values = [""];
  for (const [piece] of header.matchAll(LIST_PIECE)) {
    if (piece === ",") values.push("");
    else values.push((values.pop() ?? "") + piece);
  }
  return values.map(trimBlanks);
}

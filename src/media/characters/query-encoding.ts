import { encoderOf } from "./legacy-encoder.ts";

/**
 * Encodes the query of a link in the encoding of its page, as browsers do: on a page in windows-1251, `?q=Мир` is
 * `?q=%CC%E8%F0`. Other parts of a URL are always in UTF-8. https://url.spec.whatwg.org/#query-state
 */

/** Gets an href as written, and returns one whose query is ASCII. */
export type EncodeQuery = (href: string) => string;

/** In pieces, because each of their bytes is an object for a moment. */
const NOT_ASCII = /[^\0-\x7f]{1,1000}/gu;
/**
 * Further characters that the query of an http URL holds only as escapes.
 * https://url.spec.whatwg.org/#special-query-percent-encode-set
 */
const ESCAPED = new Set(Array.from(`"#<>'`, (char) => char.charCodeAt(0)));

/**
 * `encoding`: the WHATWG name of the page's encoding. Null for UTF-8 and UTF-16, on whose pages queries are in UTF-8.
 * https://encoding.spec.whatwg.org/#get-an-output-encoding
 */
export function queryEncoderOf(encoding: string): EncodeQuery | null {
  if (encoding === "utf-8" || encoding === "" || encoding.startsWith("utf-16")) return null;
  return (href) => {
    const queryAt = href.indexOf("?");
    if (queryAt === -1) return href;
    const fragmentAt = href.indexOf("#");
    if (fragmentAt !== -1 && fragmentAt < queryAt) return href;
    const end = fragmentAt === -1 ? href.length : fragmentAt;
    const query = href.slice(queryAt, end).replace(NOT_ASCII, (text) => escapeText(text, encoding));
    return href.slice(0, queryAt) + query + href.slice(end);
  };
}

/**
 * A character that the encoding lacks becomes its reference, `&#1234;`.
 * https://url.spec.whatwg.org/#string-percent-encode-after-encoding
 */
function escapeText(text: string, encoding: string): string {
  const encode = encoderOf(encoding);
  return encode(text)
    .map((part) => (typeof part === "number" ? `%26%23${part}%3B` : Array.from(part, escapeByte).join("")))
    .join("");
}

function escapeByte(byte: number): string {
  const isPlain = byte > 0x20 && byte < 0x7f && !ESCAPED.has(byte);
  return isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}

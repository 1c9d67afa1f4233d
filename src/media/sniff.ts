/** What a body is by how it begins, where its type is missing, or is not true. https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type */

/** As far as the standard looks. */
const RESOURCE_HEADER = 1_445;
const HTML_START =
  /^[\t\n\f\r ]*<(?:!--|(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[ >])/i;
const XML_START = /^[\t\n\f\r ]*<\?xml/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const BINARY = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

/**
 * `text` is the body as it was decoded, so unlike in a browser a page is one behind a byte order mark too. Of what is neither HTML nor
 * text, XML alone is named.
 */
export function sniffType(text: string): "text/html" | "text/plain" | "text/xml" | "application/octet-stream" {
  const header = text.slice(0, RESOURCE_HEADER);
  if (HTML_START.test(header)) return "text/html";
  if (XML_START.test(header)) return "text/xml";
  return BINARY.test(header) || header.startsWith("%PDF-") ? "application/octet-stream" : "text/plain";
}

/**
 * Where what stands, one character per byte: 7-Zip, and as in https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern and the
 * sections after it.
 */
const SIGNATURES: [type: string, ...signature: [at: number, characters: string][]][] = [
  ["application/pdf", [0, "%PDF-"]],
  ["image/png", [0, "\x89PNG\r\n\x1a\n"]],
  ["image/gif", [0, "GIF87a"]],
  ["image/gif", [0, "GIF89a"]],
  ["image/jpeg", [0, "\xff\xd8\xff"]],
  ["image/webp", [0, "RIFF"], [8, "WEBPVP"]],
  ["application/zip", [0, "PK\x03\x04"]],
  ["application/gzip", [0, "\x1f\x8b\x08"]],
  ["application/x-rar-compressed", [0, "Rar!\x1a\x07"]],
  ["application/x-7z-compressed", [0, "7z\xbc\xaf\x27\x1c"]],
  ["video/mp4", [0, "\0\0"], [4, "ftyp"]],
  ["video/webm", [0, "\x1a\x45\xdf\xa3"]],
  ["application/ogg", [0, "OggS\0"]],
];
const SIGNATURE_BYTES = 16;
/** Text has no NUL bytes (https://mimesniff.spec.whatwg.org/#binary-data-byte), but for a slip or two. */
const MOST_NULS = 8;

/**
 * The format of a file that is sent as a page, whatever its header says, or "binary data"; null for what may be text. A browser would
 * show the characters of a `text/html` that is a picture; they are of no use to anybody.
 */
export function binaryType(body: Uint8Array, encoding: string): string | null {
  const start = String.fromCharCode(...body.subarray(0, SIGNATURE_BYTES));
  const found = SIGNATURES.find(([, ...parts]) => parts.every(([at, characters]) => start.startsWith(characters, at)));
  if (found !== undefined) return found[0];
  if (encoding.startsWith("utf-16")) return null;
  let nuls = 0;
  for (const byte of body.subarray(0, 1_024)) if (byte === 0) nuls += 1;
  return nuls > MOST_NULS ? "binary data" : null;
}

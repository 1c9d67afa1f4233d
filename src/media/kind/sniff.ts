import { decodeHtml } from "../characters/charset.ts";

/**
 * Recognizes files by how they begin, for those whose type is missing or wrong.
 * https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type
 */

/**
 * The standard looks at the start of a file alone. A text is decoded first, so unlike in a browser it may have a byte
 * order mark.
 */
export const SNIFFED_CHARACTERS = 1_445;
const HTML_START =
  /^[\t\n\f\r ]*<(?:!--|(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[ >])/i;
const XML_START = /^[\t\n\f\r ]*<\?xml/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: binary files hold them, texts do not
const BINARY = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

export function looksLikeHtml(start: string): boolean {
  return HTML_START.test(start);
}

export function looksLikeXml(start: string): boolean {
  return XML_START.test(start);
}

export function looksLikeText(start: string): boolean {
  return !BINARY.test(start) && !start.startsWith("%PDF-");
}

/** Whether the bytes begin as text, whatever they are called. `contentType` may name their encoding. */
export function startsAsText(bytes: Uint8Array, contentType: string | null): boolean {
  return looksLikeText(decodeHtml(bytes.subarray(0, 2 * SNIFFED_CHARACTERS), contentType).text);
}

/** A media type, and the parts that a file of it has at fixed positions; each character is a byte. */
export type Signature = readonly [type: string, ...parts: [at: number, characters: string][]];

const SIGNATURE_BYTES = 16;

/** The media type of the first signature that the bytes have; null if they have none. */
export function findSignature(bytes: Uint8Array, signatures: readonly Signature[]): string | null {
  const start = String.fromCharCode(...bytes.subarray(0, SIGNATURE_BYTES));
  const found = signatures.find(([, ...parts]) => parts.every(([at, characters]) => start.startsWith(characters, at)));
  return found?.[0] ?? null;
}

/** Text has no NUL bytes (https://mimesniff.spec.whatwg.org/#binary-data-byte), except for a few by mistake. */
const MAX_NULS = 8;

/**
 * Whether the bytes are no text. A browser would show the characters of a picture that is sent as HTML; they are
 * useless.
 */
export function isBinary(bytes: Uint8Array, contentType: string | null): boolean {
  let nuls = 0;
  for (const byte of bytes.subarray(0, 1_024)) if (byte === 0) nuls += 1;
  return nuls > MAX_NULS && !decodeHtml(bytes, contentType).encoding.startsWith("utf-16");
}

import { decodeHtml } from "../characters/charset.ts";

/**
 * Decodes a style sheet. `@charset` counts if the header names no charset.
 * https://www.w3.org/TR/css-syntax-3/#determine-the-fallback-encoding
 */
export function decodeCss(body: Uint8Array, contentType: string): string {
  const start = new TextDecoder("windows-1252").decode(body.subarray(0, 128));
  const declared = /^@charset "([\w.:-]+)";/.exec(start)?.[1];
  const isNamed = /;\s*charset=/i.test(contentType);
  return decodeHtml(body, isNamed || declared === undefined ? contentType : `text/css; charset=${declared}`).text;
}

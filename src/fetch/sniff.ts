/** What a body is that came without a type, by how it begins. https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type */

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

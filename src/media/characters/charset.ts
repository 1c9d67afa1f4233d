import { guessEncoding, isIso2022Jp, isNearlyUtf8, utf16WithoutMark } from "./charset-guess.ts";

/**
 * Decodes the bytes of a page, by the encoding that the HTML standard finds, or for XHTML the XML standard.
 * https://html.spec.whatwg.org/multipage/parsing.html#determining-the-character-encoding
 * https://www.rfc-editor.org/rfc/rfc7303#section-3
 */

export interface DecodedHtml {
  text: string;
  /** The WHATWG name in lower case: a page in `gb2312` is `gbk`. */
  encoding: string;
}

/** The standard searches this many bytes for a declaration before parsing. */
const PRESCAN_BYTES = 1024;
/**
 * We search this many bytes of a page that declares nothing there and is not UTF-8. Browsers search all of it, and
 * parse again.
 */
const LATE_PRESCAN_BYTES = 64 * 1024;
const DEFAULT_ENCODING = "windows-1252";
const XML = /^[\t\n\r ]*(?:(?:text|application)\/xml|[^\t\n\r ;]+\+xml)[\t\n\r ]*(?:;|$)/i;

/**
 * Tries the byte order mark, the charset of `contentType` (the header's value), the page's declaration, ISO-2022-JP by
 * its escapes, UTF-8 if nearly all of it is valid, a guess by statistics, and at last windows-1252. A label that names
 * no encoding, or one that must not be decoded (`hz-gb-2312`), is ignored. XHTML declares by its XML declaration alone;
 * a `meta` counts only in a page that is not UTF-8, which no browser would show. Never throws: invalid bytes become
 * U+FFFD.
 */
export function decodeHtml(bytes: Uint8Array, contentType: string | null, guess = guessEncoding): DecodedHtml {
  const start = bytes.subarray(0, PRESCAN_BYTES);
  const declared =
    byteOrderMark(bytes) ?? contentTypeCharset(contentType) ?? prescan(start, XML.test(contentType ?? ""));
  if (declared !== null) return decode(bytes, declared);
  if (bytes.includes(0)) {
    const utf16 = utf16WithoutMark(bytes);
    if (utf16 !== null) return decode(bytes, utf16);
  }
  if (isIso2022Jp(bytes)) return decode(bytes, "iso-2022-jp");
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
    return { text, encoding: "utf-8" };
  } catch {
    // It is not UTF-8, or has mistakes.
    const late = prescan(bytes.subarray(0, LATE_PRESCAN_BYTES), false);
    if (late !== null) return decode(bytes, late);
    const asUtf8 = decode(bytes, "utf-8");
    return isNearlyUtf8(asUtf8.text) ? asUtf8 : decode(bytes, encodingOf(guess(bytes) ?? "") ?? DEFAULT_ENCODING);
  }
}

function decode(bytes: Uint8Array, encoding: string): DecodedHtml {
  return { text: new TextDecoder(encoding).decode(bytes), encoding };
}

/** https://encoding.spec.whatwg.org/#concept-encoding-get, for the encodings that the runtime decodes. */
function encodingOf(label: string): string | null {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    // No such encoding: try the next source.
    return null;
  }
}

/** https://encoding.spec.whatwg.org/#bom-sniff */
function byteOrderMark(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  return null;
}

/** Returns the encoding that a Content-Type header names; null if it names none that exists. */
export function contentTypeCharset(contentType: string | null): string | null {
  const match = /;[\t\n\r ]*charset=(?:"([^"]*)"|([^;]*))/i.exec(contentType ?? "");
  return match === null ? null : encodingOf(match[1] ?? match[2] ?? "");
}

const COMMENT_END = "-->";
const META = /<meta[\t\n\f\r /]/iy;
const TAG = /<\/?[a-z][^\t\n\f\r >]*/iy;
/** A name, then a value: in quotes, empty before `>`, or bare; a value cut off by the end takes all the rest. */
const ATTRIBUTE =
  /[\t\n\f\r /]*([^\t\n\f\r />][^\t\n\f\r />=]*)(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|(?=>)|([^\t\n\f\r >"'][^\t\n\f\r >]*)|[\s\S]*))?/y;
const CHARSET = /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r ;"'][^\t\n\f\r ;]*))/i;
const XML_ENCODING = /^<\?xml[^>]*?encoding[\0- ]*=[\0- ]*(?:"([^"\0- ]*)"|'([^'\0- ]*)')[^>]*>/;

/**
 * Returns the encoding that a page declares: XML by its XML declaration, HTML by a `meta`, or else by an XML
 * declaration. https://html.spec.whatwg.org/multipage/parsing.html#prescan-a-byte-stream-to-determine-its-encoding
 */
function prescan(bytes: Uint8Array, isXml: boolean): string | null {
  // One character per byte is enough, because declarations are ASCII.
  const text = new TextDecoder("windows-1252").decode(bytes);
  if (text.startsWith("<\0?\0x\0")) return "utf-16le";
  if (text.startsWith("\0<\0?\0x")) return "utf-16be";
  return (isXml ? null : prescanTags(text)) ?? xmlEncoding(text);
}

function prescanTags(text: string): string | null {
  for (let at = text.indexOf("<"); at !== -1; at = text.indexOf("<", at)) {
    if (text.startsWith("<!--", at)) {
      // The dashes that open a comment may also close it.
      const end = text.indexOf(COMMENT_END, at + 2);
      if (end === -1) return null;
      at = end + COMMENT_END.length;
      continue;
    }
    const isMeta = testAt(META, text, at);
    if (isMeta || testAt(TAG, text, at)) {
      const tag = readAttributes(text, isMeta ? META.lastIndex - 1 : TAG.lastIndex);
      if (tag === null) return null;
      const encoding = isMeta ? metaEncoding(tag.attributes) : null;
      if (encoding !== null) return encoding;
      at = tag.end;
    } else if (/[!/?]/.test(text.charAt(at + 1))) {
      at = text.indexOf(">", at);
      if (at === -1) return null;
    } else at += 1;
  }
  return null;
}

/** Reads up to the tag's `>`. Returns null if the text ends before that. */
function readAttributes(text: string, from: number): { attributes: Map<string, string>; end: number } | null {
  const attributes = new Map<string, string>();
  let end = from;
  for (;;) {
    ATTRIBUTE.lastIndex = end;
    const match = ATTRIBUTE.exec(text);
    if (match === null) break;
    end = ATTRIBUTE.lastIndex;
    const name = (match[1] ?? "").toLowerCase();
    if (!attributes.has(name)) attributes.set(name, match[2] ?? match[3] ?? match[4] ?? "");
  }
  const close = text.indexOf(">", end);
  return close === -1 ? null : { attributes, end: close };
}

/** `charset` wins over `content`, even with an invalid label. */
function metaEncoding(attributes: Map<string, string>): string | null {
  const content = CHARSET.exec(attributes.get("content") ?? "");
  const isPragma = attributes.get("http-equiv")?.toLowerCase() === "content-type";
  const label =
    attributes.get("charset") ?? (isPragma && content !== null ? (content[1] ?? content[2] ?? content[3]) : "");
  return asDeclared(label ?? "");
}

/** https://html.spec.whatwg.org/multipage/parsing.html#concept-get-xml-encoding-when-sniffing */
function xmlEncoding(text: string): string | null {
  // Only up to the first `>`: without one, the pattern would search for it from each of its words.
  const match = XML_ENCODING.exec(text.slice(0, text.indexOf(">") + 1));
  return match === null ? null : asDeclared(match[1] ?? match[2] ?? "");
}

/** A declaration that is readable as ASCII is not in UTF-16, whatever it says. */
function asDeclared(label: string): string | null {
  const encoding = encodingOf(label);
  if (encoding === "utf-16le" || encoding === "utf-16be") return "utf-8";
  return encoding === "x-user-defined" ? DEFAULT_ENCODING : encoding;
}

function testAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

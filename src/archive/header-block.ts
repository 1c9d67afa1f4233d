/** Header fields of WARC and HTTP, one a line: converts pairs to bytes and back. No value can end its line. */

export type Field = readonly [name: string, value: string];

export const CRLF = "\r\n";

/** RFC 9110, 5.6.2, and ISO 28500:2017, 4: a field's name is a token. */
const NOT_TOKEN = /[^!#$%&'*+.^_`|~0-9A-Za-z-]/g;
/** RFC 9110, 5.5: these become spaces, because no value may have them. Other controls do no harm and stay. */
const LINE_ENDS = /[\r\n\0]/g;

const encoder = new TextEncoder();
/** A byte order mark is part of a value. */
const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

/**
 * Encodes UTF-8, which ISO 28500:2017, 4, requires for WARC's own fields. HTTP's fields become the bytes received,
 * because workerd decodes them as UTF-8; invalid bytes arrive as U+FFFD.
 */
export function encodeText(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Writes each field as a line with its CRLF. */
export function writeFields(fields: Iterable<Field>): string {
  let text = "";
  for (const [name, value] of fields) text += `${name.replace(NOT_TOKEN, "_")}: ${toOneLine(value)}${CRLF}`;
  return text;
}

export function toOneLine(value: string): string {
  return value.replace(LINE_ENDS, " ");
}

export interface HeaderBlock {
  startLine: string;
  /** Names and values as written, without the blanks around a value. */
  fields: [name: string, value: string][];
  /** In bytes, with the empty line. */
  length: number;
}

/**
 * Reads the start line and fields at the beginning of `bytes`. It does not join folded lines, which we never write.
 * Throws if the empty line or a colon is missing.
 */
export function readHeaderBlock(bytes: Uint8Array): HeaderBlock {
  const end = findHeaderEnd(bytes);
  const [startLine = "", ...lines] = decoder.decode(bytes.subarray(0, end)).split(CRLF);
  const fields = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    if (colon < 1) throw new Error(`no field: ${JSON.stringify(line.slice(0, 100))}`);
    return [line.slice(0, colon), line.slice(colon + 1).replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, "")];
  });
  return { startLine, fields, length: end + 4 };
}

/** The index of the first CRLFCRLF. */
function findHeaderEnd(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(13); at !== -1; at = bytes.indexOf(13, at + 1))
    if (bytes[at + 1] === 10 && bytes[at + 2] === 13 && bytes[at + 3] === 10) return at;
  throw new Error("a header without an empty line after it");
}

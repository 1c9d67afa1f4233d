/** Named fields in lines of their own, as WARC and HTTP write them: from pairs to bytes and back, with nothing in a value that could end its line. */

export type Field = readonly [name: string, value: string];

export const CRLF = "\r\n";

/** RFC 9110, 5.6.2, and ISO 28500:2017, 4: a field's name is a token. */
const NOT_TOKEN = /[^!#$%&'*+.^_`|~0-9A-Za-z-]/g;
/** RFC 9110, 5.5: what may stand in no value becomes a space. The other controls do no harm there, and are kept. */
const LINE_ENDS = /[\r\n\0]/g;

const encoder = new TextEncoder();
/** A byte order mark is a value's own. */
const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

/**
 * UTF-8, which ISO 28500:2017, 4 asks for of WARC's own fields. It is the bytes as received of HTTP's as well, for workerd decodes them as
 * UTF-8; what was not is U+FFFD by the time we see it.
 */
export function encodeText(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Each field in a line with its CRLF. */
export function writeFields(fields: Iterable<Field>): string {
  let text = "";
  for (const [name, value] of fields) text += `${name.replace(NOT_TOKEN, "_")}: ${oneLine(value)}${CRLF}`;
  return text;
}

export function oneLine(value: string): string {
  return value.replace(LINE_ENDS, " ");
}

export interface HeaderBlock {
  startLine: string;
  /** Names and values as written, but for the blanks around a value. */
  fields: [name: string, value: string][];
  /** Bytes up to and with the empty line. */
  length: number;
}

/** The start line and fields at the beginning of `bytes`, without folded lines, which we never write. Throws where there is no empty line or no colon. */
export function readHeaderBlock(bytes: Uint8Array): HeaderBlock {
  const end = endOf(bytes);
  const [startLine = "", ...lines] = decoder.decode(bytes.subarray(0, end)).split(CRLF);
  const fields = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    if (colon < 1) throw new Error(`no field: ${JSON.stringify(line.slice(0, 100))}`);
    return [line.slice(0, colon), line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, "")];
  });
  return { startLine, fields, length: end + 4 };
}

/** Where the first empty line's CRLFCRLF begins. */
function endOf(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(13); at !== -1; at = bytes.indexOf(13, at + 1))
    if (bytes[at + 1] === 10 && bytes[at + 2] === 13 && bytes[at + 3] === 10) return at;
  throw new Error("a header without an empty line after it");
}

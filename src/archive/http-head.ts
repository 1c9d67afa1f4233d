import { CRLF, encodeText, type Field, toOneLine, writeFields } from "./header-block.ts";

/**
 * Makes the head of an HTTP message in a WARC record (ISO 28500:2017, 6.3 and 6.5) from what `fetch` reports.
 *
 * The runtime gives a body with its chunks joined and its codings decoded, and we store that. With the original head, a
 * reader would decode it again. So the head is written as in Browsertrix Crawler, which gets its bodies from a browser
 * in the same state (webrecorder/browsertrix-crawler, src/util/reqresp.ts): `content-encoding` and `transfer-encoding`
 * get the prefix `x-orig-`, which ReplayWeb.page and pywb ignore, and `content-length` is the number of bytes stored.
 * If that differs, the original value stays under the same prefix.
 */

const CODINGS = new Set(["content-encoding", "transfer-encoding"]);

export interface ResponseHead {
  status: number;
  /** Empty if the server or the runtime gives none. */
  statusText: string;
  /** In the order received; a name may occur several times. */
  headers: Iterable<Field>;
}

/** `bodyLength` is the size of the stored body in bytes. */
export function responseHead({ status, statusText, headers }: ResponseHead, bodyLength: number): Uint8Array {
  // RFC 9112, 4: the second space is required even with an empty statusText. The version is our request's, because
  // `fetch` does not report the response's.
  return encodeText(
    `HTTP/1.1 ${status} ${toOneLine(statusText)}${CRLF}${writeFields(storedFields(headers, bodyLength))}${CRLF}`,
  );
}

export interface RequestHead {
  method: string;
  url: string;
  headers: Iterable<Field>;
}

/**
 * Adds the host field, as the runtime does (RFC 9112, 3.2), if `headers` has none. Throws if the URL does not parse.
 */
export function requestHead({ method, url, headers }: RequestHead): Uint8Array {
  const { pathname, search, host } = new URL(url);
  const fields = [...headers];
  const hasHost = fields.some(([name]) => name.toLowerCase() === "host");
  const all = hasHost ? fields : [["host", host] as const, ...fields];
  return encodeText(`${toOneLine(method)} ${pathname}${search} HTTP/1.1${CRLF}${writeFields(all)}${CRLF}`);
}

function* storedFields(headers: Iterable<Field>, bodyLength: number): Generator<Field> {
  const fields = [...headers];
  // warcio.js looks for the empty line after a field. Without a field it reads the body as the head.
  if (fields.length === 0) yield ["content-length", String(bodyLength)];
  for (const [name, value] of fields) {
    const lower = name.toLowerCase();
    if (CODINGS.has(lower)) yield [`x-orig-${name}`, value];
    else if (lower === "content-length") {
      yield [name, String(bodyLength)];
      if (value.trim() !== String(bodyLength)) yield [`x-orig-${name}`, value];
    } else yield [name, value];
  }
}

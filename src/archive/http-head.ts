import { CRLF, encodeText, type Field, oneLine, writeFields } from "./header-block.ts";

/**
 * The head of an HTTP message as a WARC record holds it (ISO 28500:2017, 6.3 and 6.5), from what a `fetch` tells of it.
 *
 * The runtime hands over a body with its chunks joined and its codings undone, and that is what is stored. A reader that took the head at
 * its word would undo them again. So the head is told as Browsertrix Crawler tells it, whose bodies come out of a browser in the same state
 * (webrecorder/browsertrix-crawler, src/util/reqresp.ts): `content-encoding` and `transfer-encoding` get the prefix `x-orig-`, which
 * ReplayWeb.page and pywb pass over, and `content-length` is that of the bytes stored. Where that changes it, what the server said is kept
 * under the same prefix.
 */

const CODINGS = new Set(["content-encoding", "transfer-encoding"]);

export interface ResponseHead {
  status: number;
  /** Empty where the server or the runtime gives none. */
  statusText: string;
  /** In the order received, a name as often as it came. */
  headers: Iterable<Field>;
}

/** `bodyLength`: of the body as stored, in bytes. */
export function responseHead({ status, statusText, headers }: ResponseHead, bodyLength: number): Uint8Array {
  // RFC 9112, 4: the second space stands even where nothing follows it. The version is the one we asked in; `fetch` does not tell.
  return encodeText(
    `HTTP/1.1 ${status} ${oneLine(statusText)}${CRLF}${writeFields(asStored(headers, bodyLength))}${CRLF}`,
  );
}

export interface RequestHead {
  method: string;
  url: string;
  headers: Iterable<Field>;
}

/** With the host field, which the runtime adds (RFC 9112, 3.2), where `headers` has none. Throws for a URL that cannot be parsed. */
export function requestHead({ method, url, headers }: RequestHead): Uint8Array {
  const { pathname, search, host } = new URL(url);
  const fields = [...headers];
  const named = fields.some(([name]) => name.toLowerCase() === "host");
  const all = named ? fields : [["host", host] as const, ...fields];
  return encodeText(`${oneLine(method)} ${pathname}${search} HTTP/1.1${CRLF}${writeFields(all)}${CRLF}`);
}

function* asStored(headers: Iterable<Field>, bodyLength: number): Generator<Field> {
  const fields = [...headers];
  // warcio.js looks for the empty line after a field, and without one takes the body for the head.
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

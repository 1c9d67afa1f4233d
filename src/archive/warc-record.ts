import { CRLF, encodeText, type Field, oneLine, writeFields } from "./header-block.ts";
import { type RequestHead, type ResponseHead, requestHead, responseHead } from "./http-head.ts";

/**
 * WARC 1.1 records (ISO 28500:2017; https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/), as the pieces of
 * bytes that follow one another, so that a body is not copied on its way to the compressor.
 *
 * Of one fetch, write the response or revisit first, the request next and the metadata last: readers pair a request with its neighbour of
 * the same target, and an index points to the first.
 */
export type RecordBytes = readonly Uint8Array[];

const VERSION = "WARC/1.1";
const FIELDS_TYPE = "application/warc-fields";
/** 6.7.2: same payload as a record before, by its digest. */
const IDENTICAL_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";
const END = encodeText(CRLF + CRLF);
const EMPTY = new Uint8Array(0);

/** Why a block is not all of it: the values of WARC-Truncated. */
export type Truncated = "length" | "time" | "disconnect" | "unspecified";

interface Common {
  /** A UUID; a new one where left out. */
  id?: string;
  /** When the fetch began, in milliseconds; of all that it brought the same (5.4). */
  date: number;
  /** The UUID of the warcinfo record that tells of this one. */
  warcinfoId?: string;
}

interface Captured extends Common {
  url: string;
  /** The UUID of a record of the same fetch (5.7). */
  concurrentTo?: string;
}

interface Payload {
  payload: Uint8Array;
  /** Hex, of `payload`. */
  sha256: string;
  /** Why `payload` is not all of it. */
  truncated?: Truncated;
}

/** What the file is and who made it (6.2): `fields` as software, format, robots, operator. The first record of a file, named by `filename`. */
export function warcinfoRecord(info: Omit<Common, "warcinfoId"> & { filename?: string; fields: Iterable<Field> }) {
  const { filename } = info;
  const own: Field[] = filename === undefined ? [] : [["WARC-Filename", filename]];
  return record("warcinfo", info, own, FIELDS_TYPE, encodeText(writeFields(info.fields)));
}

/** 6.3. The head is told as the body is stored: see http-head.ts. */
export function responseRecord(answer: Captured & Payload & ResponseHead): RecordBytes {
  const { sha256, payload, truncated } = answer;
  const own: Field[] = [...captured(answer), digestField(sha256), ...truncatedField(truncated)];
  return record("response", answer, own, httpType("response"), responseHead(answer, payload.byteLength), payload);
}

/** 6.5. Of a GET, which has no body. */
export function requestRecord(request: Captured & RequestHead): RecordBytes {
  return record("request", request, captured(request), httpType("request"), requestHead(request));
}

/** 6.6: what the crawler knows of a capture: `via`, `hopsFromSeed` and `fetchTimeMs` are the standard's own names. */
export function metadataRecord(metadata: Captured & { fields: Iterable<Field> }): RecordBytes {
  const block = encodeText(writeFields(metadata.fields));
  return record("metadata", metadata, captured(metadata), FIELDS_TYPE, block);
}

/**
 * 6.7: the same payload as a response before had, which may have come from another URL. It has a head of its own and not the payload, which is
 * `bytes` long: the profile wants that called truncated, and recommends to say what it refers to by URL and date.
 */
export function revisitRecord(
  visit: Captured &
    ResponseHead & { sha256: string; bytes: number; refersTo: { url: string; date: number; id?: string } },
): RecordBytes {
  const { refersTo, sha256, bytes } = visit;
  const own: Field[] = [
    ...captured(visit),
    ["WARC-Profile", IDENTICAL_PAYLOAD],
    ["WARC-Refers-To-Target-URI", uri(refersTo.url)],
    ["WARC-Refers-To-Date", isoDate(refersTo.date)],
    ...(refersTo.id === undefined ? [] : [["WARC-Refers-To", urn(refersTo.id)] as const]),
    digestField(sha256),
    ...truncatedField("length"),
  ];
  return record("revisit", visit, own, httpType("response"), responseHead(visit, bytes));
}

/** 6.4: bytes that no HTTP answer held. `url` may be of any scheme. */
export function resourceRecord(resource: Captured & Payload & { contentType: string }): RecordBytes {
  const { sha256, truncated, contentType, payload } = resource;
  const own = [...captured(resource), digestField(sha256), ...truncatedField(truncated)];
  return record("resource", resource, own, contentType, payload);
}

/** As one array, where there is no stream to write them to. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}

function record(
  type: string,
  { id = crypto.randomUUID(), date, warcinfoId }: Common,
  own: readonly Field[],
  contentType: string,
  head: Uint8Array,
  body: Uint8Array = EMPTY,
): RecordBytes {
  const fields: Field[] = [
    ["WARC-Type", type],
    ["WARC-Record-ID", urn(id)],
    ["WARC-Date", isoDate(date)],
    ...own,
    ...(warcinfoId === undefined ? [] : [["WARC-Warcinfo-ID", urn(warcinfoId)] as const]),
    ["Content-Type", contentType],
    ["Content-Length", String(head.byteLength + body.byteLength)],
  ];
  const header = encodeText(VERSION + CRLF + writeFields(fields) + CRLF);
  return [header, head, body, END].filter((piece) => piece.byteLength > 0);
}

function captured({ url, concurrentTo }: Captured): Field[] {
  const target: Field = ["WARC-Target-URI", uri(url)];
  return concurrentTo === undefined ? [target] : [target, ["WARC-Concurrent-To", urn(concurrentTo)]];
}

/** 5.9. Named as warcio and wabac.js name it (`sha256:` and hex), not as RFC 9530 does, for Python's warcio looks the name up in hashlib. */
export function labelledDigest(sha256: string): string {
  return `sha256:${sha256}`;
}

function digestField(sha256: string): Field {
  return ["WARC-Payload-Digest", labelledDigest(sha256)];
}

function truncatedField(truncated: Truncated | undefined): Field[] {
  return truncated === undefined ? [] : [["WARC-Truncated", truncated]];
}

function httpType(msgtype: "request" | "response"): string {
  return `application/http; msgtype=${msgtype}`;
}

function urn(id: string): string {
  return `<urn:uuid:${oneLine(id)}>`;
}

/** 5.4: W3C's profile of ISO 8601, in UTC, as precise as we know it. */
function isoDate(date: number): string {
  return new Date(date).toISOString();
}

/** A canonical URL has none of these; a blank would end it for some readers. */
function uri(url: string): string {
  return url.replace(/[\0-\x20\x7f]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
}

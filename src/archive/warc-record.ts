import { CRLF, encodeText, type Field, toOneLine, writeFields } from "./header-block.ts";
import { type RequestHead, type ResponseHead, requestHead, responseHead } from "./http-head.ts";
import { startSha256 } from "./sha256.ts";

/**
 * WARC 1.1 records (ISO 28500:2017; https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/),
 * as a list of byte arrays in a row, so that a body is not copied before it is compressed.
 *
 * For one fetch, write the response or revisit first, then the request, then the metadata: readers pair a request with
 * its neighbour of the same target, and an index points to the first.
 */
export type RecordBytes = readonly Uint8Array[];

const VERSION = "WARC/1.1";
const FIELDS_TYPE = "application/warc-fields";
/** 6.7.2: the payload is that of an earlier record, by its digest. 6.7.3: the server says so, with 304. */
const PROFILES = {
  "identical-payload": "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
  "not-modified": "http://netpreserve.org/warc/1.1/revisit/server-not-modified",
} as const;
export type RevisitProfile = keyof typeof PROFILES;
const END = encodeText(CRLF + CRLF);
const EMPTY = new Uint8Array(0);

/** Why a block is incomplete: the values of WARC-Truncated. */
export type Truncated = "length" | "time" | "disconnect" | "unspecified";

interface Common {
  /** A UUID. The default is a new one. */
  id?: string;
  /** When the fetch began, in milliseconds since the Unix epoch. All records of one fetch have the same date (5.4). */
  date: number;
  /** The UUID of the warcinfo record that describes this one. */
  warcinfoId?: string;
}

interface Capture extends Common {
  url: string;
  /** The UUID of a record of the same fetch (5.7). */
  concurrentTo?: string;
}

interface Payload {
  payload: Uint8Array;
  /** The digest of `payload`, in hex. */
  sha256: string;
  /** Why `payload` is incomplete. */
  truncated?: Truncated;
}

/**
 * 6.2: describes the file and its maker, with `fields` such as software, format, robots, operator. It is the first
 * record of the file `filename`.
 */
export function warcinfoRecord(info: Omit<Common, "warcinfoId"> & { filename?: string; fields: Iterable<Field> }) {
  const { filename } = info;
  const ownFields: Field[] = filename === undefined ? [] : [["WARC-Filename", filename]];
  return writeRecord("warcinfo", info, ownFields, FIELDS_TYPE, encodeText(writeFields(info.fields)));
}

/** 6.3. http-head.ts adapts the head to the stored body. */
export function responseRecord(answer: Capture & Payload & ResponseHead): RecordBytes {
  const { sha256, payload, truncated } = answer;
  const ownFields: Field[] = [...captureFields(answer), digestField(sha256), ...truncatedField(truncated)];
  return writeRecord(
    "response",
    answer,
    ownFields,
    httpType("response"),
    responseHead(answer, payload.byteLength),
    payload,
  );
}

/** 6.5, for a GET, which has no body. */
export function requestRecord(request: Capture & RequestHead): RecordBytes {
  return writeRecord("request", request, captureFields(request), httpType("request"), requestHead(request));
}

/** 6.6: what the crawler knows about a fetch. `via`, `hopsFromSeed` and `fetchTimeMs` are names of the standard. */
export function metadataRecord(metadata: Capture & { fields: Iterable<Field> }): RecordBytes {
  const block = encodeText(writeFields(metadata.fields));
  return writeRecord("metadata", metadata, captureFields(metadata), FIELDS_TYPE, block);
}

/**
 * 6.7: a fetch whose payload of `bytes` bytes equals that of an earlier response, which may have another URL. The
 * record has its own head and no payload. The profile of identical payloads requires WARC-Truncated for that; an answer
 * of 304 had none. Both recommend the URL and date of the earlier record.
 */
export function revisitRecord(
  visit: Capture &
    ResponseHead & {
      sha256: string;
      bytes: number;
      refersTo: { url: string; date: number; id?: string };
      profile?: RevisitProfile;
    },
): RecordBytes {
  const { refersTo, sha256, bytes, profile = "identical-payload" } = visit;
  const ownFields: Field[] = [
    ...captureFields(visit),
    ["WARC-Profile", PROFILES[profile]],
    ["WARC-Refers-To-Target-URI", uri(refersTo.url)],
    ["WARC-Refers-To-Date", isoDate(refersTo.date)],
    ...(refersTo.id === undefined ? [] : [["WARC-Refers-To", urn(refersTo.id)] as const]),
    digestField(sha256),
    ...truncatedField(profile === "not-modified" ? undefined : "length"),
  ];
  return writeRecord("revisit", visit, ownFields, httpType("response"), responseHead(visit, bytes));
}

/** 6.4: bytes that come from no HTTP response. `url` may have any scheme. */
export function resourceRecord(resource: Capture & Payload & { contentType: string }): RecordBytes {
  const { sha256, truncated, contentType, payload } = resource;
  const ownFields = [...captureFields(resource), digestField(sha256), ...truncatedField(truncated)];
  return writeRecord("resource", resource, ownFields, contentType, payload);
}

function writeRecord(
  type: string,
  { id = crypto.randomUUID(), date, warcinfoId }: Common,
  ownFields: readonly Field[],
  contentType: string,
  head: Uint8Array,
  body: Uint8Array = EMPTY,
): RecordBytes {
  const fields: Field[] = [
    ["WARC-Type", type],
    ["WARC-Record-ID", urn(id)],
    ["WARC-Date", isoDate(date)],
    ...ownFields,
    ["WARC-Block-Digest", labelledDigest(digestOf(head, body))],
    ...(warcinfoId === undefined ? [] : [["WARC-Warcinfo-ID", urn(warcinfoId)] as const]),
    ["Content-Type", contentType],
    ["Content-Length", String(head.byteLength + body.byteLength)],
  ];
  const header = encodeText(VERSION + CRLF + writeFields(fields) + CRLF);
  return [header, head, body, END].filter((piece) => piece.byteLength > 0);
}

function digestOf(...pieces: Uint8Array[]): string {
  const hash = startSha256();
  for (const piece of pieces) hash.update(piece);
  return hash.digest();
}

function captureFields({ url, concurrentTo }: Capture): Field[] {
  const target: Field = ["WARC-Target-URI", uri(url)];
  return concurrentTo === undefined ? [target] : [target, ["WARC-Concurrent-To", urn(concurrentTo)]];
}

/**
 * 5.9: `sha256:` and hex, as warcio and wabac.js write it. RFC 9530 has another name, but Python's warcio looks the
 * name up in hashlib.
 */
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
  return `<urn:uuid:${toOneLine(id)}>`;
}

/** 5.4: W3C's profile of ISO 8601, in UTC, with milliseconds. */
function isoDate(date: number): string {
  return new Date(date).toISOString();
}

/** Escapes blanks and controls, which no canonical URL has: some readers end a URL at a blank. */
function uri(url: string): string {
  return url.replace(/[\0-\x20\x7f]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
}

import { gzipMember } from "../archive/gzip-member.ts";
import { metadataRecord } from "../archive/warc-record.ts";
import type { Answered, PageFetched, PageRedirected, PageRejected, PageResult } from "../crawl/page/outcome.ts";
import { DocumentProblem } from "../media/document-problem.ts";
import { ChunkSource, MAX_RANGES, type MediaChunk, RANGE_BYTES } from "../media/sound-and-picture/media-source.ts";
import { type MediaReading, readMedia } from "../media/sound-and-picture/read-media.ts";
import { ask, type Request, reject, type Secrets } from "./answer/answer.ts";
import { type CaptureRequest, captureContent } from "./answer/capture-page.ts";
import type { Readable } from "./answer/readable.ts";
import { mediaPart } from "./reading/media-page.ts";
import { parseContentRange } from "./transport/content-range.ts";
import type { FetchEnv } from "./transport/http.ts";
import { codingsOf, readBody, unknownCoding } from "./transport/read-body.ts";

/**
 * Reads what a sound, a film or a picture says about itself, one range a call: the caller waits for the host's pace
 * before each. A call reads the file as far as it has come, and names the next range, or returns the facts.
 */

export interface MediaRequest extends Request {
  /** What the ranges before have brought; null for the first. */
  known: MediaProgress | null;
  /** Ask for no further range, and say why; null asks for one. Only with `known`. */
  stopped: string | null;
  /** Put its text into the search index. */
  search: boolean;
  /** For a crawl that keeps an archive: the result holds a record. */
  capture: CaptureRequest | null;
}

/** A file of which some ranges have come. */
export interface MediaProgress {
  chunks: MediaChunk[];
  /** Where the next range starts. */
  next: number;
  /** In bytes; null if the server does not say. */
  size: number | null;
  /** Names the state of the file, if the server gives one. */
  etag: string | null;
  lastModified: string | null;
  contentType: string | null;
  httpStatus: number;
  /** When the first request began: milliseconds since the epoch. */
  date: number;
  /** The server sends ranges. Otherwise the beginning of the file is all there will be. */
  hasRanges: boolean;
}

/** A range came, and another one is needed. */
export interface MediaRange extends Answered {
  kind: "range";
  progress: MediaProgress;
}

/** A later range that did not come as it was asked for: the facts so far stand. */
interface MediaCut extends Answered {
  kind: "cut";
  why: string;
}

export type MediaResult = PageResult | MediaRange;

const ACCEPT = "audio/*,video/*,image/*,*/*;q=0.1";
const MAX_TYPE = 1_000;

/** Returns a result for whatever a server does; throws only if something of ours is broken. */
export async function fetchMedia(request: MediaRequest, secrets: Secrets, env: FetchEnv): Promise<MediaResult> {
  const { known, stopped } = request;
  if (known !== null && stopped !== null) return finish(request, known, NO_ANSWER, stopped);
  const start = known?.next ?? 0;
  const headers = {
    accept: ACCEPT,
    ...secrets,
    range: `bytes=${start}-${start + RANGE_BYTES - 1}`,
    // Offsets are those of the file itself.
    "accept-encoding": "identity",
  };
  const result = await ask<MediaRange | MediaCut | PageRejected>(request, headers, env, (readable) =>
    readRange(readable, known),
  );
  if (result.kind === "range") return proceed(request, result);
  const isCut =
    result.kind === "cut" || result.kind === "redirect" || (result.kind === "rejected" && !result.retryable);
  if (known === null || !isCut) return result as PageRedirected | PageRejected;
  return finish(request, known, result, `range ${known.chunks.length + 1} did not come: ${whyOf(result)}`);
}

const NO_ANSWER: Answered = { durationMs: 0, httpStatus: null, retryAfterMs: null };

function whyOf(result: MediaCut | PageRedirected | PageRejected): string {
  if (result.kind === "cut") return result.why;
  return result.kind === "redirect" ? `it redirects to ${result.location}` : result.detail;
}

/** Takes at most a range of the body, and lets the rest go. */
async function readRange(
  { response, startedAt: date, received, signal, deadline }: Readable,
  known: MediaProgress | null,
): Promise<MediaRange | MediaCut | PageRejected> {
  const { status, headers } = response;
  const isEncoded = codingsOf(response).length > 0 || unknownCoding(response) !== null;
  const range = status === 206 && !isEncoded ? parseContentRange(headers.get("content-range")) : null;
  const contentType = headers.get("content-type")?.slice(0, MAX_TYPE) ?? null;
  const etag = headers.get("etag");
  const facts = () => ({ httpStatus: status, retryAfterMs: null, durationMs: deadline.elapsed() });
  const change = known === null ? null : changeOf(known, range, etag);
  if (change !== null) return { kind: "cut", why: change, ...facts() };
  if (status === 206 && (range === null || range.start !== (known?.next ?? 0)))
    return reject("parse", "the answer is not the range that was asked for", { ...facts(), contentType });
  const { bytes, complete, truncated } = await readBody(response, RANGE_BYTES, signal, { keepBroken: true });
  received.bytes = bytes.byteLength;
  const chunk = { offset: range?.start ?? 0, bytes };
  if (bytes.byteLength === 0) {
    if (known !== null) return { kind: "cut", why: "it was empty", ...facts() };
    return reject("empty", `${status} ${response.statusText}`.trim(), { ...facts(), contentType });
  }
  if (known !== null) return { kind: "range", progress: { ...known, chunks: [...known.chunks, chunk] }, ...facts() };
  const declared = Number(headers.get("content-length") ?? Number.NaN);
  const isSized = !isEncoded && Number.isSafeInteger(declared) && declared >= bytes.byteLength;
  const progress: MediaProgress = {
    chunks: [chunk],
    next: 0,
    size: range !== null ? range.size : complete && truncated === null ? bytes.byteLength : isSized ? declared : null,
    etag,
    lastModified: headers.get("last-modified"),
    contentType,
    httpStatus: status,
    date,
    hasRanges: range !== null,
  };
  return { kind: "range", progress, ...facts() };
}

/** Why a later answer does not belong to the file of the first one; null if it does. */
function changeOf(
  { next, size, etag: known }: MediaProgress,
  range: ReturnType<typeof parseContentRange>,
  etag: string | null,
): string | null {
  if (range === null) return "the server sent no range";
  if (range.start !== next) return "the server sent another range";
  return range.size !== size || etag !== known ? "the file changed in between" : null;
}

/** Reads the file as far as it has come. */
async function proceed(request: MediaRequest, { progress, ...answered }: MediaRange): Promise<MediaResult> {
  const { chunks, size, hasRanges, contentType } = progress;
  const source = new ChunkSource(chunks, size);
  const reading = await readMedia(source, contentType).catch((error) => error as unknown);
  if (reading instanceof DocumentProblem) return rejectFile(request, progress, answered, reading);
  if (reading instanceof Error) throw reading;
  const next = source.nextRange;
  if (next !== null && hasRanges && chunks.length < MAX_RANGES)
    return { ...answered, kind: "range", progress: { ...progress, next } };
  const all = chunks.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
  const cut = `only ${all.toLocaleString("en")} bytes of it were read`;
  const why = hasRanges ? `${cut}, in ${chunks.length} ranges` : `the server sends no ranges, so ${cut}`;
  return toResult(request, progress, answered, reading as MediaReading, next === null ? null : why);
}

/** Returns the facts that the ranges so far show. */
async function finish(
  request: MediaRequest,
  progress: MediaProgress,
  answered: Answered,
  why: string,
): Promise<PageResult> {
  const source = new ChunkSource(progress.chunks, progress.size);
  const reading = await readMedia(source, progress.contentType);
  return toResult(request, progress, answered, reading, why);
}

function rejectFile(
  { known }: MediaRequest,
  { contentType, httpStatus }: MediaProgress,
  { durationMs, bodyBytes }: Answered,
  { message }: DocumentProblem,
): PageRejected {
  const named = contentType === null ? "" : `, but ${contentType}`;
  const facts = { httpStatus, contentType, durationMs, ...(bodyBytes === undefined ? {} : { bodyBytes }) };
  return reject("parse", known === null ? `${message}${named}` : message, facts);
}

/** A page without a body: its content is the description. */
async function toResult(
  { url, search, capture }: MediaRequest,
  progress: MediaProgress,
  answered: Answered,
  reading: MediaReading,
  cut: string | null,
): Promise<PageFetched> {
  const { size, contentType, httpStatus, date, etag, lastModified } = progress;
  const headers: PageFetched["headers"] = [
    ...(etag === null ? [] : [["etag", etag] as [string, string]]),
    ...(lastModified === null ? [] : [["last-modified", lastModified] as [string, string]]),
  ];
  const page: PageFetched = {
    ...answered,
    kind: "page",
    httpStatus,
    body: new Uint8Array(0),
    bytes: size,
    sha256: null,
    contentType: contentType ?? reading.facts.type,
    truncated: null,
    encoding: "",
    links: [],
    sitemaps: [],
    feeds: [],
    nofollow: NONE,
    assets: [],
    leftOut: { links: NONE, requisites: NONE, problem: cut ?? reading.problem },
    headers,
    ...(await mediaPart(reading, url, size, search)),
    version: null,
    said: null,
    noindex: null,
    notModified: null,
    capture: null,
  };
  const captured = captureContent(url, page, date);
  if (capture === null || captured.capture === null) return captured;
  return { ...captured, capture: { ...captured.capture, description: describe(url, page, progress, capture) } };
}

const NONE = { count: 0, examples: [] };

/**
 * The file itself is in no archive, so no response record stands for it. A metadata record says what was learned:
 * https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/#metadata
 */
function describe(
  url: string,
  { media, bytes }: PageFetched,
  { chunks, date }: MediaProgress,
  { warcinfoId, via, hops }: CaptureRequest,
): Uint8Array {
  const fields: [name: string, value: string][] = [
    ...(via === null ? [] : [["via", via] as [string, string]]),
    ["hopsFromSeed", hops],
    ...(bytes === null ? [] : [["size", String(bytes)] as [string, string]]),
    ["ranges", chunks.map(({ offset, bytes: { byteLength } }) => `${offset}-${offset + byteLength - 1}`).join(",")],
    ["mediaFacts", JSON.stringify(media)],
  ];
  return gzipMember(metadataRecord({ date, url, warcinfoId, fields }));
}

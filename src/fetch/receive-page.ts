import type { Truncated } from "../archive/warc-record.ts";
import { systemClock } from "../core/clock.ts";
import { essenceOf, soleMediaType } from "../core/media-type.ts";
import type { FetchGivenBack, FetchResult, PageFetched, PageHeaders, PageRejected } from "../crawl/page/outcome.ts";
import type { Reason } from "../crawl/page/reason.ts";
import { reasonToLeave } from "../crawl/page/reason-to-leave.ts";
import { decideRender } from "../crawl/page/render-memory.ts";
import { beginsHeavy, canBePage, namesHeavy, recognizePage } from "../media/kind/kinds.ts";
import { startsAsText } from "../media/kind/sniff.ts";
import { weighsMuch } from "../media/kind/weight.ts";
import type { DocumentStore } from "../store/mirror/documents.ts";
import { ask, givenBack, identityOf, reject, type Secrets } from "./answer/answer.ts";
import { type ArchivedAnswer, answerOfArchive } from "./answer/archived-answer.ts";
import { wallInBody } from "./answer/bot-wall.ts";
import { captureAnswer, captureContent, capturePage } from "./answer/capture-page.ts";
import { keepAnswer } from "./answer/keep-answer.ts";
import { areWithin, keptHeaders, MAX_HEADER, storableHeaders } from "./answer/kept-headers.ts";
import type { Readable } from "./answer/readable.ts";
import { challengeOf } from "./answer/refusal.ts";
import type { RenderGateway } from "./browser/render-gateway.ts";
import { renderLeaseMs, renderPage } from "./browser/render-page.ts";
import { type Received, readPage } from "./reading/read-page.ts";
import { type StoredDocument, storeDocument } from "./reading/store-document.ts";
import { nameNotModified, validatorHeaders } from "./request/conditional.ts";
import { toHttpDate } from "./request/http-date.ts";
import { MAKES_NOTHING, type PageRequest, type ReadRequest } from "./request/page-request.ts";
import { type ByteLease, bodies, NoRoom } from "./transport/byte-budget.ts";
import { ACCEPT_ENCODING } from "./transport/http.ts";
import { readBody, unknownCoding } from "./transport/read-body.ts";

/**
 * Fetches a page, and reads what comes: the whole work for one URL. page-fetcher.ts does it in an invocation, and
 * src/fetcher.ts in a process of its own.
 */

const ACCEPT = "text/html,application/xhtml+xml;q=0.9,text/plain;q=0.5,*/*;q=0.1";

/** The Accept header of a crawl that asks for Markdown. Servers answer with it, or with HTML as before. */
const MARKDOWN_ACCEPT = "text/markdown,text/html;q=0.9,application/xhtml+xml;q=0.8,text/plain;q=0.5,*/*;q=0.1";

const NO_BODY = new Uint8Array(0);

/** The headers of a document go with its message, which has 128 KB. */
const MAX_DOCUMENT_HEADERS = 60_000;

/** What receiving a page may need beside the network. */
export interface Means {
  env: Env;
  documents: DocumentStore;
  /** Decides what a rendered page may request. Null if no page is rendered. */
  gateway: RenderGateway | null;
}

/** Returns a result for whatever a server does; throws only if something of ours is broken. */
export async function receivePage(request: PageRequest, secrets: Secrets, means: Means): Promise<FetchResult> {
  const { capture, validators } = request;
  const result = await ask(
    request,
    { accept: acceptOf(request), ...conditionOf(request), ...secrets },
    means.env,
    (readable) => read(readable, request, means, requestHeadersOf(request)),
    capture === null
      ? undefined
      : (readable) => keepAnswer(request, readable, requestHeadersOf(request), capture, validators !== null),
  );
  const isConditional = request.onCondition || validators !== null;
  return isConditional ? nameNotModified(result) : result;
}

/** Like `receivePage`, for an answer of an archive. Nothing is sent. */
export async function readArchivedPage(
  request: PageRequest,
  answer: ArchivedAnswer,
  means: Means,
): Promise<FetchResult> {
  const { capture } = request;
  return answerOfArchive(
    request,
    answer,
    means.env,
    (readable) => read(readable, request, means, null),
    capture === null ? undefined : (readable) => keepAnswer(request, readable, null, capture),
  );
}

function acceptOf({ asset, preferMarkdown }: PageRequest): string {
  if (asset) return "*/*";
  return preferMarkdown ? MARKDOWN_ACCEPT : ACCEPT;
}

function conditionOf({ onCondition, modifiedSince, validators }: PageRequest): Record<string, string> {
  if (validators !== null) return validatorHeaders(validators);
  return onCondition && modifiedSince !== null ? { "if-modified-since": toHttpDate(modifiedSince * 1000) } : {};
}

/** Time to parse and compress after the transfer, in milliseconds. */
const PAGE_READING_MS = 30_000;

/** The headers of the request, without those that are secret; null if no request was sent. */
type SentHeaders = PageHeaders | null;

async function read(
  readable: Readable,
  request: PageRequest,
  means: Means,
  requestHeaders: SentHeaders,
): Promise<FetchResult> {
  const { deadline, response } = readable;
  let lease: ByteLease | undefined;
  let foundNoRoom = false;
  const reserve = async (bytes: number) => {
    const drawingMs = request.render === null ? 0 : renderLeaseMs(request.render);
    const leaseMs = request.timeoutMs + drawingMs + PAGE_READING_MS;
    const taking = bodies.take(bytes, leaseMs, deadline.patienceMs() - drawingMs);
    lease = await deadline.exclude(taking).catch((error: unknown) => {
      foundNoRoom = error instanceof NoRoom;
      throw error;
    });
  };
  try {
    const result = await readWithin(reserve, readable, request, means, requestHeaders);
    return foundNoRoom ? givenBack("room", response.status, deadline) : result;
  } catch (error) {
    if (!foundNoRoom) throw error;
    return givenBack("room", response.status, deadline);
  } finally {
    lease?.release();
  }
}

async function readWithin(
  reserve: (bytes: number) => Promise<void>,
  readable: Readable,
  request: PageRequest,
  means: Means,
  requestHeaders: SentHeaders,
): Promise<FetchResult> {
  const { response, startedAt: date, received, signal, deadline } = readable;
  const { documents } = means;
  const { status, statusText } = response;
  const headers = storableHeaders(response, request);
  const head = { statusText, date, headers, requestHeaders };
  /** Adds the records of the answer. `payload`: what is kept of its body; `truncated`: why that is not all. */
  const withRecords = (rejected: PageRejected, payload: Uint8Array, truncated: Truncated | null): PageRejected => {
    if (request.capture === null) return rejected;
    const { durationMs } = rejected;
    const answer = { ...head, status, payload, durationMs, ...(truncated === null ? {} : { truncated }) };
    return { ...rejected, capture: captureAnswer(request.url, answer, request.capture) };
  };
  const contentType = response.headers.get("content-type")?.slice(0, MAX_HEADER) ?? null;
  const base = { httpStatus: status, contentType, durationMs: deadline.elapsed() };

  const called = essenceOf(contentType);
  const order = request.asset ? null : request.document;
  const naming = order === null ? "no" : namesHeavy(called, request.documents);
  if (naming === "no" && !request.asset && called !== "" && !canBePage(called, request.documents))
    return withRecords(reject("content-type", called, base), NO_BODY, "unspecified");
  const limit = naming === "no" || order === null ? request.maxBodyBytes : order.maxBytes;
  const tooLarge = `more than ${limit.toLocaleString("en")} bytes`;
  const declared = Number(response.headers.get("content-length"));
  if (declared > limit)
    return withRecords(reject("too-large", `${tooLarge}: ${declared.toLocaleString("en")}`, base), NO_BODY, "length");
  const toDocument = (stored: StoredDocument): FetchResult => {
    const late = { ...base, durationMs: deadline.elapsed() };
    if (stored === "too-large") return withRecords(reject("too-large", tooLarge, late), NO_BODY, "length");
    if (stored === "empty") return withRecords(reject("empty", `${status} ${statusText}`.trim(), late), NO_BODY, null);
    if (stored === "failed") return givenBack("mirror", status, deadline);
    if (stored === "other") return withRecords(reject("content-type", called, late), NO_BODY, "unspecified");
    const kept = { ...head, contentType, headers: keptHeaders(headers, MAX_DOCUMENT_HEADERS) };
    const answered = { httpStatus: status, retryAfterMs: null, durationMs: late.durationMs };
    return { kind: "document", ...kept, ...answered, writes: stored.writes };
  };
  if (order !== null && naming !== "no") {
    const begins = (start: Uint8Array) => naming === "yes" || beginsHeavy(start, request.documents);
    return toDocument(await storeDocument(readable, order, begins, documents, reserve));
  }

  const { keepBroken } = request;
  const sent = await readBody(response, request.maxBodyBytes, signal, { reserve, keepBroken });
  const { bytes: body, complete } = sent;
  const truncated = sent.truncated ?? readable.truncated ?? null;
  received.bytes = body.byteLength;
  const durationMs = deadline.elapsed();
  const rejectBody = (reason: Reason, detail: string, cut: Truncated | null): PageRejected =>
    withRecords(reject(reason, detail, { ...base, durationMs }), body, cut);
  if (!complete) return rejectBody("too-large", tooLarge, "length");
  if (body.byteLength === 0) return rejectBody("empty", `${status} ${statusText}`.trim(), truncated);
  const wall = wallInBody(response, body);
  if (wall !== null) return rejectBody("challenged", challengeOf(wall, `${status} ${statusText}`.trim()), truncated);
  const coding = unknownCoding(response);
  // A coding that a browser ignores leaves a page that is text.
  if (coding !== null && !request.asset && !startsAsText(body, contentType)) {
    const detail = `its content-encoding is ${coding}, which nobody asked for`;
    // Nobody could read the body: in a record it would count as decoded.
    return withRecords(reject("content-type", detail, { ...base, durationMs }), NO_BODY, "unspecified");
  }
  const store = (key: string) =>
    documents.put(key, body).then(
      () => ({ writes: 1 }),
      () => "failed" as const,
    );
  // A document that is called a page.
  if (order !== null && beginsHeavy(body, request.documents)) return toDocument(await store(order.key));
  if (order?.takesLarge === true && isForReader(body, contentType, headers, request, means)) {
    const stored = toDocument(await store(order.key));
    const large = { truncated, mayDraw: mayDraw(request, means) };
    return stored.kind === "document" ? { ...stored, headers, large } : stored;
  }
  const answer = { body, contentType, headers, httpStatus: status };
  const result = await readRendered(answer, request, durationMs, date, means, { deadline, received });
  if (result.kind === "given-back") return result;
  if (result.kind === "rejected") return withRecords(result, body, truncated);
  const page = { ...result, truncated, headers: keptHeaders(headers) };
  if (reasonToLeave(page) !== null || request.capture === null) return captureContent(request.url, page, date);
  return capturePage(request.url, page, head, request.capture);
}

/**
 * Whether the reader Worker reads a page because of its size. A message must hold all headers, and a page that is drawn
 * in any case is read when it is.
 */
function isForReader(
  body: Uint8Array,
  contentType: string | null,
  headers: PageHeaders,
  { documents, render }: PageRequest,
  { env }: Means,
): boolean {
  if (env.READER === undefined) return false;
  const found = recognizePage(body, soleMediaType(contentType), documents);
  if ("problem" in found || !weighsMuch(body, found.kind)) return false;
  if (render?.mode === "always" && found.kind.replay === "html") return false;
  return areWithin(headers, MAX_DOCUMENT_HEADERS);
}

/** Whether a browser draws it if it needs one. The local installation has none without a browser on its machine. */
function mayDraw({ render }: PageRequest, { env, gateway }: Means): boolean {
  return gateway !== null && render?.mode === "auto" && env.BROWSER !== undefined;
}

/** Reads a page as the server sent it, or as a browser draws it. The time for drawing is beside that of the fetch. */
async function readRendered(
  answer: Received,
  request: PageRequest,
  durationMs: number,
  date: number,
  { env, gateway }: Means,
  { deadline, received }: Pick<Readable, "deadline" | "received">,
): Promise<PageFetched | PageRejected | FetchGivenBack> {
  const { render } = request;
  if (gateway === null || render === null || request.asset) return readPage(answer, request, durationMs, date);
  const { mode } = render;
  // The local installation has none without a browser on its machine.
  if (env.BROWSER === undefined && mode === "auto") return readPage(answer, request, durationMs, date);
  // If the page is drawn in any case, this reads only what decides whether it is kept.
  const asked: ReadRequest = mode === "always" ? { ...request, ...MAKES_NOTHING } : request;
  const plain = await readPage(answer, asked, durationMs, date);
  if (plain.kind === "rejected" || plain.noindex !== null || plain.notModified !== null) return plain;
  const decision = decideRender(mode, plain, request.renders, request.url);
  const { why } = decision;
  if (!decision.render || why === null) {
    if (mode === "always") return readPage(answer, request, durationMs, date);
    return why === null ? plain : { ...plain, shell: why };
  }
  const startedAt = systemClock.now();
  const elapsed = () => durationMs + systemClock.now() - startedAt;
  const asking = { ...request, render };
  const rendering = renderPage(plain, { ...answer, date }, why, asking, gateway, env, deadline, elapsed);
  const { page, ownBytes } = await deadline.exclude(rendering);
  received.bytes += ownBytes;
  return page;
}

/** The headers that are sent, without those that are secret. */
function requestHeadersOf(request: PageRequest): PageHeaders {
  return Object.entries({
    accept: acceptOf(request),
    ...ACCEPT_ENCODING,
    ...conditionOf(request),
    ...identityOf(request),
  });
}

import type { Truncated } from "../archive/warc-record.ts";
import type { FetchGivenBack, SitemapFetched, SitemapResult, Validators } from "../crawl/page/outcome.ts";
import { startsAsText } from "../media/kind/sniff.ts";
import type { LinkKind } from "../media/links/links.ts";
import { readSitemap } from "../media/sitemap/sitemap.ts";
import { SITEMAP_LIMITS } from "../media/sitemap/sitemap-list.ts";
import { canonicalize } from "../url/canonicalize.ts";
import { ask, givenBack, identityOf, type Request, type Secrets } from "./answer/answer.ts";
import { type CaptureRequest, captureAnswer } from "./answer/capture-page.ts";
import { type KeptBody, keepAnswer } from "./answer/keep-answer.ts";
import { storableHeaders } from "./answer/kept-headers.ts";
import type { Readable } from "./answer/readable.ts";
import { nameNotModified, validatorHeaders } from "./request/conditional.ts";
import { isMisnamed } from "./transport/content-coding.ts";
import { decodeBeginning, decodeUpTo } from "./transport/decode-pieces.ts";
import { ACCEPT_ENCODING, type FetchEnv, type NetworkFailure } from "./transport/http.ts";
import { codingsOf, unknownCoding } from "./transport/read-body.ts";
import { streamBody } from "./transport/stream-body.ts";
import { StreamCopy } from "./transport/stream-copy.ts";

/** Fetches a sitemap and reads it as it arrives, so that a long one needs no more memory than its record. */

export interface SitemapRequest extends Request {
  /** Read what has come of a broken sitemap. Otherwise it is rejected, to be tried again. */
  keepBroken: boolean;
  /** Those of the last answer, to be told only of a newer one; null for an unconditional request. */
  validators: Validators | null;
  /** For a crawl that keeps an archive: the result holds records. */
  capture: CaptureRequest | null;
}

const ACCEPT = "application/xml,text/xml;q=0.9,text/plain;q=0.8,*/*;q=0.5";
/** A record holds at most this much of a sitemap: the default limit of a page. */
const MAX_RECORD_BYTES = 10 * 1024 * 1024;
/** More than is read, so that the reader finds the end of what it reads. */
const MAX_READ_BYTES = SITEMAP_LIMITS.bytes + 1_048_576;
/** The copy, the decoded body, the record, and what its decoder or its compression holds. */
const RESERVED_BYTES = 4 * MAX_RECORD_BYTES;

export async function fetchSitemap(
  request: SitemapRequest,
  secrets: Secrets,
  env: FetchEnv,
): Promise<SitemapResult | FetchGivenBack> {
  const { validators } = request;
  const condition = validators === null ? {} : validatorHeaders(validators);
  const result = await askFor(request, { accept: ACCEPT, ...condition, ...secrets }, env);
  return validators === null ? result : nameNotModified(result);
}

async function askFor(
  request: SitemapRequest,
  headers: Readonly<Record<string, string>>,
  env: FetchEnv,
): Promise<SitemapResult | FetchGivenBack> {
  const { url, capture } = request;
  if (capture === null) return ask(request, headers, env, (readable) => read(readable, request));
  const requestHeaders = Object.entries({ accept: ACCEPT, ...ACCEPT_ENCODING, ...identityOf(request) });
  return ask(
    request,
    headers,
    env,
    async (readable) => {
      const copy = new StreamCopy(MAX_RECORD_BYTES, request.timeoutMs, RESERVED_BYTES);
      try {
        const { startedAt: date, response, deadline } = readable;
        const reading = read({ ...readable, response: copy.of(response, deadline) }, request);
        const result = await reading.catch((error: unknown) => {
          if (!copy.foundNoRoom) throw error;
          return givenBack("room", response.status, deadline);
        });
        if (result.kind === "given-back") return result;
        const { status, statusText } = response;
        const headers = storableHeaders(response, request);
        const body = await decodeCopy(copy, response);
        const head = { status, statusText, headers, date, requestHeaders, durationMs: result.durationMs };
        return { ...result, capture: captureAnswer(url, { ...head, ...body }, capture) };
      } finally {
        copy.release();
      }
    },
    (readable) => keepAnswer(request, readable, requestHeaders, capture),
  );
}

/**
 * The copy has its content codings. They are undone here as they were for the reader, because a record holds the
 * decoded body.
 */
async function decodeCopy(copy: StreamCopy, response: Response): Promise<KeptBody> {
  const isPart = !copy.isComplete;
  let truncated: Truncated | null = isPart ? "length" : null;
  let payload: Uint8Array = copy.take();
  for (const coding of codingsOf(response)) {
    if (isMisnamed(coding, payload)) continue;
    const cut = isPart || truncated === "length";
    const whole = decodeUpTo(coding, payload, { limit: MAX_RECORD_BYTES, isPart: cut });
    const { bytes, isWhole } = await whole.catch(() => {
      truncated = "unspecified";
      return decodeBeginning(coding, payload, MAX_RECORD_BYTES);
    });
    payload = bytes;
    if (!isWhole) truncated = "length";
  }
  if (unknownCoding(response) !== null && !startsAsText(payload, null))
    return { payload: new Uint8Array(0), truncated: "unspecified" };
  if (payload.byteLength > MAX_RECORD_BYTES) truncated = "length";
  payload = payload.subarray(0, MAX_RECORD_BYTES);
  return truncated === null ? { payload } : { payload, truncated };
}

async function read(
  { response, received, signal, deadline }: Readable,
  { url, keepBroken }: SitemapRequest,
): Promise<SitemapFetched> {
  const { status, headers } = response;
  let broken: string | null = null;
  const onBroken = ({ message }: NetworkFailure) => {
    broken = message;
  };
  const chunks = countBytes(
    streamBody(response, signal, { maxBytes: MAX_READ_BYTES, ...(keepBroken && { onBroken }) }),
    received,
  );
  const { links, leftOut } = await readSitemap(chunks, url, headers.get("content-type"), canonicalize);
  const entries = (wanted: LinkKind) =>
    links.flatMap(({ url, kind, lastmod = null }) => (kind === wanted ? [{ url, lastmod }] : []));
  const { truncated, invalid, links: dropped } = leftOut;
  const problem = broken ?? leftOut.problem;
  const sitemap = { pages: entries("page"), sitemaps: entries("sitemap"), dropped, truncated, problem, invalid };
  const validators = { etag: headers.get("etag"), lastModified: headers.get("last-modified") };
  return {
    kind: "sitemap",
    sitemap,
    validators,
    httpStatus: status,
    retryAfterMs: null,
    durationMs: deadline.elapsed(),
  };
}

async function* countBytes(chunks: AsyncIterable<Uint8Array>, received: { bytes: number }): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    received.bytes += chunk.byteLength;
    yield chunk;
  }
}

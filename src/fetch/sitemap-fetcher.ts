import type { SitemapFetched, SitemapResult } from "../crawl/outcome.ts";
import type { LinkKind } from "../media/links.ts";
import { readSitemap } from "../media/sitemap/sitemap.ts";
import { canonicalize } from "../url/canonicalize.ts";
import { ask, identityOf, type Readable, type Request } from "./answer.ts";
import { type CaptureRequest, captureAnswer } from "./capture-page.ts";
import { ACCEPT_ENCODING, type FetchEnv, type NetworkFailure } from "./http.ts";
import { keepAnswer, keepBody } from "./keep-answer.ts";
import { streamBody } from "./stream-body.ts";
import { StreamCopy } from "./stream-copy.ts";

/** Fetches a sitemap and reads it as it arrives, so that a long one needs no more memory than its record. */

export interface SitemapRequest extends Request {
  /** Read what has come of a broken sitemap. Otherwise it is rejected, to be tried again. */
  keepBroken: boolean;
  /** For a crawl that keeps an archive: the result holds records. */
  capture?: CaptureRequest | null;
}

const ACCEPT = "application/xml,text/xml;q=0.9,text/plain;q=0.8,*/*;q=0.5";
/** A record holds at most this much of a sitemap: the default limit of a page. */
const MAX_RECORD_BYTES = 10 * 1024 * 1024;

export async function fetchSitemap(request: SitemapRequest, env: FetchEnv): Promise<SitemapResult> {
  const { url, capture = null } = request;
  const requestHeaders = Object.entries({ accept: ACCEPT, ...ACCEPT_ENCODING, ...identityOf(request) });
  if (capture === null) return ask(request, ACCEPT, env, (readable) => read(readable, request));
  return ask(
    request,
    ACCEPT,
    env,
    async (readable) => {
      const copy = new StreamCopy(MAX_RECORD_BYTES, request.timeoutMs);
      try {
        const { startedAt: date, response, signal, deadline } = readable;
        const result = await read({ ...readable, response: copy.of(response, deadline) }, request);
        const { status, statusText } = response;
        const headers = [...response.headers];
        // The runtime has decoded the body only in part if the server has named a rare coding.
        const body = await keepBody(new Response(copy.bytes, { headers }), MAX_RECORD_BYTES, signal);
        const head = { status, statusText, headers, date, requestHeaders, durationMs: result.durationMs };
        const whole = copy.isComplete ? body : { ...body, truncated: "length" as const };
        return { ...result, capture: captureAnswer(url, { ...head, ...whole }, capture) };
      } finally {
        copy.release();
      }
    },
    (readable) => keepAnswer(url, readable, requestHeaders, capture),
  );
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
  const chunks = countBytes(streamBody(response, signal, keepBroken ? { onBroken } : {}), received);
  const { links, leftOut } = await readSitemap(chunks, url, headers.get("content-type"), canonicalize);
  const entries = (wanted: LinkKind) =>
    links.flatMap(({ url, kind, lastmod = null }) => (kind === wanted ? [{ url, lastmod }] : []));
  const { truncated, invalid, links: dropped } = leftOut;
  const problem = broken ?? leftOut.problem;
  const sitemap = { pages: entries("page"), sitemaps: entries("sitemap"), dropped, truncated, problem, invalid };
  return { kind: "sitemap", sitemap, httpStatus: status, retryAfterMs: null, durationMs: deadline.elapsed() };
}

async function* countBytes(chunks: AsyncIterable<Uint8Array>, received: { bytes: number }): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    received.bytes += chunk.byteLength;
    yield chunk;
  }
}

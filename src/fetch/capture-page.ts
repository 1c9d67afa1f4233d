import { gzipMember } from "../archive/gzip-member.ts";
import { sha256Of } from "../archive/sha256.ts";
import { joinBytes, metadataRecord, requestRecord, resourceRecord, responseRecord } from "../archive/warc-record.ts";
import type { Capture, PageFetched, PageHeaders } from "../crawl/outcome.ts";

/**
 * Turns a page and its content into the records of a WARC file. They are compressed in the page's own invocation, which
 * bears the cost.
 */

export interface CaptureRequest {
  /** The URL of the page on which it was found; null for a seed. */
  via: string | null;
  depth: number;
  /** The number of hops from a page to a requisite. */
  embeds: number;
}

interface Answer {
  statusText: string;
  /** All response headers. */
  headers: PageHeaders;
  /** When the request began: milliseconds since the epoch. */
  date: number;
  /** The headers sent, without the crawl's own headers, which may be a password. */
  requestHeaders: PageHeaders;
}

/** Heritrix writes a letter for each hop: `L` for a link, `E` for a requisite. Further letters tell nothing. */
const MAX_HOPS = 1_000;
const EMPTY = new Uint8Array(0);

/** Returns the page with records instead of its body. */
export function capturePage(
  url: string,
  page: PageFetched,
  { statusText, headers, date, requestHeaders }: Answer,
  { via, depth, embeds }: CaptureRequest,
): PageFetched {
  const id = crypto.randomUUID();
  const { body, sha256, durationMs, encoding } = page;
  const status = page.httpStatus ?? 200;
  const response = responseRecord({ id, date, url, status, statusText, headers, payload: body, sha256 });
  const request = requestRecord({ date, url, concurrentTo: id, method: "GET", headers: requestHeaders });
  const metadata = metadataRecord({
    date,
    url,
    concurrentTo: id,
    fields: [
      ...(via === null ? [] : [["via", via] as const]),
      ["hopsFromSeed", "L".repeat(Math.min(depth - embeds, MAX_HOPS)) + "E".repeat(embeds)],
      ["fetchTimeMs", String(durationMs)],
      ...(encoding === "" ? [] : [["charset", encoding] as const]),
    ],
  });
  const others = joinBytes([gzipMember(request), gzipMember(metadata)]);
  const { capture } = captureContent(url, page, date, id);
  const of = { statusText, headers, date };
  const content = capture?.content ?? null;
  return {
    ...page,
    body: EMPTY,
    content: null,
    capture: { page: { response: gzipMember(response), others, ...of }, content },
  };
}

/**
 * Returns the page with a record instead of its content's JSON; the body stays. The record has a name like those of
 * Browsertrix Crawler (`urn:text:URL`): it is a resource of its own, which no reader mistakes for the page.
 */
export function captureContent(
  url: string,
  page: PageFetched,
  date: number,
  concurrentTo?: string,
): PageFetched & { capture: Capture | null } {
  const { content } = page;
  if (content === null) return { ...page, capture: null };
  const sha256 = sha256Of(content);
  const of = { url: `urn:content:${url}`, date, ...(concurrentTo === undefined ? {} : { concurrentTo }) };
  const record = resourceRecord({ ...of, sha256, payload: content, contentType: "application/json" });
  return { ...page, content: null, capture: { page: null, content: gzipMember(record) } };
}

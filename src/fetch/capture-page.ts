import { gzipMember } from "../archive/gzip-member.ts";
import { sha256Of } from "../archive/sha256.ts";
import { joinBytes, metadataRecord, requestRecord, resourceRecord, responseRecord } from "../archive/warc-record.ts";
import type { Capture, PageFetched, PageHeaders } from "../crawl/outcome.ts";

/** A page, and what was made of it, as the records of a WARC file, compressed where the page is, so that what it costs is its own. */

export interface CaptureRequest {
  /** The page on which it was found; null for a seed. */
  via: string | null;
  depth: number;
  /** How many of the hops are from a page to what it shows. */
  embeds: number;
}

export interface Answer {
  statusText: string;
  /** All that came. */
  headers: PageHeaders;
  /** When the request began. */
  date: number;
  /** What was sent, but for the crawl's own headers, which may be somebody's password. */
  requestHeaders: PageHeaders;
}

/** Heritrix writes a letter for each hop, `L` for a link and `E` for what is embedded; what is deeper than this says no more by them. */
const MAX_HOPS = 1_000;
const NOTHING = new Uint8Array(0);

/** The whole page as records, in place of its body. */
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
    body: NOTHING,
    content: null,
    capture: { page: { response: gzipMember(response), others, ...of }, content },
  };
}

/**
 * What was made of a page as a record, in place of its JSON; the page itself stays as it is. It is named as Browsertrix Crawler names what it
 * makes of a page (`urn:text:URL`): a resource of its own, which no reader takes for the page.
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

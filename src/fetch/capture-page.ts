import { gzipMember } from "../archive/gzip-member.ts";
import { joinBytes, metadataRecord, requestRecord, resourceRecord, responseRecord } from "../archive/warc-record.ts";
import type { Capture, PageFetched, PageHeaders } from "../crawl/outcome.ts";

/** A page as the records of a WARC file, compressed where the page is, so that what it costs is its own. */

export interface CaptureRequest {
  /** The page on which it was found; null for a seed. */
  via: string | null;
  depth: number;
}

export interface Answer {
  statusText: string;
  /** When the request began. */
  date: number;
  /** All that came. */
  headers: PageHeaders;
  /** What was sent, but for the crawl's own headers, which may be somebody's password. */
  requestHeaders: PageHeaders;
}

export async function capturePage(
  url: string,
  page: Omit<PageFetched, "capture">,
  { statusText, headers, date, requestHeaders }: Answer,
  { via, depth }: CaptureRequest,
): Promise<Capture> {
  const id = crypto.randomUUID();
  const { body, sha256, content, durationMs, encoding } = page;
  const status = page.httpStatus ?? 200;
  const response = responseRecord({ id, date, url, status, statusText, headers, payload: body, sha256 });
  const request = requestRecord({ date, url, concurrentTo: id, method: "GET", headers: requestHeaders });
  const metadata = metadataRecord({
    date,
    url,
    concurrentTo: id,
    fields: [
      ...(via === null ? [] : [["via", via] as const]),
      ["hopsFromSeed", "L".repeat(Math.min(depth, MAX_HOPS))],
      ["fetchTimeMs", String(durationMs)],
      ["charset", encoding],
    ],
  });
  const [first, second, third, made] = await Promise.all([
    gzipMember(response),
    gzipMember(request),
    gzipMember(metadata),
    content === null ? null : gzipMember(await contentRecord(url, date, id, content)),
  ]);
  return { response: first, others: joinBytes([second, third]), content: made, statusText, headers, date };
}

/** Heritrix writes a letter for each hop; what is deeper than this says no more by them. */
const MAX_HOPS = 1_000;

/** Named as Browsertrix Crawler names what it makes of a page (`urn:text:URL`): a resource of its own, which no reader takes for the page. */
async function contentRecord(url: string, date: number, concurrentTo: string, content: Uint8Array) {
  const digest = await crypto.subtle.digest("SHA-256", content);
  const sha256 = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const of = { url: `urn:content:${url}`, date, concurrentTo };
  return resourceRecord({ ...of, sha256, payload: content, contentType: "application/json" });
}

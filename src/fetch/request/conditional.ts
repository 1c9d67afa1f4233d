import type { Answered, PageRejected, Validators } from "../../crawl/page/outcome.ts";

/** Conditional requests: to be told only of an answer that is newer than the stored one (RFC 9110, section 13). */

export const NOT_MODIFIED = 304;

/**
 * If-None-Match has precedence where both are there (RFC 9110, section 13.1.3); If-Modified-Since is for servers that
 * know no tags.
 */
export function validatorHeaders({ etag, lastModified }: Validators): Record<string, string> {
  return {
    ...(etag === null ? {} : { "if-none-match": etag }),
    ...(lastModified === null ? {} : { "if-modified-since": lastModified }),
  };
}

/** The result of a conditional request, where a 304 is no error. */
export function nameNotModified<T extends Answered>(result: T | PageRejected): T | PageRejected {
  const isRejected = "reason" in result && result.httpStatus === NOT_MODIFIED;
  return isRejected ? { ...result, reason: "not-modified", detail: "the server answered 304" } : result;
}

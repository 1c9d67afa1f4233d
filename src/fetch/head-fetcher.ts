import type { Answered, PageRedirected, PageRejected } from "../crawl/page/outcome.ts";
import { ask, type Request } from "./answer/answer.ts";
import type { FetchEnv } from "./transport/http.ts";

/** Asks whether a URL exists. */

/** The head of a 2xx answer. */
export interface HeadFetched extends Answered {
  kind: "head";
}

export type HeadResult = HeadFetched | PageRedirected | PageRejected;

const ACCEPT = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8";

/**
 * Sends a GET, and cancels the body when the head has come. Many servers answer HEAD with 403, 404 or 405 where GET has
 * a page, so HEAD would find broken links that are none.
 */
export async function fetchHead(request: Request, env: FetchEnv): Promise<HeadResult> {
  return ask(request, { accept: ACCEPT }, env, async ({ response, deadline }) => ({
    kind: "head" as const,
    httpStatus: response.status,
    durationMs: deadline.elapsed(),
    retryAfterMs: null,
  }));
}

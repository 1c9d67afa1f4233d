import type { PageRejected } from "../../crawl/page/outcome.ts";
import type { ExchangeName } from "./exchanges.ts";

/**
 * What a rendered page may request: the lane that fetched the page decides it. Its methods are called from another
 * invocation.
 */
export interface RenderGateway {
  /** Asks the URL's host gate. It waits for the host's pace, but not for long. */
  enter(url: string): Promise<Entry>;
  /** Reports the answer to a request that `enter` has let go, redirects included. */
  leave(url: string, answered: ResourceAnswered): Promise<void>;
  /** The answers among these of which the crawl's archive has no record. None if it keeps no archive. */
  unarchived(names: ExchangeName[]): Promise<ExchangeName[]>;
}

export type Entry =
  | {
      kind: "go";
      /** The crawl's own headers and cookies for this URL, as for any request. */
      headers: Readonly<Record<string, string>>;
      /** As in Request. Other hosts of a drawn page may not be private, even where the operator allows all. */
      mayBePrivate: boolean;
    }
  | { kind: "refused"; why: Refusal };

/** Why a request of a page is not sent, beside the kinds of requests that no page needs for its text. */
export type Refusal =
  | "robots"
  /** The host must rest for longer than a page waits, or another crawl has it. */
  | "busy"
  | "private-address"
  /** Requests that may change something: by their method, or, with a session, by their URL. */
  | "method"
  | "action"
  /** The page has made as many requests, or got as many bytes, as it may, or the URL is longer than servers take. */
  | "limit"
  /** No http or https URL. */
  | "scheme";

/** How a request ended, as far as the host's pace and the crawl's cookies depend on it. */
export type ResourceAnswered = Pick<
  PageRejected,
  "durationMs" | "bodyBytes" | "httpStatus" | "retryAfterMs" | "setCookies" | "hostFailed" | "dropped" | "detail"
>;

/** Decides what the result of one fetch says about its host. */

import type { Reason } from "../crawl/page/reason.ts";

/** After as many dropped requests in a row the host itself is in trouble: a few bad URLs often stand side by side. */
const DROPS_OF_FAILURE = 5;

/** What a fetch showed. */
interface FetchSign {
  /** Null without an answer. */
  httpStatus: number | null;
  /** 429, 503, no answer in time, a refused connection, an unknown name, a failed TLS handshake. */
  hostFailed?: boolean;
  /** The host broke the connection off before its answer, or its answer was malformed. */
  dropped?: boolean;
}

/** Failures before any answer that are surely the host's own. */
const LOSSES: ReadonlySet<Reason> = new Set(["connection", "dns", "tls"]);

/** Whether a failed host is not there, as far as anybody can tell. A timeout may be anybody's fault. */
export function isLossOfHost(reason: Reason): boolean {
  return LOSSES.has(reason);
}

/**
 * A failed host gets a rest. A dropped request is the trouble of its URL, which is tried again later, until several in
 * a row are dropped. `drops` is their number so far. A fetch that never reached the host changes nothing.
 */
export function decideHostFailure(drops: number, fetch: FetchSign): { drops: number; failed: boolean } {
  if (fetch.dropped) return { drops: drops + 1, failed: drops + 1 >= DROPS_OF_FAILURE };
  return { drops: fetch.httpStatus === null ? drops : 0, failed: fetch.hostFailed ?? false };
}

/** How often a host has failed, in words. */
export function timesInARow(failures: number): string {
  return failures === 1 ? "once" : `${failures.toLocaleString("en")} times in a row`;
}

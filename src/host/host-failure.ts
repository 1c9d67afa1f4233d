/** Decides what the result of one fetch says about its host. */

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

/**
 * A failed host gets a rest. A dropped request is the trouble of its URL, which is tried again later, until several in
 * a row are dropped. `drops` is their number so far. A fetch that never reached the host changes nothing.
 */
export function decideHostFailure(drops: number, fetch: FetchSign): { drops: number; failed: boolean } {
  if (fetch.dropped) return { drops: drops + 1, failed: drops + 1 >= DROPS_OF_FAILURE };
  return { drops: fetch.httpStatus === null ? drops : 0, failed: fetch.hostFailed ?? false };
}

import { ASKS_NOTHING } from "../../src/fetch/page-request.ts";

/** Default requests to the page fetcher. The test adds the URL. */

export const REQUEST = {
  userAgent: "Test/1",
  headers: {},
  timeoutMs: 1_000,
  mayBePrivate: false,
  keepBroken: false,
  validators: null,
};

export const PAGE_REQUEST = { ...ASKS_NOTHING, ...REQUEST, maxBodyBytes: 1_000, agent: "test", pageRobots: true };

import { SENT_PLAINLY } from "../../src/fetch/answer/answer.ts";
import { ASKS_NOTHING } from "../../src/fetch/request/page-request.ts";

/** Default requests to the page fetcher. The test adds the URL. */

export const REQUEST = {
  ...SENT_PLAINLY,
  userAgent: "Test/1",
  from: "",
  acceptLanguage: "",
  timeoutMs: 1_000,
  mayBePrivate: false,
  hidesCookies: false,
  keepBroken: false,
  validators: null,
  capture: null,
};

export const PAGE_REQUEST = { ...ASKS_NOTHING, ...REQUEST, maxBodyBytes: 1_000, agent: "test", pageRobots: true };

/** Default requests to the page fetcher. The test adds the URL. */

export const REQUEST = { userAgent: "Test/1", headers: {}, timeoutMs: 1_000, keepBroken: false, validators: null };

export const PAGE_REQUEST = {
  ...REQUEST,
  maxBodyBytes: 1_000,
  agent: "test",
  pageRobots: true,
  scriptLinks: false,
  parts: [],
  search: false,
  modifiedSince: null,
  onCondition: false,
  version: null,
  capture: null,
  assets: false,
  asset: false,
  documents: [],
  document: null,
};

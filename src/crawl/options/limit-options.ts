import { integer, number } from "./option.ts";
import { SUBJECT_MAX_QUEUED } from "./subject-options.ts";

/** Limits of a crawl and of a fetch. */

// A page is parsed in an isolate of 128 MB, and its tree needs many times its bytes.
const MAX_BODY_BYTES = 10 * 1024 * 1024;
// The reader Worker holds one document in its 128 MB, beside what it makes of it.
const MAX_DOCUMENT_BYTES = 25 * 1024 * 1024;

const MAX_QUEUED = 100_000;

export const LIMIT_OPTIONS = {
  maxCostUsd: number("--max-cost <usd>", 0, 1_000_000, 0, {
    label: "Cost limit",
    unit: "US$",
    flagNote: "by Cloudflare's list prices, also on this machine",
    sentence: "Cost limit: the crawl is paused when its estimated cost reaches this many US dollars. 0 means no limit.",
    otherwise: "the installation's `MAX_COST_USD`, or no limit",
    amended: "The new cost limit in US dollars. 0 means no limit.",
  }),
  maxBytes: integer("--max-bytes <size>", 0, 1_000_000_000_000_000, 0, {
    label: "Size limit",
    unit: "bytes",
    sentence: "Size limit: the crawl is paused when all its completed URLs together reach this size. 0 means no limit.",
    amended: "The new size limit. 0 means no limit.",
  }),
  maxDurationS: integer("--max-time <time>", 0, 31_536_000, 0, {
    label: "Time limit",
    unit: "s",
    sentence: "Time limit: the crawl is cancelled after this time. 0 means no limit.",
    amended: "The new time limit, from now on. 0 means no limit. A watch has none after its first crawl.",
  }),
  timeoutMs: integer("--timeout <seconds>", 100, 300_000, 30_000, {
    label: "Request timeout",
    unit: "ms",
    sentence: "Timeout of one fetch, from the request to the last byte.",
    elsewhere: { cloudflare: "gotoOptions.timeout", firecrawl: "scrapeOptions.timeout" },
  }),
  maxBodyBytes: integer("--max-body-size <size>", 1, MAX_BODY_BYTES, MAX_BODY_BYTES, {
    label: "Max body size",
    unit: "bytes",
    sentence: "Maximum size of a body after decompression.",
  }),
  maxDocumentBytes: integer("--max-document-size <size>", 1, MAX_DOCUMENT_BYTES, MAX_DOCUMENT_BYTES, {
    label: "Max document size",
    unit: "bytes",
    sentence: "Maximum size of a PDF, Office or EPUB document.",
    see: "reading.md#documents",
  }),
  maxAttempts: integer("--max-attempts <n>", 1, 20, 3, {
    label: "Max attempts per URL",
    sentence: "Maximum number of attempts to fetch one URL.",
  }),
  maxRedirects: integer("--max-redirects <n>", 0, 50, 10, {
    label: "Max redirects",
    sentence: "Maximum number of redirects in a row.",
  }),
  /** The others wait in the ledger, at three more rows each. */
  maxQueued: integer("--max-queued <n>", 1, MAX_QUEUED, MAX_QUEUED, {
    label: "Max queued URLs",
    sentence:
      "Max queued URLs. The rest wait in the ledger, best first, so a lower number gives `preferPatterns` more weight.",
    otherwise: `${MAX_QUEUED}, and with a subject ${SUBJECT_MAX_QUEUED}`,
  }),
  retentionDays: integer("--retention-days <n>", 0, 3_650, 0, {
    label: "Retention",
    unit: "days",
    sentence: "The crawl and all that it stored are deleted this long after its end. 0 means never.",
  }),
};

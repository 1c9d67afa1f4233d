import { count } from "../../core/shown-values.ts";
import { integer, text } from "./option.ts";

/** The head of the form: where a crawl starts, and how many pages it has. */
/** Nobody who watches a site means ten of its pages. */
export const WATCH_LIMIT = 1_000;

/** Pages of the largest crawl that docs/scale.md computes: 64 ledgers have about as many URLs. */
export const MAX_LIMIT = 1_000_000_000;
/** More of them would only make batches smaller (docs/scale.md). */
export const MAX_SHARDS = 64;

export const START_OPTIONS = {
  url: text(null, {
    label: "URL",
    sentence: "The seed: an http or https URL.",
    inJson: "Give `url`, `urls` or both.",
    otherwise: "",
    elsewhere: { cloudflare: "url", firecrawl: "url" },
  }),
  name: text("--name <text>", {
    label: "Name",
    sentence: "A name of the crawl for people, beside its seeds.",
    amended: "The new name of the crawl.",
  }),
  limit: integer("--limit <n>", 1, MAX_LIMIT, 10, {
    label: "Page limit",
    // A page limit as low as Cloudflare's surprises people; a program says what it wants.
    suggested: 1_000,
    otherwise: `10, and ${count(WATCH_LIMIT)} for a watch`,
    sentence: "Page limit: the maximum number of completed pages. Failed and skipped URLs do not count.",
    amended: "The new page limit.",
    elsewhere: { cloudflare: "limit", firecrawl: "limit" },
  }),
  shards: integer("--shards <n>", 0, MAX_SHARDS, 1, {
    label: "Ledgers",
    flagOf: "crawl",
    sentence:
      "The number of ledgers among which the crawl is divided by host, for a crawl that is larger than one of them. The installation must have as many. 0: as many as the page limit needs, one for every 4,000,000 pages, as far as the installation has them.",
    see: "operating.md#one-crawl-over-several-ledgers",
  }),
};

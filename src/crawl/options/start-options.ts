import { integer, text } from "./option.ts";

/** The head of the form: where a crawl starts, and how many pages it has. */
export const START_OPTIONS = {
  url: text(null, {
    label: "URL",
    sentence: "The seed: an http or https URL.",
    inJson: "Give `url`, `urls` or both.",
    otherwise: "",
    elsewhere: { cloudflare: "url", firecrawl: "url" },
  }),
  limit: integer("--limit <n>", 1, 10_000_000, 10, {
    label: "Page limit",
    // A page limit as low as Cloudflare's surprises people; a program says what it wants.
    suggested: 1_000,
    sentence: "Page limit: the maximum number of completed pages. Failed and skipped URLs do not count.",
    amended: "The new page limit.",
    elsewhere: { cloudflare: "limit", firecrawl: "limit" },
  }),
};

import * as z from "zod";
import { extractionShape, hasOne, NEEDS_ONE } from "../../analysis/extraction-request.ts";
import { MAX_CRAWL_SEEDS } from "../../crawls/option-formats.ts";
import { flag, requestOf } from "../../requests/fields.ts";
import { hint, hints, refused, zeroDataRetention } from "../firecrawl-fields.ts";
import { noLookUp, scrapeOptions } from "./scrape-options.ts";

/** The request of POST /v2/extract: https://docs.firecrawl.dev/api-reference/endpoint/extract */

/** Pages that a URL with an asterisk leads to, at most. Each costs a call of the model. */
export const MAX_FOUND_PAGES = 100;

const NO_SEARCH = "there is no search of the web here: give urls";

export const extractRequest = requestOf({
  urls: z
    .array(z.string().trim().min(1))
    .min(1, NO_SEARCH)
    .max(MAX_CRAWL_SEEDS)
    .describe(`The pages. One that ends with \`/*\` stands for the pages below it, at most ${MAX_FOUND_PAGES}.`),
  ...extractionShape,
  systemPrompt: z.string().max(4_000).nullable().optional().describe("More words for the model, after `prompt`."),
  showSources: hint(z.boolean(), "`sources` always comes"),
  ignoreInvalidURLs: flag(true).describe("Leave out what is no URL that can be fetched. `false`: refuse the request."),
  scrapeOptions: requestOf({ ...scrapeOptions, ...noLookUp })
    .prefault({})
    .describe("How each page is scraped. Its formats have no effect."),
  includeSubdomains: flag(false).describe("Of a URL with an asterisk: also the subdomains of its host."),
  ignoreSitemap: flag(false).describe("Of a URL with an asterisk: follow links alone."),
  allowExternalLinks: refused("give the URLs of the other sites", false),
  enableWebSearch: refused(NO_SEARCH, false),
  agent: refused("no agent walks through pages here"),
  webhook: refused("ask GET /v2/extract/:id, or start a crawl with extract and a webhook by POST /api/crawls"),
  threatProtection: refused("no service judges URLs here"),
  urlTrace: hint(z.boolean(), "the pages of a job are records of its crawl"),
  zeroDataRetention,
  ...hints,
}).refine(hasOne, NEEDS_ONE);
export type ExtractRequest = z.output<typeof extractRequest>;

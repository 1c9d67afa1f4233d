import * as z from "zod";
import { DAY_MS } from "../../../core/clock.ts";
import { OPTIONS } from "../../../crawl/options/option-table.ts";
import { DOCUMENT_KINDS } from "../../../media/kind/document-kinds.ts";
import { crawlRequest } from "../../crawls/crawl-request.ts";
import { integer } from "../../requests/fields.ts";
import { hint, hints, refused, zeroDataRetention } from "../firecrawl-fields.ts";
import { formatList } from "./scrape-formats.ts";

/** How a page is scraped: the options that a scrape, a batch, and a crawl by `scrapeOptions` have in common. */

const AGE_MAX_MS = 3_650 * DAY_MS;
/** The default of version 2. */
export const DEFAULT_MAX_AGE_MS = 2 * DAY_MS;

const OWN_ENGINE = "there is one way to fetch, and none evades bot walls";
const parser = z.union([
  z.literal("pdf"),
  z.strictObject({
    type: z.literal("pdf").describe("Always `pdf`."),
    mode: z.enum(["fast", "auto"]).optional().describe("Both read the text of the document: there is no OCR."),
  }),
]);

export const scrapeOptions = {
  formats: formatList
    .prefault(["markdown"])
    .describe(
      '`markdown`, `html` (the main content), `rawHtml` (the page as sent), `links`, `screenshot`, and `{"type": "json", "rules": {...}}`: fields by rules.',
    ),
  headers: crawlRequest.shape.headers,
  timeout: z
    .int()
    .min(OPTIONS.timeoutMs.min)
    .max(OPTIONS.timeoutMs.max)
    .optional()
    .describe("Milliseconds. Of a scrape: the time until the answer. Of a crawl or batch: the time for one fetch."),
  maxAge: integer(0, AGE_MAX_MS, DEFAULT_MAX_AGE_MS).describe(
    "Milliseconds. A scrape takes the page from a crawl that fetched it at most so long ago. A crawl or batch fetches every page anew.",
  ),
  parsers: z
    .array(parser)
    .max(1, "give pdf, or an empty list")
    .default(["pdf"])
    .describe('`["pdf"]`: PDF documents are read. An empty list: they are skipped.'),
  onlyMainContent: refused("markdown and html are the main content; ask for rawHtml to get the whole page", true),
  includeTags: refused("the main content is found by itself; ask for rawHtml and select from it"),
  excludeTags: refused("the main content is found by itself; ask for rawHtml and select from it"),
  waitFor: refused("a page that a browser draws is read when it is quiet; leave it out", 0),
  mobile: refused("no phone is imitated; start a crawl with renderOptions.viewport by POST /api/crawls", false),
  actions: refused("start a crawl with renderOptions (click, scroll, waitFor) by POST /api/crawls"),
  location: refused("requests leave from where this installation runs", {}),
  skipTlsVerification: refused("certificates are always verified", false),
  removeBase64Images: refused("data: images are never in markdown", true),
  redactPII: refused("nothing is redacted", false),
  profile: refused("no browser profile is kept"),
  threatProtection: refused("no service judges URLs here"),
  auditMetadata: refused("there is no audit log"),
  useMock: refused("there are no mocks"),
  blockAds: hint(z.boolean(), "markdown and html are the main content, without advertisements"),
  fastMode: hint(z.boolean(), OWN_ENGINE),
  proxy: z
    .enum(["basic", "auto"], `${OWN_ENGINE}: give basic or auto`)
    .optional()
    .describe(`Accepted without effect: ${OWN_ENGINE}. Other values are refused.`),
  domainTools: hint(z.boolean(), "there is no catalogue of tools"),
  toolDetail: hint(z.enum(["compact", "summary", "full"]), "there is no catalogue of tools"),
  zeroDataRetention,
  ...hints,
};

/** Options that only make sense where each page is looked up. A crawl's scrapeOptions take their neutral values. */
export const lookUpOptions = {
  minAge: z
    .int()
    .min(0)
    .max(AGE_MAX_MS)
    .optional()
    .describe("Milliseconds. Take the page from a crawl that fetched it at least so long ago; fetch nothing."),
  lockdown: z.boolean().default(false).describe("Take the page from a crawl; fetch nothing."),
  storeInCache: z.boolean().default(true).describe("`false`: delete what was fetched after the answer."),
};
export const noLookUp = {
  minAge: refused("a crawl or batch fetches every page anew"),
  lockdown: refused("a crawl or batch fetches every page anew", false),
  storeInCache: refused("a crawl keeps its pages until it is deleted", true),
};

const scrapeObject = z.object(scrapeOptions);
export type ScrapeOptions = z.output<typeof scrapeObject>;

/** The part of a body of `POST /api/crawls` that these options make. */
export function crawlBodyOf({ formats: { formats, screenshot, rules }, headers, parsers }: ScrapeOptions) {
  return {
    formats,
    headers,
    ...(rules === null ? {} : { fields: rules }),
    documents: DOCUMENT_KINDS.filter((kind) => kind !== "pdf" || parsers.length > 0),
    search: true,
    // A picture needs a browser. Other pages are drawn where their scripts make what they show.
    render: screenshot === null ? "auto" : "always",
    screenshot: screenshot !== null,
    ...(screenshot?.viewport ? { renderOptions: { viewport: screenshot.viewport } } : {}),
  };
}

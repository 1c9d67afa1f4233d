import * as z from "zod";
import { DAY_MS } from "../../../core/clock.ts";
import { OPTIONS } from "../../../crawl/options/option-table.ts";
import { DOCUMENT_KINDS } from "../../../media/kind/document-kinds.ts";
import { crawlRequest } from "../../crawls/crawl-request.ts";
import { elementSelectors } from "../../crawls/option-formats.ts";
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
      '`markdown`, `html` (the main content), `rawHtml` (the page as sent), `links`, `images`, `screenshot`, and `{"type": "json", ...}`: values by a model with `schema` and `prompt`, fields by rules with `rules`.',
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
  waitFor: hint(
    z.int().min(0).max(60_000),
    "a page that needs its scripts is drawn, and read when it is quiet, however long it is asked to wait",
  ),
  mobile: refused("no phone is imitated; start a crawl with renderOptions.viewport by POST /api/crawls", false),
  actions: refused("start a crawl with renderOptions (click, scroll, waitFor) by POST /api/crawls"),
  location: z
    .strictObject({
      country: z
        .string()
        .regex(/^[A-Za-z]{2}$/, "give two letters, such as DE")
        .optional()
        .describe("A country: its main language is asked for, unless `languages` says others."),
      languages: z
        .array(z.string().regex(/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/, "give tags such as de or pt-BR"))
        .max(10)
        .optional()
        .describe("Languages, the best first."),
    })
    .nullable()
    .optional()
    .describe(
      "Sent as `Accept-Language`, and a `warning` says so: requests leave from where this installation runs. Such a page is never given to other requests.",
    ),
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

const MANY = "hits come with their main content; scrape the page, or ask for rawHtml";
const selectors = elementSelectors
  .nullable()
  .default([])
  .transform((given) => given ?? []);

/** Which part of a page its markdown and its html have. */
export const contentOptions = {
  onlyMainContent: z
    .boolean()
    .nullable()
    .default(true)
    .transform((given) => given ?? true)
    .describe("`false`: markdown and html have the whole page, with its menus."),
  includeTags: selectors.describe(
    "CSS selectors of names, classes, ids and attributes: markdown and html have these elements alone.",
  ),
  excludeTags: selectors.describe("CSS selectors: markdown and html have no such elements."),
};

/** Options that only make sense where each page is looked up. A crawl's scrapeOptions take their neutral values. */
export const lookUpOptions = {
  ...contentOptions,
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
  onlyMainContent: refused(MANY, true),
  includeTags: refused(MANY),
  excludeTags: refused(MANY),
  minAge: refused("a crawl or batch fetches every page anew"),
  lockdown: refused("a crawl or batch fetches every page anew", false),
  storeInCache: refused("a crawl keeps its pages until it is deleted", true),
};

/** What crawls, batches and monitors take: the content that is chosen is made of each stored page. */
export const ofManyPages = { ...scrapeOptions, ...noLookUp, ...contentOptions };

const contentObject = z.object(contentOptions);
export type ChosenElements = z.output<typeof contentObject>;

export function isMainContent({ onlyMainContent, includeTags, excludeTags }: ChosenElements): boolean {
  return onlyMainContent && includeTags.length === 0 && excludeTags.length === 0;
}

/** Likewise, of the content. */
export function contentBodyOf({ onlyMainContent, includeTags, excludeTags }: ChosenElements) {
  return { wholePages: !onlyMainContent, contentSelectors: includeTags, removeSelectors: excludeTags };
}

const scrapeObject = z.object(scrapeOptions);
export type ScrapeOptions = z.output<typeof scrapeObject>;

/** The part of a body of `POST /api/crawls` that these options make. */
export function crawlBodyOf({
  formats: { formats, screenshot, rules, extraction },
  headers,
  parsers,
  location,
}: ScrapeOptions) {
  const accepted = acceptLanguageOf(location);
  return {
    formats,
    headers: accepted === null ? headers : { "accept-language": accepted, ...headers },
    ...(rules === null ? {} : { fields: rules }),
    ...(extraction === null ? {} : { extract: extraction }),
    documents: DOCUMENT_KINDS.filter((kind) => kind !== "pdf" || parsers.length > 0),
    search: true,
    // A picture needs a browser. Other pages are drawn where their scripts make what they show.
    render: screenshot === null ? "auto" : "always",
    screenshot: screenshot !== null,
    ...(screenshot?.viewport ? { renderOptions: { viewport: screenshot.viewport } } : {}),
  };
}

/** The value of Accept-Language; null if no language is asked for. */
export function acceptLanguageOf(location: ScrapeOptions["location"]): string | null {
  const { country, languages = [] } = location ?? {};
  const wanted = languages.length > 0 || country === undefined ? languages : languagesOf(country);
  if (wanted.length === 0) return null;
  return wanted.map((tag, i) => (i === 0 ? tag : `${tag};q=${Math.max(0.1, 1 - i / 10).toFixed(1)}`)).join(", ");
}

/** `de-DE` and `de` of DE. */
function languagesOf(country: string): string[] {
  const { language } = new Intl.Locale(`und-${country.toUpperCase()}`).maximize();
  return language === undefined || language === "und" ? [] : [`${language}-${country.toUpperCase()}`, language];
}

import { DEFAULT_CHUNK_TOKENS, MAX_CHUNK_TOKENS, MIN_CHUNK_TOKENS } from "../../chunks/chunk.ts";
import type { Extraction } from "../../extract/extraction.ts";
import type { FieldGroup } from "../../media/html/fields/field-rule.ts";
import { DOCUMENT_KINDS } from "../../media/kind/document-kinds.ts";
import { choice, choices, flag, integer, lines, number, special, text } from "./option.ts";

/** Options on what is read from pages, and how it is stored. */

/** The formats in which a stored page can be read. */
export const FORMATS = ["html", "rawHtml", "markdown", "chunks", "text", "json", "links", "images", "headers"] as const;

export const CONTENT_OPTIONS = {
  documents: choices("--documents <list>", DOCUMENT_KINDS, [...DOCUMENT_KINDS], 0, {
    label: "Documents",
    flagNote: "separated by commas, or none",
    // A crawl from before documents were read goes on without them.
    stored: [],
    sentence:
      "The kinds of documents that are read as pages, besides HTML and plain text. An installation on the free plan reads no `pdf`, `office` and `epub`.",
    inJson: "An empty list reads none.",
    see: "reading.md#documents",
    elsewhere: { firecrawl: "scrapeOptions.parsers" },
  }),
  preferMarkdown: flag("--prefer-markdown", false, {
    label: "Prefer Markdown",
    sentence:
      "Ask servers for Markdown (`Accept: text/markdown`), and fetch the Markdown that a page names with `rel=alternate`, one more request for each such page. Its Markdown is then the server's own.",
    see: "feeding-models.md#markdown-of-the-servers-own",
  }),
  formats: choices("--markdown", FORMATS, [], 0, {
    label: "Formats",
    flagValue: ["markdown"],
    flagHelp: "Convert the main content of pages to Markdown. `--out` writes it beside the page.",
    sentence:
      "Formats to make of each page while it is parsed, and to store: `html` (the main content), `rawHtml` (the page as sent), `markdown`, `chunks` (kept as Markdown), `text`, `json` (metadata and text), `links`, `images` (made when somebody asks), `headers`. Other formats are made when somebody asks for them.",
    elsewhere: { cloudflare: "formats", firecrawl: "scrapeOptions.formats" },
  }),
  wholePages: flag("--whole-pages", false, {
    label: "Whole pages",
    sentence:
      "The Markdown and the HTML of pages have the whole page, with menus, headers and footers, and are made whenever somebody asks for them. Text, chunks, search and changes have the main content.",
    elsewhere: { firecrawl: "scrapeOptions.onlyMainContent" },
  }),
  contentSelectors: lines("--content-selector <css>", {
    label: "Content elements",
    example: "main article",
    sentence:
      "CSS selectors: the Markdown and the HTML of pages have these elements alone, and nothing where a page has none of them. They are made of the stored pages whenever somebody asks. Text, chunks, search and changes have the main content.",
    elsewhere: { firecrawl: "scrapeOptions.includeTags" },
  }),
  removeSelectors: lines("--remove-selector <css>", {
    label: "Removed elements",
    example: "nav\n.advertisement",
    sentence: "CSS selectors of elements that the Markdown and the HTML of pages leave out, likewise.",
    elsewhere: { firecrawl: "scrapeOptions.excludeTags" },
  }),
  fields: special("--fields <file>", "rules", [] as FieldGroup[], {
    label: "Fields by rules",
    example: '{"price": {"selector": ".price", "as": "number"}}',
    flagNote: "a JSON file",
    sentence:
      "Fields to read from pages by rules, such as a price: one object of fields by name for all pages, or a list of groups by URL. They stand in records, exports and changes.",
    see: "fields.md",
  }),
  extract: special("--extract <file>", "extraction", null as Extraction | null, {
    label: "Values by a model",
    example: '{"schema": {"type": "object", "properties": {"price": {"type": "number"}}}, "evidence": "strict"}',
    flagNote: "a JSON Schema, words for the model in a text file, or JSON with `schema`, `prompt` and `evidence`",
    sentence:
      "Have the installation's model find values in each page, by a JSON Schema, a prompt, or both, when the crawl has ended. They stand in records and exports with the words that they come from. The crawl then declares the purpose `ai-input` and the use `full`.",
    see: "extract.md",
  }),
  extractBy: choice("--extract-by <how>", ["rules", "model"], "rules", {
    label: "Who reads",
    stored: "model",
    sentence:
      "Who reads the values: `rules` has the model read some pages of each section of the site, makes rules of what it found, and reads the others by them; `model` asks it about every page.",
    see: "extract.md#rules-that-the-model-makes",
  }),
  modelCalls: integer("--model-calls <n>", 0, 1_000_000_000, 0, {
    label: "Calls of the model",
    sentence: "Maximum number of calls of the model by this crawl. 0 means no limit.",
    amended: "The new limit of the model's calls, also of a crawl that has ended. 0 means no limit.",
    see: "extract.md#what-is-asked-and-what-it-costs",
  }),
  modelCostUsd: number("--model-cost <usd>", 0, 1_000_000, 0, {
    label: "Cost limit of the model",
    unit: "US$",
    sentence: "Cost limit of the model by `modelPrices`: no call begins that may go beyond. 0 means no limit.",
    amended: "The new cost limit of the model in US dollars, also of a crawl that has ended. 0 means no limit.",
    see: "extract.md#what-is-asked-and-what-it-costs",
  }),
  modelPrices: text("--model-prices <in,out>", {
    label: "Prices of the model",
    example: "0.4,1.6",
    sentence:
      "US dollars for a million tokens of questions and of answers, such as `0.4,1.6`. Empty: the installation's `MODEL_PRICES`.",
  }),
  chunkTokens: integer("--chunk-tokens <n>", MIN_CHUNK_TOKENS, MAX_CHUNK_TOKENS, DEFAULT_CHUNK_TOKENS, {
    label: "Chunk size",
    unit: "tokens",
    sentence: "Maximum size of a chunk of the format `chunks`. A request for chunks can name another size.",
  }),
  search: flag("--search", false, {
    label: "Full-text search",
    sentence: "Add the text of each page to the full-text index.",
    see: "search.md",
  }),
  store: choice("--store <kind>", ["warc", "files"], "files", {
    label: "Storage",
    sentence:
      "How pages are stored: `warc` packs many pages into one WARC file, `files` makes one object for each page.",
    // `default` is the store of crawls from before packs existed.
    otherwise: "the installation's `STORE`",
  }),
  modifiedSince: special("--modified-since <time>", "date", null as number | null, {
    label: "Modified since",
    flagNote: "a date (2026-03-01) or a period (7d)",
    flagOf: "crawl",
    sentence: "Save only pages that changed after this time, according to sitemaps, Last-Modified and 304 answers.",
    inJson: "In seconds since 1970; null saves all pages.",
    see: "politeness.md#what-has-changed",
    elsewhere: { cloudflare: "modifiedSince" },
  }),
};

import * as z from "zod";
import { MAX_CHUNK_TOKENS, MIN_CHUNK_TOKENS } from "../../chunks/chunk.ts";
import type { CrawlUrl } from "../../crawl/crawl.ts";
import { EXPORT_PARAMETERS } from "../../crawl/export-table.ts";
import { FORMATS } from "../../crawl/options/content-options.ts";
import type { FormattedRecord } from "../../crawl/page/formatted-record.ts";
import { describeReason, type Reason } from "../../crawl/page/reason.ts";
import type { RecordDetail } from "../../crawl/page/record-detail.ts";
import { BROWSER_FILTERS, FOLLOWS, RECORD_SORTS } from "../../crawl/page/records-query.ts";
import { redirectTarget } from "../../crawl/page/redirect-target.ts";
import { fieldsInRow, type RowFields } from "../../crawl/page/row-fields.ts";
import { FINAL_STATUSES, type UrlStatus } from "../../crawl/page/status.ts";
import { TRUNCATIONS } from "../../crawl/truncation.ts";
import {
  type ColumnFact,
  FACTS,
  type FactType,
  SHOWN_FACTS,
  type ShownFact,
  shownInOrder,
} from "../../crawl/url-facts.ts";
import { PAGE_KINDS } from "../../media/document.ts";
import { DOCUMENT_KINDS, type DocumentKind } from "../../media/kind/document-kinds.ts";
import { documentOf } from "../../media/kind/kinds.ts";
import { folderPath } from "../../reading/folder/folder-path.ts";
import { mirrorPath } from "../../store/mirror/mirror-key.ts";
import { extractedView, shownExtracted } from "../analysis/extracted-view.ts";
import { fieldValue } from "../analysis/field-values.ts";
import { languageRange } from "../crawls/place-fields.ts";
import {
  choice,
  count,
  emptyAsMissing,
  isoOrNull,
  listOf,
  NEXT_CURSOR,
  objectOf,
  optionalText,
  queryInteger,
  reason,
  requestOf,
  time,
  urlStatus,
} from "../requests/fields.ts";
import { mediaView } from "./media-schemas.ts";

/** Requests for a crawl's records and pages, and their answers. */

/** A list as it is written in a URL: `markdown,links`. */
export const formatList = z
  .string()
  .transform((list) => list.split(",").filter((name) => name !== ""))
  .pipe(z.array(z.enum(FORMATS)));

// A word in the query; a boolean in the description of the API.
const flag = (description: string) =>
  z
    .stringbool()
    .default(false)
    .meta({ type: "boolean", description: `${description} The default is \`false\`.` });

export const rawText = flag(EXPORT_PARAMETERS.rawText);
export const cleanFlag = flag(EXPORT_PARAMETERS.clean);
export const partsFlag = flag(EXPORT_PARAMETERS.parts);

export const chunkTokens = emptyAsMissing(
  z.coerce.number().int().min(MIN_CHUNK_TOKENS).max(MAX_CHUNK_TOKENS).optional(),
).describe(EXPORT_PARAMETERS.chunkTokens);

export const minRelevance = emptyAsMissing(z.coerce.number().min(0).max(1).optional()).describe(
  EXPORT_PARAMETERS.minRelevance,
);
export const cursor = z.string().default("").describe(NEXT_CURSOR);

export const recordsQuery = requestOf({
  cursor,
  limit: queryInteger(1, 1_000, 100).describe("Maximum number of records in one answer."),
  status: emptyAsMissing(urlStatus.optional()).describe(EXPORT_PARAMETERS.status),
  reason: emptyAsMissing(reason.optional()).describe("Only records that ended for this reason."),
  host: optionalText.describe("Only records of this host, with its port if that is not the scheme's default."),
  code: emptyAsMissing(
    z
      .string()
      .regex(/^[1-5](?:\d\d|xx)$/i, "an HTTP status such as 404, or a class of them such as 4xx")
      .optional(),
  ).describe("Only records with this HTTP status, or with one of this class, such as `4xx`."),
  browser: emptyAsMissing(z.enum(BROWSER_FILTERS).optional()).describe(
    "Only pages that need a browser and were read without one (`needed`), or only pages that a browser drew (`used`).",
  ),
  minRelevance,
  type: optionalText.describe("Only records whose content type starts with this."),
  document: emptyAsMissing(z.enum(DOCUMENT_KINDS).optional()).describe("Only pages of this kind of documents."),
  language: emptyAsMissing(languageRange.optional()).describe(
    "Only pages in this language (BCP 47) or in a variety of it: `de` has `de-AT` too.",
  ),
  label: optionalText.describe(EXPORT_PARAMETERS.label),
  q: optionalText.describe("Only records whose URL or title contains this. The case of ASCII letters is ignored."),
  sort: choice(RECORD_SORTS, "url").describe("The field to sort by. Records without a value come last."),
  order: choice(["asc", "desc"], "asc").describe("Ascending or descending order."),
  formats: formatList.default([]).describe(EXPORT_PARAMETERS.formats),
  rawText,
  clean: cleanFlag,
  chunkTokens,
});

export const urlQuery = requestOf({ url: z.string().min(1).describe("The URL, in any spelling.") });

export const pageQuery = requestOf({
  ...urlQuery.shape,
  format: z
    .enum([...FORMATS, "browsable", "drawn"])
    .optional()
    .describe("The format to return. Without it: the body as the server sent it."),
  rawText,
  clean: cleanFlag,
  chunkTokens,
});
export type PageQuery = z.output<typeof pageQuery>;

const SHOWN_TYPES = {
  text: z.string(),
  count,
  int: z.int(),
  byte: z.int().min(0).max(255),
  share: z.number().min(0).max(1),
  time,
  flag: z.boolean(),
  status: urlStatus,
  reason,
  document: z.enum(DOCUMENT_KINDS),
  truncation: z.enum(TRUNCATIONS),
  media: mediaView,
  fields: z.record(z.string(), fieldValue.nullable()),
  extracted: extractedView,
} satisfies Partial<Record<FactType, z.ZodType>>;

type ShapeOf<K extends ShownFact> = (typeof SHOWN_TYPES)[(typeof FACTS)[K]["type"]];
type RecordShape = {
  [K in ShownFact]: (typeof FACTS)[K] extends { isRequired: true } ? ShapeOf<K> : z.ZodNullable<ShapeOf<K>>;
};

export const recordView = objectOf(
  Object.fromEntries(
    SHOWN_FACTS.map((name) => {
      const { type, shown }: { type: keyof typeof SHOWN_TYPES; shown: string } = FACTS[name];
      const schema = SHOWN_TYPES[type];
      return [name, ("isRequired" in FACTS[name] ? schema : schema.nullable()).describe(shown)];
    }),
  ) as unknown as RecordShape,
);
export type RecordView = z.output<typeof recordView>;

/** The facts that a record makes of others. */
const MADE: { [K in Exclude<ShownFact, ColumnFact>]: (record: CrawlUrl) => RecordView[K] } = {
  explanation: ({ status, reason, detail, attempts }) =>
    reason === null ? detail : explanationOf(reason, detail, shownStatus(status) === "queued" ? attempts : 0),
  asset: ({ kind }) => kind === "asset",
  document: documentKindOf,
  redirectTo: redirectTarget,
  file: fileOf,
};

/** How facts of these types are shown; others are shown as the row has them. */
const SHOWN_AS: { [T in FactType]?: (value: never) => unknown } = {
  time: isoOrNull,
  status: shownStatus,
  media: (json: string | null) => (json === null ? null : JSON.parse(json)),
  extracted: (json: string | null) => (json === null ? null : shownExtracted(JSON.parse(json))),
  // `readRow` has read the fields that are in a pack, as far as they are wanted.
  fields: (json: string | null) => (json === null ? null : fieldsInRow(JSON.parse(json) as RowFields)),
};

/** Later facts follow in the order of the table. Files of two versions can be compared line by line. */
const VIEWS = shownInOrder(
  "url depth via httpStatus title contentType bytes sha256 durationMs truncated rank inLinks twinOf shell rendered language label confidence relevance priority asset document fields media status reason explanation fetchedAt redirectTo lastmod file",
).map((name) => [name, viewOf(name)] as const);

/** A copy of it is written faster than an object that grows. */
const EMPTY: { [K in ShownFact]?: unknown } = Object.fromEntries(VIEWS.map(([name]) => [name, null]));

export function viewRecord(record: CrawlUrl): RecordView {
  const shown = { ...EMPTY };
  for (const [name, view] of VIEWS) shown[name] = view(record);
  return shown as RecordView;
}

function viewOf(name: ShownFact): (record: CrawlUrl) => unknown {
  if (name in MADE) return MADE[name as keyof typeof MADE];
  const show = SHOWN_AS[FACTS[name].type];
  const column = name as keyof CrawlUrl;
  return show === undefined ? (record) => record[column] : (record) => show(record[column] as never);
}

function documentKindOf({ status, kind, contentType }: CrawlUrl): DocumentKind | null {
  return status === "completed" && kind === "page" ? documentOf(contentType) : null;
}

function fileOf(record: CrawlUrl): string | null {
  const { url, status, sha256, contentType } = record;
  if (status !== "completed" || sha256 === null) return null;
  // Other programs open a document by its extension.
  return documentKindOf(record) === null ? mirrorPath(url) : folderPath(url, contentType);
}

export function shownStatus(status: UrlStatus): RecordView["status"] {
  return status === "pending" ? "queued" : status;
}

/** `failed`: the number of failed attempts of a URL that waits for its next one. */
export function explanationOf(reason: Reason, detail: string | null, failed = 0): string {
  const why = describeReason({ reason, detail });
  return failed === 0 ? why : `it waits for attempt ${failed + 1}, because attempt ${failed} failed: ${why}`;
}

const text = z.string().nullable();
const pageJson = objectOf({
  url: z.string().describe("The canonical URL."),
  title: text.describe(
    "The title: of an HTML page its headline, without the name of the site. The record's own title is the text of the page's `title` element.",
  ),
  description: text.describe("The description."),
  language: text.describe(
    "The language: a BCP 47 tag as the page writes it. If it writes none, the language that its text is recognised by.",
  ),
  canonical: text.describe("The canonical URL that the page names."),
  author: text.describe("The author. Several are separated by commas."),
  keywords: z.array(z.string()).describe("Keywords that the page gives itself, each once."),
  publishedAt: text.describe(
    "When the page was published: ISO 8601, with the time zone that the page names. A page that shows only when it was updated has that day here too.",
  ),
  modifiedAt: text.describe("When the page was modified, likewise."),
  sources: z
    .partialRecord(z.enum(["title", "author", "publishedAt", "modifiedAt"]), z.string())
    .describe(
      "Where these facts were read: `title`, `h1` or `h2` (the element), `meta NAME`, `json-ld PROPERTY`, `microdata PROPERTY`, `rel=author`, `hcard`, `byline` (a name that the page shows), `time` (the element), `text` (a date that the page shows), `url`. Empty for a document that is no HTML, and for pages that an earlier version read.",
    ),
  siteName: text.describe("The name of the site."),
  image: text.describe("The URL of the page's main image."),
  favicon: text.describe("The URL of the icon that the page names."),
  feeds: listOf({
    url: z.string().describe("The canonical URL."),
    type: z.string().describe("The media type, such as `application/rss+xml`."),
    title: text.describe("Its title."),
  }).describe("Feeds that the page names."),
  alternates: listOf({
    url: z.string().describe("The canonical URL."),
    language: z.string().describe("The language as the page writes it. `x-default`: for all others."),
  }).describe("The page in other languages (`hreflang`)."),
  robots: z.array(z.string()).describe("Directives to robots in the page, in lower case, such as `nofollow`."),
  openGraph: z.record(z.string(), z.string()).describe("Open Graph properties by name, without `og:`."),
  jsonLd: z.array(z.unknown()).describe("All readable JSON-LD blocks."),
  headings: listOf({
    level: z.int().describe("1 to 6."),
    text: z.string().describe("The text."),
    id: z.string().optional().describe("The fragment that leads to it. Absent if the page has none."),
  }).describe("Headings of the main content, in order."),
  pageCount: count.optional().describe("Number of pages, slides or sheets of a document. Absent for what has none."),
  markdownUrl: z
    .string()
    .optional()
    .describe("The URL of the server's own Markdown, if that is the page's Markdown here. Absent otherwise."),
  wordCount: count.describe("Number of words in the main content. A Chinese or Japanese character is a word."),
  kind: z
    .enum(PAGE_KINDS)
    .describe(
      "The kind of page. `collection`: a list of products. `service`: what somebody offers. `error`: the answer was no error, but the page says that there is none.",
    ),
  text: z.string().describe("The main content as plain text."),
});

const chunkView = objectOf({
  id: z.string().describe("A UUID of the URL, the headings and the text: it stays while they stay."),
  headings: z.array(z.string()).readonly().describe("The headings above all of its text, from the outermost one."),
  anchor: text.describe("The fragment of the innermost of these headings. null: the page has none for it."),
  link: z.string().describe("The URL with that fragment, or with a text fragment that finds the heading."),
  order: count.describe("Its number within the page, from 0."),
  offset: count.describe("Where it begins in the page's Markdown, in characters."),
  length: count.describe("How much of the page's Markdown it covers, in characters."),
  tokens: count.describe("Its size in tokens, estimated."),
  text: z
    .string()
    .describe("The part of the Markdown. A table that is cut has its header in each part, and code its fences."),
});

export type ChunkView = z.output<typeof chunkView>;

/** A page in the requested formats. */
export const pageFormats = {
  html: z.string().optional().describe("The main content as a small HTML document."),
  rawHtml: z.string().optional().describe("The page as the server sent it, decoded."),
  markdown: z.string().optional().describe("The main content as Markdown."),
  chunks: z.array(chunkView).optional().describe("The Markdown in parts, cut at headings, in order."),
  text: z.string().optional().describe("The main content as plain text."),
  json: pageJson.optional().describe("The page's metadata and text."),
  links: listOf({
    url: z.string().describe("The canonical URL."),
    kind: z.string().describe("The element that has the link, such as `a`."),
    nofollow: z.boolean().describe("Whether all links of the page to this URL say `nofollow`."),
    rel: z.string().optional().describe("Its relations in lower case, separated by spaces."),
    text: z.string().optional().describe("Its anchor text, at most 80 characters."),
    place: z
      .enum(["navigation", "content"])
      .optional()
      .describe("Whether it stands in the navigation or the content of the page."),
  })
    .optional()
    .describe("The links of the page, each URL once."),
  images: z.array(z.string()).optional().describe("The URLs of the images of the whole page, each once."),
  headers: z.record(z.string(), z.string()).optional().describe("The HTTP headers of the answer, in lower case."),
  template: objectOf({
    pages: count.describe("The number of pages of its URL pattern."),
    removed: count.describe("The number of lines that were left out of this page."),
  })
    .nullable()
    .optional()
    .describe(
      "What was left out of the text, Markdown, chunks or JSON, because at least half of the pages of its URL pattern have it in common. null: nothing, by request, because the crawl has not ended, or because the pages have nothing in common.",
    ),
};

const formattedRecordView = recordView.extend({
  ...pageFormats,
  problem: z.string().optional().describe("Why a stored page is returned without its formats."),
});
export type FormattedRecordView = z.output<typeof formattedRecordView>;

export function viewFormatted({ record, formatted, problem }: FormattedRecord): FormattedRecordView {
  return { ...viewRecord(record), ...formatted, ...(problem === null ? {} : { problem }) };
}

export const recordsPage = objectOf({
  records: z.array(formattedRecordView).describe("The records."),
  cursor: z.string().nullable().describe("Cursor of the next page of results. null: this is the last one."),
});

export const finishedQuery = requestOf({
  cursor: z.string().default("").describe("The `cursor` of the last answer. Empty for the beginning."),
  limit: recordsQuery.shape.limit,
  status: emptyAsMissing(z.enum(FINAL_STATUSES).optional()).describe("Only URLs that finished with this status."),
  formats: recordsQuery.shape.formats,
  rawText,
  clean: cleanFlag,
  chunkTokens,
});

export const finishedPage = objectOf({
  records: recordsPage.shape.records,
  cursor: z.string().describe("Cursor of what finishes after these records. It stays valid."),
  follows: z
    .enum(FOLLOWS)
    .describe(
      "What this cursor leads to. `more`: more records, at once. `later`: what finishes from now on, so ask again in a moment. `nothing`: the crawl has ended, and only a retry of its URLs adds records.",
    ),
});
export type FinishedPage = z.output<typeof finishedPage>;

export const recordDetailView = objectOf({
  record: recordView.describe("The record."),
  path: listOf({
    url: z.string().describe("The URL of the step."),
    kind: z.enum(["page", "sitemap", "robots.txt"]).describe("What the step is."),
    title: z.string().nullable().describe("The title of a page."),
  }).describe("Path from the seed, or from a sitemap, to the record. At most the last 101 steps."),
  inlinks: z
    .array(z.string())
    .max(1)
    .describe("Pages that link to the URL. A crawl stores only the first of them. Empty for a seed."),
  found: listOf({
    url: z.string().describe("The URL."),
    status: urlStatus.describe("The status of the URL."),
    title: z.string().nullable().describe("The title of the page."),
  }).describe(
    "URLs that were first found on this page, at most 200. `GET /api/crawls/:id/page?format=links` returns all of its links.",
  ),
  hasMoreFound: z.boolean().describe("Whether `found` is incomplete."),
});
export type RecordDetailView = z.output<typeof recordDetailView>;

export function viewRecordDetail({ record, way, found, hasMore }: RecordDetail): RecordDetailView {
  return {
    record: viewRecord(record),
    path: way,
    inlinks: record.via === null ? [] : [record.via],
    found: found.map((each) => ({ ...each, status: shownStatus(each.status) })),
    hasMoreFound: hasMore,
  };
}

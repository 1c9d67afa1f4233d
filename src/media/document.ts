import type { FormFill } from "../core/form-fill.ts";
import type { FieldReading, FieldRules } from "./html/fields/field-rule.ts";
import type { FieldProposal } from "./html/fields/propose-fields.ts";
import type { Link, PageLink } from "./links/links.ts";

/**
 * One shape for every kind of document. A reader makes it from bytes; what follows knows no kinds. Plain data
 * throughout.
 */

export interface Document {
  /** The type as which the bytes were read: a media type, or the format of a sitemap. */
  type: string;
  /** The WHATWG name of the text's encoding; empty for bytes that are no text. */
  encoding: string;
  title: string | null;
  /** A BCP 47 tag, as the document writes it. */
  language: string | null;
  /** Directives to robots in the document itself, in lower case. */
  robots: readonly string[];
  /** In the order of the document, each URL once. */
  links: readonly Link[];
  /** In the order of the document, each distinct link once: each text and each fragment of a URL. */
  pageLinks: readonly PageLink[];
  /** The number of links that a limit leaves out of `pageLinks`. */
  droppedPageLinks: number;
  /** The targets of fragments, by `hashId` (id-hash.ts); null if they are not known. */
  ids: readonly number[] | null;
  description: string | null;
  /** What a site audit asks of it. Absent for a document that is no HTML. */
  audit?: PageAudit;
  /** Canonical, like the URLs of `alternates`. */
  canonical: string | null;
  /** Canonical URL of the same document as Markdown, if it names one. Absent if it does not. */
  markdownUrl?: string;
  /** The document in other languages. */
  alternates: PageMetadata["alternates"];
  /** Canonical URLs of the sitemaps that it names. */
  sitemaps: readonly string[];
  /** Canonical URLs of the RSS and Atom feeds that it names. */
  feeds: readonly string[];
  /** Canonical URLs of the images, styles, scripts and fonts that it is shown with; empty unless requested. */
  requisites: readonly string[];
  /** Canonical URLs of the sounds, films and pictures that it shows or encloses. Absent unless requested. */
  media?: readonly string[];
  /** What rules read from it. Absent unless requested, and for a document that is no HTML. */
  fields?: readonly FieldReading[];
  /** What of it a field may be read from; likewise. */
  proposals?: readonly FieldProposal[];
  /** Null unless requested. */
  content: Content | null;
  /** The text of the whole page, with what surrounds the content: a line per block. Absent unless requested. */
  pageText?: string;
  /** What it says beside its text. Absent unless requested, and for a document that is no HTML. */
  parts?: readonly PagePart[];
  /** Whether it says that there is no such page. */
  looksMissing: boolean;
  /** Whether it has the mark that was looked for. Absent if that cannot be told. */
  marked?: boolean;
  /** What it asks of its reader: a password, in a form, or a proof of a human. Absent for neither. */
  asks?: "password" | "human";
  /** Why it looks as if scripts make what it shows, for people; null if it does not. */
  shell: string | null;
  /** Why it may be so nevertheless, for people; null for a shell, and if nothing says so. */
  shellDoubt: string | null;
  /** Characters of its whole text; null if they are not known. */
  textLength: number | null;
  leftOut: LeftOut;
}

/** A link, a picture or a value of a page that is not in its text. */
export interface PagePart {
  kind: "link" | "image" | "data";
  /** Its place in the page, by the elements around it. Places of two pages are compared, and nothing else. */
  place: string;
  /** A canonical URL, or a text of at most 2,048 characters. */
  value: string;
}

/** In the order in which kept links name them. */
export const RESOURCE_KINDS = ["image", "style", "script", "media"] as const;
export type ResourceKind = (typeof RESOURCE_KINDS)[number];

/** What a page loads. */
export interface Resource {
  /** Canonical. */
  url: string;
  kind: ResourceKind;
}

/** What a site audit asks of an HTML page beside its links. */
export interface PageAudit {
  /** The number of `h1` elements. */
  headings: number;
  /** The text of the first one, at most 200 characters; empty if there is none. */
  firstHeading: string;
  /** The number of images that have no `alt` and are not said to be decoration. */
  unlabelled: number;
  /** Canonical URLs of the first few of them. */
  unlabelledExamples: readonly string[];
  /** The number of different canonical URLs that it names, up to 3. */
  canonicals: number;
  /** At most 500, each URL once. */
  resources: readonly Resource[];
  /** The number of resources, as written, beyond the limit. */
  droppedResources: number;
}

/** Links: how many, and canonical URLs of the first few. */
export interface LinkSample {
  readonly count: number;
  readonly examples: readonly string[];
}

/** The parts of a document that are missing in its `Document`, and why. Sentences are for people. */
export interface LeftOut {
  /** The limit that was reached: what comes after it is left out. */
  truncated: string | null;
  /** Links beyond a limit: how many, and the first few. */
  links: LinkSample;
  /** Likewise for requisites. */
  requisites: LinkSample;
  /** Forms that were to be filled in and send POST, by the URLs to which they send; absent if none was. */
  postForms?: LinkSample;
  /** Why the document could not be read to its end. */
  problem: string | null;
  /** Links that are no URL that can be fetched: how many distinct ones, and the first few. */
  invalid: { count: number; examples: readonly string[] };
}

/** The facts about a document before it is read. */
export interface Source {
  /** Canonical. Relative links are resolved against it. */
  url: string;
  /** The Content-Type header's value. */
  contentType: string | null;
  /** All headers of the answer, names in lower case. */
  headers?: readonly (readonly [name: string, value: string])[];
}

/** Content that a request chooses by CSS selectors of names, classes, ids and attributes. */
export interface ContentSelection {
  /** The whole page; false: the main content, unless elements are included. */
  isWhole: boolean;
  /** The content is these elements alone. */
  include: readonly string[];
  /** Elements that are left out. */
  exclude: readonly string[];
}

/** The parts to read from a document. A part that is not requested is not made. */
export interface DocumentRequest {
  /** Our product token: directives that name it are for us. */
  agent: string;
  /** The links of Markdown count. A browser shows it as text, so they do not unless the crawl asks for Markdown. */
  markdownLinks?: boolean;
  /** Guess links from the strings of scripts too. */
  scriptLinks: boolean;
  requisites: boolean;
  /** Search forms to fill in: their results are links. */
  forms?: readonly FormFill[];
  /** The sounds, films and pictures that it shows or encloses. */
  media?: boolean;
  /** Fields to read by rules. */
  fields?: FieldRules;
  /** Look for an element, or for words that stand in the page. */
  mark?: { kind: "selector"; selector: string } | { kind: "text"; text: string };
  /** List what fields may be read from too. */
  proposeFields?: boolean;
  /** CSS selectors of elements that are left out of the content: names, classes, ids, attributes. */
  ignoredElements?: readonly string[];
  /** What of the page is its content, if not what is found to be the main content. */
  selection?: ContentSelection;
  /** Read the text around links (`PageLink.around`). */
  aroundLinks?: boolean;
  /** Formats of the content. An empty list gives only its metadata, null no content. */
  formats: readonly ContentFormat[] | null;
  /** Make no other format than text if they come to more characters together: nobody keeps that much. */
  mostCharacters?: number;
  /** Make the text of the whole page too. */
  pageText?: boolean;
  /** Read what it says beside its text. */
  parts?: boolean;
  /** Make no content if the document itself says `noindex`. */
  obeyNoindex: boolean;
}

/** Throws for bytes that it cannot read: the document's own fault, never another's. */
export type Reader<Read extends Document | Promise<Document> = Document | Promise<Document>> = (
  bytes: Uint8Array,
  source: Source,
  request: DocumentRequest,
) => Read;

export type ContentFormat = "html" | "markdown" | "text";

/** New kinds come last: what is kept of a page names its kind by its place here. */
export const PAGE_KINDS = [
  "article",
  "documentation",
  "listing",
  "product",
  "forum",
  "home",
  "search",
  "error",
  "other",
  "collection",
  "service",
] as const;
/**
 * `listing`: of texts, such as news. `collection`: of things to buy. `error`: the server answered 200, but the page
 * says that there is none.
 */
export type PageKind = (typeof PAGE_KINDS)[number];

/** Where a fact of a page was read, such as `meta og:title`. Absent for a fact that the page does not have. */
export interface FactSources {
  title?: string;
  author?: string;
  publishedAt?: string;
  modifiedAt?: string;
}

/** The metadata that a document has about itself. */
export interface PageMetadata {
  /** The headline of an HTML page, without the name of the site. */
  title: string | null;
  description: string | null;
  /** A BCP 47 tag, as the document writes it. */
  language: string | null;
  /** Absolute and canonical, like `image`. */
  canonical: string | null;
  /** Several are separated by commas. */
  author: string | null;
  keywords: string[];
  /** ISO 8601, with the time zone that the document names. */
  publishedAt: string | null;
  modifiedAt: string | null;
  /** Empty for a document that is no HTML: it states its facts in one place. */
  sources: FactSources;
  siteName: string | null;
  image: string | null;
  /** Canonical, like all URLs here. */
  favicon: string | null;
  feeds: { url: string; type: string; title: string | null }[];
  /** The page in other languages; `x-default` is for readers of no other. */
  alternates: { url: string; language: string }[];
  /** Directives to robots, in lower case. */
  robots: string[];
  /** By property, without the prefix `og:`; the first value of each. */
  openGraph: Record<string, string>;
  /** Every block of JSON-LD that can be parsed. */
  jsonLd: unknown[];
}

export interface Metadata extends PageMetadata {
  /** The headings of the content, in order. `id`: the fragment that leads to it; absent if the page has none. */
  headings: { level: number; text: string; id?: string }[];
  /** Words of the content's text; each Chinese or Japanese character counts as one. */
  wordCount: number;
  /** Pages, slides or sheets; absent for what has none. */
  pageCount?: number;
  /** The URL of the server's own Markdown, if that is the Markdown of this content. Absent otherwise. */
  markdownUrl?: string;
  kind: PageKind;
}

/** The main content and the metadata. A format that was not requested is left out. */
export interface Content {
  metadata: Metadata;
  /** The main content with absolute URLs and nothing that runs. */
  html?: string;
  /** CommonMark with GitHub's tables and strikethrough; links are absolute. */
  markdown?: string;
  /** A line per block. */
  text?: string;
}

const NONE: LinkSample = { count: 0, examples: [] };

/** A document of which nothing was read. */
export function emptyDocument(type: string): Document {
  return {
    type,
    encoding: "",
    title: null,
    language: null,
    robots: [],
    links: [],
    pageLinks: [],
    droppedPageLinks: 0,
    ids: null,
    description: null,
    canonical: null,
    alternates: [],
    sitemaps: [],
    feeds: [],
    requisites: [],
    content: null,
    looksMissing: false,
    shell: null,
    shellDoubt: null,
    textLength: null,
    leftOut: { truncated: null, links: NONE, requisites: NONE, problem: null, invalid: NONE },
  };
}

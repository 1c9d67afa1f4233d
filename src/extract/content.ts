import type { Page } from "./page.ts";
import type { HtmlDocument } from "./parse-html.ts";

/** The content of a page without what surrounds it, and what the page says of itself. */

/** What content can be made into. */
export type ContentFormat = "html" | "markdown" | "text";

export type PageKind = "article" | "listing" | "other";

export interface Metadata {
  title: string | null;
  description: string | null;
  /** As a BCP 47 tag, as the page writes it. */
  language: string | null;
  /** Absolute and canonical, as `image` is. */
  canonical: string | null;
  author: string | null;
  /** ISO 8601, in UTC where the page names a zone. */
  publishedAt: string | null;
  modifiedAt: string | null;
  siteName: string | null;
  image: string | null;
  /** Of the content, in order. */
  headings: { level: number; text: string }[];
  /** By property, without its `og:`; the first of each. */
  openGraph: Record<string, string>;
  /** Every block of JSON-LD that can be read. */
  jsonLd: unknown[];
  /** Of the content's text; a Chinese or Japanese character counts as a word. */
  wordCount: number;
  kind: PageKind;
}

/** Plain data, for it is kept as JSON. A format that was not asked for is left out. */
export interface Content {
  metadata: Metadata;
  /** What `main` or `article` holds, with absolute URLs and nothing that runs. */
  html?: string;
  /** CommonMark with GitHub's tables and strikethrough, links absolute. */
  markdown?: string;
  /** A line per block. */
  text?: string;
}

/** Makes the formats asked for, and the metadata. It takes the document apart: nothing else can be read from it afterwards. */
export function makeContent(
  _document: HtmlDocument,
  page: Page,
  _url: string,
  formats: readonly ContentFormat[],
): Content {
  return toContent("", page, formats);
}

/** As `makeContent`, for a text that is no HTML. `type` is `text/plain` or `text/markdown`. */
export function makeTextContent(text: string, _type: string, page: Page, formats: readonly ContentFormat[]): Content {
  return toContent(text, page, formats);
}

function toContent(text: string, page: Page, formats: readonly ContentFormat[]): Content {
  const { title, description, language, canonical } = page;
  const nothing = { author: null, publishedAt: null, modifiedAt: null, siteName: null, image: null };
  return {
    metadata: {
      title,
      description,
      language,
      canonical,
      ...nothing,
      headings: [],
      openGraph: {},
      jsonLd: [],
      wordCount: 0,
      kind: "other",
    },
    ...(formats.includes("html") ? { html: text } : {}),
    ...(formats.includes("markdown") ? { markdown: text } : {}),
    ...(formats.includes("text") ? { text } : {}),
  };
}

import type { CrawlUrl } from "../crawl/crawl.ts";
import type { Format, Formatted } from "../crawl/page/page-format.ts";
import { describeReason } from "../crawl/page/reason.ts";
import type { Json } from "../extract/extraction.ts";
import type { FieldValues } from "../media/html/fields/field-rule.ts";

/** A page as the documents of Firecrawl's API show it: https://docs.firecrawl.dev/features/scrape#response */

export interface FirecrawlDocument {
  markdown?: string;
  html?: string;
  rawHtml?: string;
  links?: string[];
  images?: string[];
  /** The fields that rules read, or the values that a model found. */
  json?: FieldValues | Json;
  /** A data: URL. */
  screenshot?: string;
  warning?: string;
  metadata: Record<string, unknown>;
}

/** The formats to read for a document: metadata come from JSON. */
export function formatsToRead(formats: readonly Format[]): Format[] {
  return [...new Set<Format>([...formats, "json"])];
}

type Page = Pick<
  CrawlUrl,
  "url" | "httpStatus" | "title" | "contentType" | "fetchedAt" | "reason" | "detail" | "shell" | "status"
>;

/** `asked`: the URL that was asked for, which may redirect to the page. `problem`: why its content is missing. */
export function toDocument(
  page: Page,
  { json, links, images, markdown, html, rawHtml }: Formatted,
  { asked = page.url, problem = null }: { asked?: string; problem?: string | null } = {},
): FirecrawlDocument {
  const warning = problem === null ? page.shell : `it comes without its content: ${problem}`;
  return {
    ...(markdown === undefined ? {} : { markdown }),
    ...(html === undefined ? {} : { html }),
    ...(rawHtml === undefined ? {} : { rawHtml }),
    ...(links === undefined ? {} : { links: links.map(({ url }) => url) }),
    ...(images === undefined ? {} : { images }),
    ...(warning === null ? {} : { warning }),
    metadata: withoutNulls({
      // Firecrawl's is the `title` element, as the record's is.
      title: page.title ?? json?.title,
      ...(json === undefined ? {} : describe(json)),
      url: page.url,
      sourceURL: asked,
      statusCode: page.httpStatus,
      contentType: page.contentType,
      scrapedAt: page.fetchedAt === null ? null : new Date(page.fetchedAt).toISOString(),
      error: page.reason === null ? null : describeReason(page),
      creditsUsed: 0,
      proxyUsed: "basic",
    }),
  };
}

function describe(json: NonNullable<Formatted["json"]>): Record<string, unknown> {
  const { openGraph, keywords, robots, pageCount } = json;
  return {
    description: json.description,
    language: json.language,
    author: json.author,
    keywords: keywords.length === 0 ? null : keywords.join(", "),
    robots: robots.length === 0 ? null : robots.join(", "),
    canonical: json.canonical,
    favicon: json.favicon,
    publishedTime: json.publishedAt,
    modifiedTime: json.modifiedAt,
    ogTitle: openGraph.title,
    ogDescription: openGraph.description,
    ogUrl: openGraph.url,
    ogImage: openGraph.image,
    ogSiteName: openGraph.site_name ?? json.siteName,
    ogLocale: openGraph.locale,
    ogAudio: openGraph.audio,
    ogVideo: openGraph.video,
    numPages: pageCount,
  };
}

function withoutNulls(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}

import { canonicalize } from "../../url/canonicalize.ts";
import type { PageMetadata } from "../document.ts";
import { ARTICLE_TYPE, type BodyFacts, readBody, THREAD_TYPES } from "./body-facts.ts";
import type { ContentElement } from "./content-tree.ts";
import { elementsIn } from "./content-tree.ts";
import type { CopiedPage } from "./copy-document.ts";
import type { JsonObject } from "./json-ld.ts";
import { describedThings, isObject, namesOf, parseJsonLd, typesOf } from "./json-ld.ts";
import type { Page } from "./page.ts";
import { pageDate } from "./page-date.ts";
import { tidy } from "./tidy.ts";

/**
 * Reads the metadata of a page from `meta`, OpenGraph, JSON-LD and microdata, in that order: the first is written for
 * machines alone.
 */

/** The page's claims about itself. */
export interface Claims {
  /** The title without the name of the site, if the page has one. */
  headline: string | null;
  isArticle: boolean;
  isThread: boolean;
  isManual: boolean;
}

const MAX_TEXT = 500;
const MAX_DESCRIPTION = 1_000;
const MAX_OPEN_GRAPH = 100;
const MAX_HEADINGS = 200;
const LISTING_TYPES = ["CollectionPage", "SearchResultsPage", "ProfilePage"];
/** Programs that make manuals, whose content is not only paragraphs. */
const MANUAL =
  /sphinx|mkdocs|docusaurus|doxygen|javadoc|asciidoc|docbook|publican|vuepress|vitepress|gitbook|rustdoc|texinfo|makeinfo|groff|mandoc|man2html|docutils|nextra|antora|redoc/i;
const FORUM = /discourse|phpbb|vbulletin|xenforo|mybb|flarum|nodebb|invision|simple machines|vanilla|discuz/i;

export function readMetadata(copied: CopiedPage, page: Page): { metadata: PageMetadata; claims: Claims } {
  const metas = new Map<string, string>();
  for (const { name, content } of copied.metas)
    if (!metas.has(name))
      metas.set(name, name.startsWith("og:image") ? content.trim().slice(0, 2_048) : tidy(content, MAX_DESCRIPTION));
  const meta = (...names: string[]) => names.map((name) => metas.get(name)).find((value) => value) ?? null;
  const jsonLd = parseJsonLd(copied.jsonLd);
  const things = describedThings(jsonLd);
  const articles = things.filter((thing) => typesOf(thing).some((type) => ARTICLE_TYPE.test(type)));
  const article = articles[0] ?? null;
  const body = readBody(copied.body);
  const url = (written: string | null) => (written === null ? null : canonicalize(written, page.base));
  const of = (key: string) => text(article?.[key]) ?? text(things.find((thing) => text(thing[key]) !== null)?.[key]);
  const date = (...found: (string | null)[]) =>
    found.map((one) => (one === null ? null : pageDate(one))).find((one) => one !== null) ?? null;

  const metadata: PageMetadata = {
    title: page.title ?? meta("og:title", "twitter:title") ?? body.h1,
    description:
      page.description ?? meta("og:description", "twitter:description", "dc.description") ?? of("description"),
    language:
      page.language ?? meta("content-language") ?? meta("og:locale", "dc.language")?.replaceAll("_", "-") ?? null,
    canonical: page.canonical,
    author: author(meta, things, article, body),
    publishedAt: date(
      meta("article:published_time", "og:article:published_time"),
      of("datePublished"),
      meta(
        "datepublished",
        "parsely-pub-date",
        "sailthru.date",
        "pubdate",
        "publish-date",
        "publication_date",
        "citation_publication_date",
      ),
      meta("dc.date.issued", "dcterms.created", "dc.date.created", "dcterms.date", "dc.date", "date"),
      of("uploadDate"),
      of("dateCreated"),
      body.published,
    ),
    modifiedAt: date(
      meta("article:modified_time", "og:updated_time", "og:article:modified_time"),
      of("dateModified"),
      meta("datemodified", "last-modified", "dcterms.modified", "dc.date.modified", "lastmod", "revised"),
      body.modified,
    ),
    siteName: meta("og:site_name") ?? siteName(things) ?? meta("application-name", "apple-mobile-web-app-title"),
    image:
      url(meta("og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src", "thumbnail")) ??
      url(imageOf(article ?? things.find((thing) => thing.image !== undefined) ?? null)),
    openGraph: openGraph(copied.metas),
    jsonLd,
  };
  const types = things.flatMap(typesOf);
  const openGraphType = meta("og:type")?.toLowerCase() ?? "";
  return {
    metadata,
    claims: {
      headline: meta("og:title") ?? text(article?.headline),
      isArticle:
        !LISTING_TYPES.some((type) => types.includes(type)) &&
        (articles.length === 1 ||
          body.articles === 1 ||
          (/^(?:article|blog|news)/.test(openGraphType) && !isHome(page.base))),
      isThread:
        THREAD_TYPES.some((type) => types.includes(type)) || FORUM.test(meta("generator") ?? "") || body.isThread,
      isManual: MANUAL.test(meta("generator") ?? ""),
    },
  };
}

function author(
  meta: (...names: string[]) => string | null,
  things: readonly JsonObject[],
  article: JsonObject | null,
  body: BodyFacts,
): string | null {
  // `article:author` may be the URL of a profile.
  const named = [
    "author",
    "article:author",
    "parsely-author",
    "sailthru.author",
    "dc.creator",
    "dcterms.creator",
    "citation_author",
    "byl",
    "twitter:creator",
  ]
    .map((name) => meta(name))
    .find((value) => value !== null && !/^(?:https?:\/\/|@)/i.test(value));
  if (named) return tidy(named.replace(/^by\s+/i, ""), MAX_TEXT);
  const described = article ?? things.find((thing) => thing.author !== undefined) ?? null;
  const names = described === null ? [] : namesOf(described.author ?? described.creator, things);
  return tidy([...new Set(names.map((name) => name.trim()))].join(", "), MAX_TEXT) || body.author;
}

function siteName(things: readonly JsonObject[]): string | null {
  const site = things.find((thing) => typesOf(thing).includes("WebSite"));
  const publisher = things.find((thing) => thing.publisher !== undefined)?.publisher;
  return text(site?.name) ?? (tidy(namesOf(publisher, things)[0] ?? "", MAX_TEXT) || null);
}

function imageOf(thing: JsonObject | null): string | null {
  const first: unknown = Array.isArray(thing?.image) ? thing.image[0] : thing?.image;
  const written = isObject(first) ? (first.url ?? first.contentUrl) : first;
  return typeof written === "string" && written.length <= 2_048 ? written : null;
}

function openGraph(metas: CopiedPage["metas"]): Record<string, string> {
  const found = new Map<string, string>();
  for (const { name, content } of metas) {
    const property = name.startsWith("og:") ? name.slice(3, 103) : "";
    if (property !== "" && !found.has(property) && found.size < MAX_OPEN_GRAPH)
      found.set(property, tidy(content, MAX_DESCRIPTION));
  }
  return Object.fromEntries(found);
}

/** Some sites mark each of their pages as an article, the home page too. */
function isHome(base: string): boolean {
  return URL.parse(base)?.pathname === "/";
}

function text(value: unknown): string | null {
  return typeof value === "string" ? tidy(value, MAX_DESCRIPTION) || null : null;
}

/** Returns the headings of content in order. */
export function headingsOf(root: ContentElement): { level: number; text: string }[] {
  const headings: { level: number; text: string }[] = [];
  for (const element of elementsIn(root)) {
    if (headings.length >= MAX_HEADINGS) break;
    const level = /^h([1-6])$/.exec(element.localName)?.[1];
    const shown = level === undefined ? "" : tidy(element.textContent, MAX_TEXT);
    if (shown !== "") headings.push({ level: Number(level), text: shown });
  }
  return headings;
}

import { canonicalize } from "../../../url/canonicalize.ts";
import type { Metadata, PageMetadata } from "../../document.ts";
import type { ContentElement } from "../article/content-tree.ts";
import { elementsIn, startOfText } from "../article/content-tree.ts";
import { MAX_ID } from "../article/name-headings.ts";
import type { Page } from "../page.ts";
import type { CopiedPage } from "../tree/copy-document.ts";
import { tidy } from "../tree/tidy.ts";
import { ARTICLE_TYPE, type BodyFacts, readBody, THREAD_TYPES } from "./body-facts.ts";
import { readHeadLinks } from "./head-links.ts";
import type { JsonObject } from "./json-ld.ts";
import { describedThings, isObject, namesOf, parseJsonLd, typesOf } from "./json-ld.ts";
import { readKeywords } from "./keywords.ts";
import { pageDate, urlDate } from "./page-date.ts";
import type { KindFacts } from "./page-kind.ts";

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
  /** By which the kind of the page is decided. */
  kind: KindFacts;
}

const MAX_TEXT = 500;
const MAX_DESCRIPTION = 1_000;
const MAX_OPEN_GRAPH = 100;
const MAX_HEADINGS = 200;
/** Names of `meta` elements. Papers have a `citation_author` for each author. */
const AUTHOR_NAMES = [
  "author",
  "article:author",
  "parsely-author",
  "sailthru.author",
  "dc.creator",
  "dcterms.creator",
  "citation_author",
  "byl",
  "twitter:creator",
];
const PUBLISHED_NAMES = [
  "datepublished",
  "parsely-pub-date",
  "sailthru.date",
  "pubdate",
  "publish-date",
  "publication_date",
  "citation_publication_date",
  "citation_date",
  "citation_online_date",
];
const DUBLIN_CORE_DATES = [
  "dc.date.issued",
  "dcterms.issued",
  "dc.issued",
  "dcterms.created",
  "dc.date.created",
  "dcterms.date",
  "dc.date",
  "date",
];
const LISTING_TYPES = ["CollectionPage", "SearchResultsPage", "ProfilePage"];
/** Programs that make manuals, whose content is not only paragraphs. */
const MANUAL =
  /sphinx|mkdocs|docusaurus|doxygen|javadoc|asciidoc|docbook|publican|vuepress|vitepress|gitbook|rustdoc|texinfo|makeinfo|groff|mandoc|man2html|docutils|nextra|antora|redoc/i;
const FORUM = /discourse|phpbb|vbulletin|xenforo|mybb|flarum|nodebb|invision|simple machines|vanilla|discuz/i;

export function readMetadata(copied: CopiedPage, page: Page): { metadata: PageMetadata; claims: Claims } {
  const metas = firstMetas(copied.metas);
  const meta = (...names: string[]) => names.map((name) => metas.get(name)).find((value) => value) ?? null;
  const jsonLd = parseJsonLd(copied.jsonLd);
  const things = describedThings(jsonLd);
  const articles = things.filter((thing) => typesOf(thing).some((type) => ARTICLE_TYPE.test(type)));
  const article = articles[0] ?? null;
  const body = readBody(copied.body);
  const url = (written: string | null) => (written === null ? null : canonicalize(written, page.base));
  const of = (key: string) => text(article?.[key]) ?? text(things.find((thing) => text(thing[key]) !== null)?.[key]);
  const language =
    page.language ?? meta("content-language") ?? meta("og:locale", "dc.language")?.replaceAll("_", "-") ?? null;
  const date = (...found: (string | null)[]) =>
    found.map((one) => (one === null ? null : pageDate(one, language))).find((one) => one !== null) ?? null;
  const ownUrl = page.canonical ?? page.base;
  const title = page.title ?? meta("og:title", "twitter:title") ?? body.h1;

  const metadata: PageMetadata = {
    title,
    description:
      page.description ?? meta("og:description", "twitter:description", "dc.description") ?? of("description"),
    language,
    canonical: page.canonical,
    author: author(copied.metas, things, article, body),
    keywords: readKeywords(copied.metas, things),
    publishedAt: date(
      meta("article:published_time", "og:article:published_time"),
      of("datePublished"),
      meta(...PUBLISHED_NAMES),
      meta(...DUBLIN_CORE_DATES),
      of("uploadDate"),
      of("dateCreated"),
      body.published,
      ...body.times,
      urlDate(ownUrl),
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
    ...readHeadLinks(copied.links, page.base),
    robots: page.robots,
    openGraph: openGraph(copied.metas),
    jsonLd,
  };
  const types = things.flatMap(typesOf);
  const isManual = MANUAL.test(meta("generator") ?? "");
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
      isManual,
      kind: {
        url: ownUrl,
        types,
        openGraphType,
        title,
        h1: body.h1,
        hasPrice: meta("product:price:amount", "og:price:amount") !== null,
        products: body.products,
        isManual,
      },
    },
  };
}

/** The first of each name. */
function firstMetas(all: CopiedPage["metas"]): Map<string, string> {
  const metas = new Map<string, string>();
  for (const { name, content } of all)
    if (!metas.has(name))
      metas.set(name, name.startsWith("og:image") ? content.trim().slice(0, 2_048) : tidy(content, MAX_DESCRIPTION));
  return metas;
}

function author(
  metas: CopiedPage["metas"],
  things: readonly JsonObject[],
  article: JsonObject | null,
  body: BodyFacts,
): string | null {
  // `article:author` may be the URL of a profile.
  const named = AUTHOR_NAMES.map((wanted) =>
    metas
      .filter(({ name }) => name === wanted)
      .map(authorName)
      .filter((name) => name !== ""),
  ).find((names) => names.length > 0);
  if (named !== undefined) return tidy([...new Set(named)].join(", "), MAX_TEXT);
  const described = article ?? things.find((thing) => thing.author !== undefined) ?? null;
  const names = described === null ? [] : namesOf(described.author ?? described.creator, things);
  return tidy([...new Set(names.map((name) => name.trim()))].join(", "), MAX_TEXT) || body.author;
}

/** Empty for the address of a profile. A citation has one author, often with the last name first: "Lee, Ann". */
function authorName({ name, content }: CopiedPage["metas"][number]): string {
  const written = tidy(content, MAX_TEXT).replace(/^by\s+/i, "");
  if (/^(?:https?:\/\/|@)/i.test(written)) return "";
  return name === "citation_author" ? written.replace(/^([^,]+), *([^,]+)$/, "$2 $1") : written;
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
export function headingsOf(root: ContentElement): Metadata["headings"] {
  const headings: Metadata["headings"] = [];
  for (const element of elementsIn(root)) {
    if (headings.length >= MAX_HEADINGS) break;
    const level = /^h([1-6])$/.exec(element.localName)?.[1];
    const shown = level === undefined ? "" : tidy(startOfText(element, 4 * MAX_TEXT), MAX_TEXT);
    if (shown === "") continue;
    const { id } = element;
    headings.push({ level: Number(level), text: shown, ...(id === "" || id.length > MAX_ID ? {} : { id }) });
  }
  return headings;
}

import { canonicalize } from "../../../url/canonicalize.ts";
import type { Metadata, PageKind, PageMetadata } from "../../document.ts";
import type { ContentElement } from "../article/content-tree.ts";
import { elementsIn, startOfText } from "../article/content-tree.ts";
import { MAX_ID } from "../article/name-headings.ts";
import type { Page } from "../page.ts";
import type { CopiedPage } from "../tree/copy-document.ts";
import { tidy } from "../tree/tidy.ts";
import { ARTICLE_TYPE, readBody, THREAD_TYPES } from "./body-facts.ts";
import { findDates } from "./find-dates.ts";
import { readHeadLinks } from "./head-links.ts";
import type { JsonObject } from "./json-ld.ts";
import { describedThings, isObject, namesOf, parseJsonLd, typesOf } from "./json-ld.ts";
import { readKeywords } from "./keywords.ts";
import { nameWords } from "./name-words.ts";
import { findHeadline, shownOn } from "./near-headline.ts";
import { readAuthor } from "./page-author.ts";
import type { KindFacts } from "./page-kind.ts";
import { readTitle } from "./page-title.ts";
import type { ReadFact } from "./read-fact.ts";
import type { TitleFacts } from "./title-candidates.ts";

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
const MAX_META_NAMES = 5;
const LISTING_TYPES = ["CollectionPage", "SearchResultsPage", "ProfilePage"];
/** Programs that make manuals, whose content is not only paragraphs. */
const MANUAL =
  /sphinx|mkdocs|docusaurus|doxygen|javadoc|asciidoc|docbook|publican|vuepress|vitepress|gitbook|rustdoc|texinfo|makeinfo|texi2html|groff|mandoc|man2html|docutils|nextra|antora|redoc/i;
const FORUM = /discourse|phpbb|vbulletin|xenforo|mybb|flarum|nodebb|invision|simple machines|vanilla|discuz/i;

interface ReadMetadata {
  claims: Claims;
  language: string | null;
  /** Of a page of this kind: one that lists others shows their authors and dates. */
  metadataOf: (kind: PageKind) => PageMetadata;
  titleFacts: TitleFacts;
}

/** `metadataOf` does not read the body again, so that may have been changed meanwhile. */
export function readMetadata(copied: CopiedPage, page: Page): ReadMetadata {
  const allMetas = namedMetas(copied.metas);
  const metas = firstMetas(allMetas);
  const meta = (...names: string[]) => names.map((name) => metas.get(name)).find((value) => value) ?? null;
  const firstOf = (names: readonly string[]): ReadFact | null => {
    const name = names.find((one) => metas.get(one));
    return name === undefined ? null : { value: metas.get(name) ?? "", source: `meta ${name}` };
  };
  const jsonLd = parseJsonLd(copied.jsonLd);
  const things = describedThings(jsonLd);
  const articles = things.filter((thing) => typesOf(thing).some((type) => ARTICLE_TYPE.test(type)));
  const article = articles[0] ?? null;
  const body = readBody(copied.body, page.title);
  const url = (written: string | null) => (written === null ? null : canonicalize(written, page.base));
  const of = (key: string) => text(article?.[key]) ?? text(things.find((thing) => text(thing[key]) !== null)?.[key]);
  const language =
    page.language ?? meta("content-language") ?? meta("og:locale", "dc.language")?.replaceAll("_", "-") ?? null;
  const ownUrl = page.canonical ?? page.base;
  const types = things.flatMap(typesOf);
  const openGraphType = meta("og:type")?.toLowerCase() ?? "";
  const isArticle =
    !LISTING_TYPES.some((type) => types.includes(type)) &&
    (articles.length === 1 ||
      body.articles === 1 ||
      (/^(?:article|blog|news)/.test(openGraphType) && !isHome(page.base)));
  const isThread =
    THREAD_TYPES.some((type) => types.includes(type)) || FORUM.test(meta("generator") ?? "") || body.isThread;

  const siteName = meta("og:site_name") ?? nameOfSite(things) ?? meta("application-name", "apple-mobile-web-app-title");
  const logos = body.shown.headings.filter(({ level, leadsHome }) => level === 1 && leadsHome).map(({ text }) => text);
  const site = {
    names: [siteName, meta("application-name", "apple-mobile-web-app-title"), ...logos].map((name) =>
      nameWords(name ?? "").join(" "),
    ),
    host: URL.parse(ownUrl)?.hostname ?? "",
  };
  const titleFacts: TitleFacts = {
    element: page.title,
    openGraph: meta("og:title"),
    work: firstOf(["dc.title", "dcterms.title", "citation_title"]),
    twitter: meta("twitter:title"),
    headline: text(article?.headline),
    headings: body.shown.headings,
    h1: body.h1,
    site,
    url: ownUrl,
    openGraphType,
    isArticle,
    isSigned: body.shown.authors.length > 0 || body.author !== null || of("author") !== null || meta("author") !== null,
    isDated:
      body.shown.dates.length > 0 ||
      body.published !== null ||
      (of("datePublished") ?? meta("article:published_time")) !== null,
  };
  const metadataOf = (kind: PageKind): PageMetadata => {
    const title = readTitle(titleFacts);
    const shown = { ...shownOn(kind, body.shown), headlineAt: findHeadline(title, body.shown, site) };
    const author = readAuthor({ metas: allMetas, things, article, inMicrodata: body.author, shown, site, kind });
    const { published, modified } = findDates({ metas, described: of, body, shown, url: ownUrl, language, kind });
    return {
      title: title?.value ?? null,
      description:
        page.description ?? meta("og:description", "twitter:description", "dc.description") ?? of("description"),
      language,
      canonical: page.canonical,
      author: author?.value ?? null,
      keywords: readKeywords(copied.metas, things),
      publishedAt: published?.value ?? null,
      modifiedAt: modified?.value ?? null,
      sources: sourcesOf({ title, author, publishedAt: published, modifiedAt: modified }),
      siteName,
      image:
        url(
          meta("og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src", "thumbnail"),
        ) ?? url(imageOf(article ?? things.find((thing) => thing.image !== undefined) ?? null)),
      ...readHeadLinks(copied.links, page.base),
      robots: page.robots,
      openGraph: openGraph(copied.metas),
      jsonLd,
    };
  };
  const isManual =
    allMetas.some(({ name, content }) => name === "generator" && MANUAL.test(content)) ||
    body.hasJavadocBar ||
    isOfSphinx(copied);
  return {
    metadataOf,
    titleFacts,
    language,
    claims: {
      headline: meta("og:title") ?? text(article?.headline),
      isArticle,
      isThread,
      isManual,
      kind: {
        url: ownUrl,
        types,
        openGraphType,
        title: page.title ?? meta("og:title", "twitter:title") ?? body.h1,
        h1: body.h1,
        hasPrice: meta("product:price:amount", "og:price:amount") !== null,
        products: body.products,
        isManual,
      },
    },
  };
}

/**
 * Whether the head leads to the index that Sphinx makes, or to the top of a manual and its next page, as Sphinx wrote
 * before: themes may leave its name out.
 */
function isOfSphinx({ links }: CopiedPage): boolean {
  const leads = (...to: string[]) => links.some(({ rel }) => to.some((one) => rel.includes(one)));
  if (leads("top") && leads("next", "prev")) return true;
  return links.some(({ rel, href }) => rel.includes("index") && /(?:^|\/)genindex(?:\.html|\/)?$/.test(href));
}

/** An element may have several names, and Dublin Core has a dot or a colon after its prefix. */
function namedMetas(metas: CopiedPage["metas"]): CopiedPage["metas"] {
  if (!metas.some(({ name }) => /^dcterm|^dc:|\s/.test(name))) return metas;
  return metas.flatMap(({ name, content }) =>
    (name.includes(" ") ? name.split(/\s+/, MAX_META_NAMES) : [name]).map((one) => ({
      name: one.replace(/^(dc|dcterms?):/, "$1.").replace(/^dcterm\./, "dcterms."),
      content,
    })),
  );
}

/** The first of each name. */
function firstMetas(all: CopiedPage["metas"]): Map<string, string> {
  const metas = new Map<string, string>();
  for (const { name, content } of all)
    if (!metas.has(name))
      metas.set(name, name.startsWith("og:image") ? content.trim().slice(0, 2_048) : tidy(content, MAX_DESCRIPTION));
  return metas;
}

function sourcesOf(facts: { [K in keyof PageMetadata["sources"]]-?: ReadFact | null }): PageMetadata["sources"] {
  const read = Object.entries(facts).flatMap(([name, fact]) => (fact === null ? [] : [[name, fact.source]]));
  return Object.fromEntries(read);
}

function nameOfSite(things: readonly JsonObject[]): string | null {
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

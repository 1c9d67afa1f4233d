import { canonicalize } from "../../../url/canonicalize.ts";
import type { Metadata, PageKind, PageMetadata } from "../../document.ts";
import type { ContentElement } from "../article/content-tree.ts";
import { elementsIn, startOfText } from "../article/content-tree.ts";
import { MAX_ID } from "../article/name-headings.ts";
import type { Page } from "../page.ts";
import type { CopiedPage } from "../tree/copy-document.ts";
import { tidy } from "../tree/tidy.ts";
import { findDates } from "./find-dates.ts";
import { readHeadLinks } from "./head-links.ts";
import type { JsonObject } from "./json-ld.ts";
import { isObject } from "./json-ld.ts";
import { readKeywords } from "./keywords.ts";
import { nameWords } from "./name-words.ts";
import { findHeadline, shownOn } from "./near-headline.ts";
import { readAuthor } from "./page-author.ts";
import { type Claims, readClaims } from "./page-claims.ts";
import { readStatements, type Statements, textOf } from "./page-statements.ts";
import { readTitle } from "./page-title.ts";
import type { ReadFact } from "./read-fact.ts";
import type { TitleFacts } from "./title-candidates.ts";

/**
 * Reads the metadata of a page from `meta`, OpenGraph, JSON-LD and microdata, in that order: the first is written for
 * machines alone.
 */

const MAX_TEXT = 500;
const MAX_DESCRIPTION = 1_000;
const MAX_OPEN_GRAPH = 100;
const MAX_HEADINGS = 200;
interface ReadMetadata {
  claims: Claims;
  language: string | null;
  /** Of a page of this kind: one that lists others shows their authors and dates. */
  metadataOf: (kind: PageKind) => PageMetadata;
  titleFacts: TitleFacts;
}

/** `metadataOf` does not read the body again, so that may have been changed meanwhile. */
export function readMetadata(copied: CopiedPage, page: Page): ReadMetadata {
  const statements = readStatements(copied, page);
  const claims = readClaims(statements, copied, page);
  const site = siteOf(statements);
  const titleFacts = titleFactsOf(statements, page, claims, site);
  return {
    metadataOf: (kind) => metadataOfKind(kind, { copied, page, statements, titleFacts, site }),
    titleFacts,
    language: statements.language,
    claims,
  };
}

function siteOf({ meta, siteName, body, ownUrl }: Statements): TitleFacts["site"] {
  const logos = body.shown.headings.filter(({ level, leadsHome }) => level === 1 && leadsHome).map(({ text }) => text);
  return {
    names: [siteName, meta("application-name", "apple-mobile-web-app-title"), ...logos].map((name) =>
      nameWords(name ?? "").join(" "),
    ),
    host: URL.parse(ownUrl)?.hostname ?? "",
  };
}

function titleFactsOf(
  { meta, metaFact, described, article, body, ownUrl }: Statements,
  page: Page,
  claims: Claims,
  site: TitleFacts["site"],
): TitleFacts {
  return {
    element: page.title,
    openGraph: meta("og:title"),
    work: metaFact("dc.title", "dcterms.title", "citation_title"),
    twitter: meta("twitter:title"),
    headline: textOf(article?.headline),
    headings: body.shown.headings,
    h1: body.h1,
    site,
    url: ownUrl,
    openGraphType: claims.kind.openGraphType,
    isArticle: claims.isArticle,
    isSigned:
      body.shown.authors.length > 0 || body.author !== null || described("author") !== null || meta("author") !== null,
    isDated:
      body.shown.dates.length > 0 ||
      body.published !== null ||
      (described("datePublished") ?? meta("article:published_time")) !== null,
  };
}

interface Read {
  copied: CopiedPage;
  page: Page;
  statements: Statements;
  titleFacts: TitleFacts;
  site: TitleFacts["site"];
}

function metadataOfKind(kind: PageKind, { copied, page, statements, titleFacts, site }: Read): PageMetadata {
  const { meta, metas, firstMetas, things, article, body, described, ownUrl, language } = statements;
  const title = readTitle(titleFacts);
  const shown = { ...shownOn(kind, body.shown), headlineAt: findHeadline(title, body.shown, site) };
  const author = readAuthor({ metas, things, article, inMicrodata: body.author, shown, site, kind });
  const { published, modified } = findDates({ metas: firstMetas, described, body, shown, url: ownUrl, language, kind });
  return {
    title: title?.value ?? null,
    description:
      page.description ?? meta("og:description", "twitter:description", "dc.description") ?? described("description"),
    language,
    canonical: page.canonical,
    author: author?.value ?? null,
    keywords: readKeywords(copied.metas, things),
    publishedAt: published?.value ?? null,
    modifiedAt: modified?.value ?? null,
    sources: sourcesOf({ title, author, publishedAt: published, modifiedAt: modified }),
    siteName: statements.siteName,
    image: imageOf(statements, page.base),
    ...readHeadLinks(copied.links, page.base),
    robots: page.robots,
    openGraph: openGraph(copied.metas),
    jsonLd: statements.jsonLd,
  };
}

function sourcesOf(facts: { [K in keyof PageMetadata["sources"]]-?: ReadFact | null }): PageMetadata["sources"] {
  const read = Object.entries(facts).flatMap(([name, fact]) => (fact === null ? [] : [[name, fact.source]]));
  return Object.fromEntries(read);
}

/** By OpenGraph and Twitter, else the first image of the thing that the page is about. */
function imageOf({ meta, article, things }: Statements, base: string): string | null {
  const url = (written: string | null) => (written === null ? null : canonicalize(written, base));
  const named = meta(
    "og:image:secure_url",
    "og:image",
    "og:image:url",
    "twitter:image",
    "twitter:image:src",
    "thumbnail",
  );
  return url(named) ?? url(firstImage(article ?? things.find((thing) => thing.image !== undefined) ?? null));
}

function firstImage(thing: JsonObject | null): string | null {
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

import type { Page } from "../page.ts";
import type { CopiedPage } from "../tree/copy-document.ts";
import { tidy } from "../tree/tidy.ts";
import { ARTICLE_TYPE, readBody } from "./body-facts.ts";
import type { JsonObject } from "./json-ld.ts";
import { describedThings, namesOf, parseJsonLd, typesOf } from "./json-ld.ts";
import type { ReadFact } from "./read-fact.ts";

/** Collects the statements of a page about itself: `meta`, OpenGraph, JSON-LD, microdata, and what its body shows. */

export interface Statements {
  /** Every `meta` with a name, in order: one with several names stands once for each. */
  metas: CopiedPage["metas"];
  /** The first `meta` of each name. */
  firstMetas: Map<string, string>;
  /** The first of these names that has a value. */
  meta: (...names: string[]) => string | null;
  /** The same, with the name as the source. */
  metaFact: (...names: string[]) => ReadFact | null;
  jsonLd: ReturnType<typeof parseJsonLd>;
  /** The things that the JSON-LD describes. */
  things: JsonObject[];
  articles: JsonObject[];
  /** The first of the articles. */
  article: JsonObject | null;
  /** A property of the article, else of the first thing that has it. */
  described: (key: string) => string | null;
  body: ReturnType<typeof readBody>;
  language: string | null;
  siteName: string | null;
  /** The page's canonical URL if it names one. */
  ownUrl: string;
}

/** The longest text of a `meta` or of a property. */
const MAX_STATED = 1_000;
const MAX_SITE_NAME = 500;
const MAX_META_NAMES = 5;

export function readStatements(copied: CopiedPage, page: Page): Statements {
  const metas = namedMetas(copied.metas);
  const first = firstMetas(metas);
  const meta = (...names: string[]) => names.map((name) => first.get(name)).find((value) => value) ?? null;
  const jsonLd = parseJsonLd(copied.jsonLd);
  const things = describedThings(jsonLd);
  const articles = things.filter((thing) => typesOf(thing).some((type) => ARTICLE_TYPE.test(type)));
  const article = articles[0] ?? null;
  return {
    metas,
    firstMetas: first,
    meta,
    metaFact: (...names) => {
      const name = names.find((one) => first.get(one));
      return name === undefined ? null : { value: first.get(name) ?? "", source: `meta ${name}` };
    },
    jsonLd,
    things,
    articles,
    article,
    described: (key) => textOf(article?.[key]) ?? textOf(things.find((thing) => textOf(thing[key]) !== null)?.[key]),
    body: readBody(copied.body, page.title),
    language:
      page.language ?? meta("content-language") ?? meta("og:locale", "dc.language")?.replaceAll("_", "-") ?? null,
    siteName: meta("og:site_name") ?? nameOfSite(things) ?? meta("application-name", "apple-mobile-web-app-title"),
    ownUrl: page.canonical ?? page.base,
  };
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
      metas.set(name, name.startsWith("og:image") ? content.trim().slice(0, 2_048) : tidy(content, MAX_STATED));
  return metas;
}

function nameOfSite(things: readonly JsonObject[]): string | null {
  const site = things.find((thing) => typesOf(thing).includes("WebSite"));
  const publisher = things.find((thing) => thing.publisher !== undefined)?.publisher;
  return textOf(site?.name) ?? (tidy(namesOf(publisher, things)[0] ?? "", MAX_SITE_NAME) || null);
}

export function textOf(value: unknown): string | null {
  return typeof value === "string" ? tidy(value, MAX_STATED) || null : null;
}

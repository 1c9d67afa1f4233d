import type { PageKind } from "../../document.ts";

/**
 * Decides of what kind a page is: by what it says of itself, by its URL, then by its shape, which a model knows
 * (learned-kind.ts).
 */

/** What is known of a page. Types are those of schema.org, without their address. */
export interface KindFacts {
  url: string;
  types: readonly string[];
  /** In lower case; empty if there is none. */
  openGraphType: string;
  title: string | null;
  h1: string | null;
  /** Whether a price stands in its metadata. */
  hasPrice: boolean;
  /** Products in its microdata. */
  products: number;
  /** Whether a program for manuals has made it. */
  isManual: boolean;
}

/** How the titles of error pages begin, and what they say in the languages of most sites. */
const ERROR_NUMBER =
  /^\W*(?:(?:error|fehler|erreur|http)\W*)?(?:40[34]|410|50[0234])\s*(?:$|[-–—:|(!.,]|error|not|forbidden|gone|page|bad|service)/iu;
const ERROR_WORDS = new RegExp(
  [
    "\\bnot found\\b",
    "\\b(?:page|file|document)\\b.{0,30}\\b(?:could not|cannot|can.t|couldn.t) be found\\b",
    "\\b(?:page|file|document) (?:does not|doesn.t|no longer) exists?\\b",
    "\\b(?:can.t|cannot|couldn.t) find (?:that|the|this|your) page\\b",
    "\\b(?:seite|datei) (?:wurde )?(?:leider )?nicht gefunden",
    "\\bpage (?:introuvable|non trouvée)",
    "\\bpágina no (?:encontrada|existe)",
    "\\bpágina não encontrada",
    "\\bpagina (?:non trovata|niet gevonden)",
    "\\bstrona nie (?:została )?znaleziona",
    "страница не найдена",
    "ページが見つかりません",
    "(?:网页|页面|頁面)(?:不存在|未找到|没有找到)",
    "找不到(?:网页|页面|頁面)",
    "페이지를 찾을 수 없습니다",
  ].join("|"),
  "iu",
);
/** Characters. A page that explains an error has more text than one that is an error. */
const MAX_ERROR_TEXT = 2_000;
const SEARCH_PARAMETERS = ["q", "query", "s", "search", "keyword", "keywords", "wd", "term"];
const SEARCH_PATH = /\/(?:search|suche|recherche|buscar|busqueda|pesquisa|ricerca|zoeken|find|results?)(?:[./]|$)/i;
const SEARCH_TITLE =
  /^(?:search results?|suchergebnisse?|résultats? de (?:la )?recherche|resultados de (?:la )?búsqueda)(?: |$|:)/iu;
const DOCUMENTATION_HOST = /^(?:docs?|documentation|developers?|manuals?|api)\./i;
const DOCUMENTATION_PATH = /\/(?:docs?|documentation|manuals?|reference|handbook|man[1-9]?|javadoc|apidocs?)\//i;
const FORUM_PATH = /\/(?:forums?|viewtopic\.php|showthread\.php|threads?|topics?)(?:\/|$)/i;

/** Whether a text of this length under this title or first heading can only say that there is no page. */
export function looksMissing(title: string | null, h1: string | null, characters: number): boolean {
  return characters <= MAX_ERROR_TEXT && [title, h1].some(isErrorName);
}

/** Whether a title or heading is that of an error page. */
export function isErrorName(name: string | null): boolean {
  return name !== null && (ERROR_NUMBER.test(name) || ERROR_WORDS.test(name));
}

/** `shape`: the kind that the content has. `characters`: of the content's text. */
export function decidePageKind(facts: KindFacts, shape: PageKind, characters: number): PageKind {
  const { url, types, title, h1, isManual } = facts;
  if (looksMissing(title, h1, characters)) return "error";
  const { hostname = "", pathname = "", searchParams = null } = URL.parse(url) ?? {};
  if (types.includes("SearchResultsPage") || isSearch(pathname, searchParams, title)) return "search";
  if (isProduct(facts)) return "product";
  if (shape === "forum" || (shape === "other" && FORUM_PATH.test(pathname))) return "forum";
  if (shape !== "service" && /^\/(?:index\.\w+)?$/i.test(pathname) && searchParams?.size === 0) return "home";
  if (isManual || types.some((type) => type === "TechArticle" || type === "APIReference")) return "documentation";
  const isArticle = types.some((type) => /(?:NewsArticle|BlogPosting)$/.test(type));
  if (isArticle || shape === "listing" || shape === "collection") return shape;
  return DOCUMENTATION_HOST.test(hostname) || DOCUMENTATION_PATH.test(pathname) ? "documentation" : shape;
}

function isSearch(pathname: string, parameters: URLSearchParams | null, title: string | null): boolean {
  const isAsked = SEARCH_PARAMETERS.some((name) => parameters?.get(name));
  // WordPress searches with `?s=` at its root.
  const hasSearchPath = SEARCH_PATH.test(pathname) || (pathname === "/" && parameters?.has("s") === true);
  return SEARCH_TITLE.test(title ?? "") || (isAsked && hasSearchPath);
}

/** A page about one product. A list of several is a listing. */
function isProduct({ types, openGraphType, hasPrice, products }: KindFacts): boolean {
  const described = types.filter((type) => type === "Product" || type === "ProductGroup").length;
  if (described > 1 && !types.includes("ProductGroup")) return false;
  return described > 0 || products === 1 || /^(?:og:)?product(?:\.item)?$/.test(openGraphType) || hasPrice;
}

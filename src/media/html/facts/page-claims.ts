import type { Page } from "../page.ts";
import type { CopiedPage } from "../tree/copy-document.ts";
import { THREAD_TYPES } from "./body-facts.ts";
import { typesOf } from "./json-ld.ts";
import type { KindFacts } from "./page-kind.ts";
import { type Statements, textOf } from "./page-statements.ts";

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

const LISTING_TYPES = ["CollectionPage", "SearchResultsPage", "ProfilePage"];
/** Programs that make manuals, whose content is not only paragraphs. */
const MANUAL =
  /sphinx|mkdocs|docusaurus|doxygen|javadoc|asciidoc|docbook|publican|vuepress|vitepress|gitbook|rustdoc|texinfo|makeinfo|texi2html|groff|mandoc|man2html|docutils|nextra|antora|redoc/i;
const FORUM = /discourse|phpbb|vbulletin|xenforo|mybb|flarum|nodebb|invision|simple machines|vanilla|discuz/i;

export function readClaims(statements: Statements, copied: CopiedPage, page: Page): Claims {
  const { meta, things, articles, article, body, ownUrl } = statements;
  const types = things.flatMap(typesOf);
  const openGraphType = meta("og:type")?.toLowerCase() ?? "";
  const isManual =
    statements.metas.some(({ name, content }) => name === "generator" && MANUAL.test(content)) ||
    body.hasJavadocBar ||
    isOfSphinx(copied);
  return {
    headline: meta("og:title") ?? textOf(article?.headline),
    isArticle:
      !LISTING_TYPES.some((type) => types.includes(type)) &&
      (articles.length === 1 ||
        body.articles === 1 ||
        (/^(?:article|blog|news)/.test(openGraphType) && !isHome(page.base))),
    isThread: THREAD_TYPES.some((type) => types.includes(type)) || FORUM.test(meta("generator") ?? "") || body.isThread,
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

/** Some sites mark each of their pages as an article, the home page too. */
function isHome(base: string): boolean {
  return URL.parse(base)?.pathname === "/";
}

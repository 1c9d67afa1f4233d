import { findCssUrls } from "../css/css-urls.ts";
import { type Canonicalize, HrefResolver } from "./links.ts";
import type { HtmlDocument, HtmlElement } from "./parse-html.ts";
import { findSrcsetUrls } from "./srcset.ts";

/** What a page, or a style sheet, needs to be shown as it looked: the URLs of its images, styles, scripts and fonts. */

/** Of one page or style sheet: the largest shops and galleries have some hundreds. */
const MAX_REQUISITES = 1_000;
/** Links whose target a browser loads with the page; others are for who follows them. */
const LOADED_RELATIONS = new Set([
  "stylesheet",
  "icon",
  "apple-touch-icon",
  "apple-touch-icon-precomposed",
  "mask-icon",
  "preload",
  "modulepreload",
]);

type Add = (href: string | null) => void;

/** Canonical, in document order, each once; never the page itself. `base`: the document's. */
export function pageRequisites(
  document: HtmlDocument,
  pageUrl: string,
  base: string,
  canonicalize: Canonicalize,
): string[] {
  return resolved(pageUrl, base, canonicalize, (add) => {
    for (const element of document.all) gather(element, add);
  });
}

/** As above, of CSS: what it imports and what it shows. */
export function cssRequisites(css: string, cssUrl: string, canonicalize: Canonicalize): string[] {
  return resolved(cssUrl, cssUrl, canonicalize, (add) => addCss(css, add));
}

function resolved(pageUrl: string, base: string, canonicalize: Canonicalize, each: (add: Add) => void): string[] {
  const resolver = new HrefResolver(base, pageUrl, canonicalize);
  const found = new Set<string>();
  each((href) => {
    // What is empty is nothing; as a URL it would be the page.
    if (href === null || href.trim() === "" || found.size >= MAX_REQUISITES || resolver.isFull) return;
    const url = resolver.resolve(href);
    if (url !== null && url !== pageUrl) found.add(url);
  });
  return [...found];
}

function gather(element: HtmlElement, add: Add): void {
  const attribute = (name: string) => element.getAttribute(name);
  const srcset = (name: string) => {
    for (const { url } of findSrcsetUrls(attribute(name) ?? "")) add(url);
  };
  switch (element.localName) {
    case "img":
    case "source":
      add(attribute("src"));
      srcset("srcset");
      break;
    case "script":
    case "audio":
    case "track":
      add(attribute("src"));
      break;
    case "video":
      add(attribute("poster"));
      add(attribute("src"));
      break;
    case "input":
      if (attribute("type")?.toLowerCase() === "image") add(attribute("src"));
      break;
    case "link":
      if (!isLoaded(attribute("rel"))) break;
      add(attribute("href"));
      srcset("imagesrcset");
      break;
    case "image":
    case "use":
      add(attribute("href") ?? attribute("xlink:href"));
      break;
    case "body":
    case "table":
    case "td":
    case "th":
      add(attribute("background"));
      break;
    case "style":
      addCss(element.textContent, add);
      break;
  }
  addCss(attribute("style") ?? "", add);
}

function isLoaded(rel: string | null): boolean {
  const names = rel?.toLowerCase().split(/[\t\n\f\r ]+/, 20) ?? [];
  return names.some((name) => LOADED_RELATIONS.has(name));
}

function addCss(css: string, add: Add): void {
  if (css === "") return;
  for (const { url } of findCssUrls(css)) add(url);
}

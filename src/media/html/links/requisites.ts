import { queryEncoderOf } from "../../characters/query-encoding.ts";
import { findCssUrls } from "../../css/css-urls.ts";
import { type AnswerHeaders, readHeaderLinks } from "../../links/header-links.ts";
import { type Canonicalize, DroppedLinks } from "../../links/links.ts";
import { type AddRequisite, collectRequisites } from "../../links/requisites.ts";
import type { HtmlDocument, HtmlElement } from "../tree/linkedom.ts";
import { scanElements } from "../tree/scan-elements.ts";
import { findSrcsetUrls } from "./srcset.ts";

/** The requisites of a page: the images, styles, scripts and fonts that it is shown with. */

/** Relations of `link` elements that a browser loads with the page. */
const LOADED_RELATIONS = new Set([
  "stylesheet",
  "icon",
  "apple-touch-icon",
  "apple-touch-icon-precomposed",
  "mask-icon",
  "preload",
  "modulepreload",
]);

/**
 * Canonical, in document order, each URL once, without the page itself. `base`: the document's base URL. `headers`:
 * those of the answer, whose `Link` counts. `encoding`: the page's.
 */
export function pageRequisites(
  document: HtmlDocument,
  pageUrl: string,
  base: string,
  canonicalize: Canonicalize,
  dropped = new DroppedLinks(),
  { headers = [], encoding = "utf-8" }: { headers?: AnswerHeaders; encoding?: string } = {},
): string[] {
  const gather = (add: AddRequisite) => {
    for (const element of document.all) addRequisites(element, add);
    addHeaderRequisites(headers, pageUrl, add);
  };
  return collectRequisites(pageUrl, base, canonicalize, dropped, gather, queryEncoderOf(encoding));
}

/** Adds what the `Link` header names, relative to the page itself. */
export function addHeaderRequisites(headers: AnswerHeaders, pageUrl: string, add: AddRequisite): void {
  for (const { href, rel } of readHeaderLinks(headers)) if (isLoaded(rel)) add(URL.parse(href, pageUrl)?.href ?? null);
}

/** Levels of documents in attributes of a document: each is scanned. */
const MAX_NESTED = 2;

/** Adds what one element is shown with. `nested`: the levels of documents around its own. */
export function addRequisites(element: HtmlElement, add: AddRequisite, nested = 0): void {
  const attribute = (name: string) => element.getAttribute(name);
  const srcset = (name: string) => {
    for (const { url } of findSrcsetUrls(attribute(name) ?? "")) add(url);
  };
  switch (element.localName) {
    case "img":
    case "source":
      add(attribute("src"));
      srcset("srcset");
      // A script puts them into the attributes above when the image comes into view.
      add(attribute("data-src"));
      srcset("data-srcset");
      break;
    case "iframe":
      addFrame(attribute("srcdoc"), nested, add);
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

/** Adds what the document in a `srcdoc` attribute is shown with. A `base` of its own is not read. */
function addFrame(html: string | null, nested: number, add: AddRequisite): void {
  if (html === null || nested === MAX_NESTED) return;
  scanElements(html, (element) => {
    addRequisites(element, add, nested + 1);
    return "read";
  });
}

function isLoaded(rel: string | null): boolean {
  const names = rel?.toLowerCase().split(/[\t\n\f\r ]+/, 20) ?? [];
  return names.some((name) => LOADED_RELATIONS.has(name));
}

function addCss(css: string, add: AddRequisite): void {
  if (css === "") return;
  for (const { url } of findCssUrls(css)) add(url);
}

import type { ContentElement } from "./content-tree.ts";
import { elementsIn } from "./content-tree.ts";
import { measure } from "./measure.ts";

/** What surrounds the content of a page, told by the names that its authors give it. */

const NAVIGATION_ROLES = new Set(
  "navigation banner contentinfo search complementary menu menubar toolbar dialog alertdialog alert".split(" "),
);

/** Whole words of `class` and `id`. */
const BOILERPLATE_NAMES = new Set(
  (
    "nav docnav navheader navfooter prevnext navbar navigation topnav sidenav subnav menu submenu navmenu topbar sidebar sidebars sidecol footer masthead breadcrumb " +
    "breadcrumbs crumbs pathbar cookie cookies consent gdpr ccpa share sharing sharedaddy addtoany social sociallinks newsletter " +
    "subscribe subscription signup popup modal overlay advert adverts advertisement ads adsbygoogle sponsor sponsored promo promoted " +
    "related recommended recommendations outbrain taboola pagination pager paginator pagenav skiplink skiplinks skipnav toc " +
    "tableofcontents editlink editsection headerlink sphinxsidebar searchbox searchform searchbar langs languages dropdown toolbar " +
    "tagcloud colophon noprint printfooter rrssb"
  ).split(" "),
);
/** Two words that mean something together alone. */
const BOILERPLATE_PAIRS = new Set(
  (
    "skip-link skip-to site-header site-footer page-footer page-header-nav global-header global-footer back-to-top edit-page " +
    "edit-this edit-link sr-only visually-hidden screen-reader you-may read-more-articles more-articles more-stories also-like " +
    "table-of on-this author-bio about-author post-navigation posts-navigation prev-next next-prev language-switcher mw-jump " +
    "header-anchor heading-anchor anchor-link hash-link tag-list post-tags entry-tags post-meta article-tags"
  ).split(" "),
);
const COMMENT_NAMES = new Set("comments commentlist commentsection respond disqus livefyre".split(" "));
const COMMENT_PAIRS = new Set(["comment-list", "comment-section", "comment-area"]);
/** `has-sidebar` says what stands beside an element. */
const WITHOUT_OR_BESIDE = new Set(["has", "no", "with", "without", "hide", "show", "open"]);
const STRUCTURAL = new Set(["html", "body", "main"]);

/** The words of class and id, lower case; `siteHeader` is two. */
export function nameWords(element: ContentElement): string[] {
  const names = `${element.className} ${element.id}`;
  if (names === " ") return [];
  return names
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

function isNamed(element: ContentElement, names: ReadonlySet<string>, pairs?: ReadonlySet<string>): boolean {
  const words = nameWords(element);
  return words.some(
    (word, at) =>
      (names.has(word) && !WITHOUT_OR_BESIDE.has(words[at - 1] ?? "")) ||
      (pairs?.has(`${word}-${words[at + 1] ?? ""}`) ?? false),
  );
}

export function isCommentSection(element: ContentElement): boolean {
  return isNamed(element, COMMENT_NAMES, COMMENT_PAIRS);
}

/** Whether an element surrounds the content rather than belonging to it. */
function isBoilerplate(element: ContentElement, isInContent: boolean): boolean {
  const { localName } = element;
  if (STRUCTURAL.has(localName)) return false;
  if (localName === "nav" || localName === "aside") return true;
  if (NAVIGATION_ROLES.has(element.getAttribute("role") ?? "")) return true;
  // Of an article or section these are the title and the notes.
  if (localName === "footer") return !isInContent || textLength(element) < 500;
  if (localName === "header") return !isInContent && element.getElementsByTagName("h1").length === 0;
  if (localName === "button" || localName === "select" || localName === "textarea") return true;
  if (localName === "article" || localName === "pre" || localName === "code" || localName === "table") return false;
  return isNamed(element, BOILERPLATE_NAMES, BOILERPLATE_PAIRS);
}

/**
 * Takes the surroundings out of `root`. What is named like them but holds most of the text stays: themes call whole pages
 * `has-sidebar` or `menu-open`.
 */
export function removeBoilerplate(root: ContentElement, keepsComments: boolean, isManual: boolean): void {
  const most = textLength(root) / 2;
  const doomed: ContentElement[] = [];
  for (const element of elementsIn(root)) {
    const isComments = !keepsComments && isCommentSection(element) && element.localName !== "a";
    if (!isComments && !isBoilerplate(element, isInContent(element, root))) continue;
    if (element.localName !== "nav" && textLength(element) > most) continue;
    // DocBook calls its boxes of notes sidebars.
    if (isManual && element.className === "sidebar" && measure(element).proseCharacters > 0) continue;
    doomed.push(element);
  }
  for (const element of doomed) element.remove();
}

function isInContent(element: ContentElement, root: ContentElement): boolean {
  if (element.localName !== "header" && element.localName !== "footer") return false;
  if (root.localName !== "body") return true;
  for (let above = element.parentNode; above !== null && above !== root; above = above.parentNode)
    if (above.localName === "article" || above.localName === "main" || above.localName === "section") return true;
  return false;
}

/** Characters, without what is white space around them. */
export function textLength(root: ContentElement): number {
  let length = 0;
  for (let node = root.firstChild, depth = 0; node !== null; ) {
    if (node.nodeType === 3) length += node.data.trim().length;
    else if (node.firstChild !== null) {
      node = node.firstChild;
      depth += 1;
      continue;
    }
    while (node.nextSibling === null && depth > 0 && node.parentNode !== null) {
      node = node.parentNode;
      depth -= 1;
    }
    node = node.nextSibling;
  }
  return length;
}

import type { ContentElement } from "./content-tree.ts";
import { elementsIn } from "./content-tree.ts";
import { measure } from "./measure.ts";

/** Finds what surrounds the content of a page, by the elements, roles and names that its authors use. */

const NAVIGATION_ROLES = new Set(
  "navigation banner contentinfo search complementary menu menubar toolbar dialog alertdialog alert".split(" "),
);

/** Words of `class` and `id`. */
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
/** Pairs of words. Each word alone means nothing. */
const BOILERPLATE_PAIRS = new Set(
  (
    "skip-link skip-to site-header site-footer page-footer page-header-nav global-header global-footer back-to-top edit-page " +
    "edit-this edit-link sr-only visually-hidden screen-reader you-may read-more-articles more-articles more-stories also-like " +
    "table-of on-this author-bio about-author post-navigation posts-navigation prev-next next-prev language-switcher mw-jump " +
    "header-anchor heading-anchor anchor-link hash-link tag-list post-tags entry-tags post-meta article-tags"
  ).split(" "),
);
const COMMENT_NAMES = new Set("comments commentlist commentsection respond disqus livefyre".split(" "));
const NO_PAIRS = new Set<string>();
const COMMENT_PAIRS = new Set(["comment-list", "comment-section", "comment-area"]);
/** `has-sidebar` names what is beside the element, not the element. */
const WITHOUT_OR_BESIDE = new Set(["has", "no", "with", "without", "hide", "show", "open"]);
const STRUCTURAL = new Set(["html", "body", "main"]);

/** Names of a post in a thread. */
const POST_NAMES = new Set("post message answer postbody comtr topicpost".split(" "));
/** Names of posts that also occur below articles. */
const REPLY_NAMES = new Set(["comment", "reply"]);
/** Names of bylines and dates, which Readability leaves in, or removes in part. */
const BYLINE_NAMES = new Set(["byline", "dateline", "timestamp"]);
const BYLINE_PAIRS = new Set(
  (
    "entry-meta post-meta article-meta meta-info posted-on post-info article-info post-date entry-date article-date publish-date " +
    "published-date reading-time read-time author-info author-name author-box author-bio byline-name"
  ).split(" "),
);
/** Characters. A longer element may be content, whatever its name: Readability decides. */
const MAX_LEFTOVER = 400;

interface NameVerdict {
  isBoilerplate: boolean;
  isComments: boolean;
  isPost: boolean;
  isReply: boolean;
  isByline: boolean;
}

/** Cached by names, because the pages of a site share them. */
const verdicts = new Map<string, NameVerdict>();
const MAX_VERDICTS = 2_000;

function nameVerdict({ className, id }: Pick<ContentElement, "className" | "id">): NameVerdict | null {
  const names = `${className} ${id}`;
  if (names === " ") return null;
  let verdict = verdicts.get(names);
  if (verdict === undefined) {
    const words = nameWords(names);
    verdict = {
      isBoilerplate: isNamed(words, BOILERPLATE_NAMES, BOILERPLATE_PAIRS),
      isComments: isNamed(words, COMMENT_NAMES, COMMENT_PAIRS),
      isPost: isNamed(words, POST_NAMES, NO_PAIRS),
      isReply: isNamed(words, REPLY_NAMES, NO_PAIRS),
      isByline: isNamed(words, BYLINE_NAMES, BYLINE_PAIRS),
    };
    if (verdicts.size >= MAX_VERDICTS) verdicts.clear();
    verdicts.set(names, verdict);
  }
  return verdict;
}

/** The words of class and id in lower case; `siteHeader` is two. */
function nameWords(names: string): string[] {
  return names
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

function isNamed(words: readonly string[], names: ReadonlySet<string>, pairs: ReadonlySet<string>): boolean {
  return words.some(
    (word, at) =>
      (names.has(word) && !WITHOUT_OR_BESIDE.has(words[at - 1] ?? "")) || pairs.has(`${word}-${words[at + 1] ?? ""}`),
  );
}

export function isCommentSection(element: ContentElement): boolean {
  return nameVerdict(element)?.isComments ?? false;
}

export function isReply(element: ContentElement): boolean {
  return nameVerdict(element)?.isReply ?? false;
}

export function isPost(element: ContentElement): boolean {
  return nameVerdict(element)?.isPost ?? false;
}

/** The properties that decide whether an element is surroundings, except for headers and footers. */
export type NamedElement = Pick<ContentElement, "localName" | "className" | "id"> & { role: string | null };

/**
 * Whether an element surrounds the content, by its name, role, class or id. `isEdge` decides for a header or footer
 * without such a role.
 */
export function isSurroundings({ localName, role, className, id }: NamedElement, isEdge: () => boolean): boolean {
  if (STRUCTURAL.has(localName)) return false;
  if (localName === "nav" || localName === "aside") return true;
  if (NAVIGATION_ROLES.has(role ?? "")) return true;
  if (localName === "header" || localName === "footer") return isEdge();
  if (localName === "button" || localName === "select" || localName === "textarea") return true;
  if (localName === "article" || localName === "pre" || localName === "code" || localName === "table") return false;
  return nameVerdict({ className, id })?.isBoilerplate ?? false;
}

function isBoilerplate(element: ContentElement, isInContent: boolean): boolean {
  const { localName, className, id } = element;
  return isSurroundings({ localName, className, id, role: element.getAttribute("role") }, () => {
    // An article's or section's header holds its title, its footer its notes.
    if (localName === "header") return !isInContent && element.getElementsByTagName("h1").length === 0;
    return element.parentNode?.localName !== "blockquote" && (!isInContent || textLength(element) < 500);
  });
}

/**
 * Removes the surroundings from `root`. An element that holds most of the text stays, whatever its name: themes name
 * whole pages `has-sidebar` or `menu-open`.
 */
export function removeBoilerplate(root: ContentElement, keepsComments: boolean, isManual: boolean): void {
  const most = textLength(root) / 2;
  const doomed: ContentElement[] = [];
  for (const element of elementsIn(root)) {
    const isComments = !keepsComments && isCommentSection(element) && element.localName !== "a";
    if (!isComments && !isBoilerplate(element, isInContent(element, root))) continue;
    if (element.localName !== "nav" && textLength(element) > most) continue;
    // DocBook names its boxes of notes `sidebar`.
    if (isManual && element.className === "sidebar" && measure(element).proseCharacters > 0) continue;
    doomed.push(element);
  }
  for (const element of doomed) element.remove();
}

/**
 * Removes elements that are named like surroundings and are short or mostly links. Readability would keep some of them.
 */
export function removeLeftovers(article: ContentElement): void {
  const doomed: ContentElement[] = [];
  for (const element of elementsIn(article)) {
    if (!isBoilerplate(element, true) && nameVerdict(element)?.isByline !== true && !isCommentSection(element))
      continue;
    const { characters, linkCharacters } = measure(element);
    if (characters < MAX_LEFTOVER || linkCharacters > characters / 2) doomed.push(element);
  }
  const kept = textLength(article);
  for (const element of doomed) if (textLength(element) < kept / 2) element.remove();
}

function isInContent(element: ContentElement, root: ContentElement): boolean {
  if (element.localName !== "header" && element.localName !== "footer") return false;
  if (root.localName !== "body") return true;
  for (let above = element.parentNode; above !== null && above !== root; above = above.parentNode)
    if (above.localName === "article" || above.localName === "main" || above.localName === "section") return true;
  return false;
}

/** Characters of all texts, each trimmed. */
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

import { ownString } from "../../../core/own-string.ts";

/** Reads what the words of a class or an id say about an element. They are hints, and no reason to remove anything. */

const SURROUNDING_NAMES = new Set(
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
const SURROUNDING_PAIRS = new Set(
  (
    "skip-link skip-to site-header site-footer page-footer page-header-nav global-header global-footer back-to-top edit-page " +
    "edit-this edit-link sr-only visually-hidden screen-reader you-may read-more-articles more-articles more-stories also-like " +
    "table-of on-this author-bio about-author post-navigation posts-navigation prev-next next-prev language-switcher mw-jump " +
    "header-anchor heading-anchor anchor-link hash-link tag-list post-tags entry-tags post-meta article-tags"
  ).split(" "),
);
/** `has-sidebar` names what is beside the element, not the element. */
const WITHOUT_OR_BESIDE = new Set(["has", "no", "with", "without", "hide", "show", "open"]);

const COMMENT_NAMES = new Set("comments commentlist commentsection respond disqus livefyre".split(" "));
const COMMENT_PAIRS = new Set(["comment-list", "comment-section", "comment-area"]);

/** The last word in the class of a post in a thread. */
const POST_NAMES = new Set("post message answer postbody comtr topicpost".split(" "));
/** Likewise of posts that also occur below articles. */
const REPLY_NAMES = new Set(["comment", "reply"]);
/** With these words a class names posts of a blog: `post-type-post` is WordPress's. */
const BLOG_WORDS = new Set("type blog related recent latest popular featured next prev previous single".split(" "));
/** Classes that WordPress gives to each post of a blog, beside `post`. */
const BLOG_POST = /(?:^|\s)(?:hentry|(?:post-)?type-(?:post|page))(?:\s|$)/;

/** Names of bylines and dates. */
const BYLINE_NAMES = new Set(["byline", "dateline", "timestamp"]);
const BYLINE_PAIRS = new Set(
  (
    "entry-meta post-meta article-meta meta-info posted-on post-info article-info post-date entry-date article-date publish-date " +
    "published-date reading-time read-time author-info author-name author-box author-bio byline-name"
  ).split(" "),
);

interface NameHints {
  isSurroundings: boolean;
  isComments: boolean;
  isPost: boolean;
  isReply: boolean;
  isByline: boolean;
}

const NO_HINTS: NameHints = {
  isSurroundings: false,
  isComments: false,
  isPost: false,
  isReply: false,
  isByline: false,
};

/** Names that are remembered, for each use. */
const MAX_KNOWN = 5_000;
/** Characters. What is longer than any class says nothing. */
const MAX_NAMES = 1_000;

/** Remembers what is read from names, because the pages of a site share them. */
export function rememberNames<Read>(read: (names: string) => Read): (written: string) => Read {
  const known = new Map<string, Read>();
  return (written) => {
    const names = written.slice(0, MAX_NAMES);
    let found = known.get(names);
    if (found === undefined) {
      found = read(names);
      if (known.size >= MAX_KNOWN) known.clear();
      known.set(ownString(names), found);
    }
    return found;
  };
}

const hintsOf = rememberNames((names): NameHints => {
  const words = classWords(names);
  const tokens = names.split(/\s+/).map(classWords);
  return {
    isSurroundings: isNamed(words, SURROUNDING_NAMES, SURROUNDING_PAIRS),
    isComments: isNamed(words, COMMENT_NAMES, COMMENT_PAIRS),
    isPost: !BLOG_POST.test(names) && tokens.some((token) => endsIn(token, POST_NAMES)),
    isReply: tokens.some((token) => endsIn(token, REPLY_NAMES)),
    isByline: isNamed(words, BYLINE_NAMES, BYLINE_PAIRS),
  };
});

/** `written`: a class, an id, or both with a space between. */
export function readNames(written: string): NameHints {
  return written === "" || written === " " ? NO_HINTS : hintsOf(written);
}

/** Whether an id says so. Ids are not cached, because each page has its own. */
export function namesSurroundings(id: string): boolean {
  return id !== "" && isNamed(classWords(id.slice(0, MAX_NAMES)), SURROUNDING_NAMES, SURROUNDING_PAIRS);
}

/** The words of class and id in lower case; `siteHeader` is two. */
export function classWords(names: string): string[] {
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

/** `forum-post` is a post; `post-title` and `related-post` are not. */
function endsIn(words: readonly string[], names: ReadonlySet<string>): boolean {
  return names.has(words.at(-1) ?? "") && !words.some((word) => BLOG_WORDS.has(word));
}

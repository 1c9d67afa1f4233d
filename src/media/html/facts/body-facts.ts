import { mayNameAuthor, readName } from "../article/byline.ts";
import type { ContentElement, ContentNode } from "../article/content-tree.ts";
import { elementsIn, nextNode, startOfText } from "../article/content-tree.ts";
import { tidy } from "../tree/tidy.ts";
import { ShownFacts } from "./shown-facts.ts";

/** Reads facts from the elements of a page: microdata, and what it shows as its headings, authors and dates. */

/** Types of schema.org. */
export const ARTICLE_TYPE = /(?:Article|BlogPosting|Report|SocialMediaPosting)$/;
export const THREAD_TYPES = ["DiscussionForumPosting", "QAPage"];
/** Characters. A longer text is neither a name nor a title. */
const MAX_TEXT = 500;

export interface BodyFacts {
  h1: string | null;
  /** In microdata, like the dates. */
  author: string | null;
  published: string | null;
  modified: string | null;
  shown: ShownFacts;
  /** An index may have several. */
  articles: number;
  /** Products in microdata. A shop's list has several. */
  products: number;
  isThread: boolean;
  /** Whether a bar has the anchor that Javadoc gives it. */
  hasJavadocBar: boolean;
}

/** `title`: the text of the page's `title` element. */
export function readBody(body: ContentElement, title: string | null): BodyFacts {
  const shown = new ShownFacts(title);
  const facts: BodyFacts = {
    h1: null,
    author: null,
    published: null,
    modified: null,
    shown,
    articles: 0,
    products: 0,
    isThread: false,
    hasJavadocBar: false,
  };
  let bodies = 0;
  for (let node: ContentNode | null = body.firstChild; node !== null; node = nextNode(node, body)) {
    if (node.nodeType === 3) {
      shown.readText(node);
      continue;
    }
    const { localName } = node;
    if (localName === "h1" || localName === "h2") shown.readHeading(node, localName === "h1" ? 1 : 2);
    if (localName === "h1") facts.h1 ??= shortText(node);
    let isTime = localName === "time";
    let isCredit = false;
    for (const { name, value } of node.attributes) {
      if (name === "itemprop") {
        if (/\bauthor\b/.test(value)) facts.author ??= authorIn(node);
        else if (value === "articleBody") bodies += 1;
        else if (value === "datePublished" || value === "dateCreated") facts.published ??= dateOf(node);
        else if (value === "dateModified") facts.modified ??= dateOf(node);
      } else if (name === "itemtype") {
        if (THREAD_TYPES.some((type) => value.endsWith(`/${type}`))) facts.isThread = true;
        else if (value.endsWith("/Product")) facts.products += 1;
        else if (ARTICLE_TYPE.test(value)) facts.articles += 1;
      } else if (name === "datetime") isTime = true;
      else if (value === "navbar.top" && (name === "id" || name === "name")) facts.hasJavadocBar = true;
      else if (name === "class" || name === "rel" || (name === "href" && localName === "a"))
        isCredit ||= mayNameAuthor(name, value);
    }
    if (isTime) shown.readTime(node);
    if (isCredit) shown.readCredit(node);
  }
  if (facts.articles === 0) facts.articles = bodies;
  return facts;
}

function authorIn(element: ContentElement): string | null {
  for (const inside of elementsIn(element)) if (inside.getAttribute("itemprop") === "name") return shortText(inside);
  return readName(element);
}

function dateOf(element: ContentElement): string {
  return element.getAttribute("datetime") ?? startOfText(element, 100);
}

/** Returns null for a text that is empty, or too long for a name or a title. */
function shortText(element: ContentElement): string | null {
  return element.textContent.length > MAX_TEXT ? null : tidy(element.textContent, MAX_TEXT) || null;
}

import { readByline } from "../article/byline.ts";
import type { ContentElement } from "../article/content-tree.ts";
import { elementsIn, startOfText } from "../article/content-tree.ts";
import { tidy } from "../tree/tidy.ts";

/** Reads facts from the elements of a page: microdata, `rel=author`, bylines, the first heading, the times. */

/** Types of schema.org. */
export const ARTICLE_TYPE = /(?:Article|BlogPosting|Report|SocialMediaPosting)$/;
export const THREAD_TYPES = ["DiscussionForumPosting", "QAPage"];
/** Characters. A longer text is neither a name nor a title. */
const MAX_TEXT = 500;
const MAX_TIMES = 5;
/** Elements that are asked for a byline. */
const MAX_BYLINES = 50;
/** A page with more authors lists articles of others. */
const MOST_AUTHORS = 3;

export interface BodyFacts {
  h1: string | null;
  author: string | null;
  published: string | null;
  modified: string | null;
  /** What the first `time` elements say, as written. */
  times: string[];
  /** An index may have several. */
  articles: number;
  /** Products in microdata. A shop's list has several. */
  products: number;
  isThread: boolean;
}

export function readBody(body: ContentElement): BodyFacts {
  const facts: BodyFacts = {
    h1: null,
    author: null,
    published: null,
    modified: null,
    times: [],
    articles: 0,
    products: 0,
    isThread: false,
  };
  let relAuthor: string | null = null;
  let bodies = 0;
  let asked = 0;
  const bylines = new Set<string>();
  for (const element of elementsIn(body)) {
    const { localName } = element;
    if (localName === "h1") facts.h1 ??= shortText(element);
    else if (localName === "time" && facts.times.length < MAX_TIMES) facts.times.push(dateOf(element));
    for (const { name, value } of element.attributes) {
      if (name === "itemprop") {
        if (/\bauthor\b/.test(value)) facts.author ??= shortText(nameIn(element));
        else if (value === "articleBody") bodies += 1;
        else if (value === "datePublished") facts.published ??= dateOf(element);
        else if (value === "dateModified") facts.modified ??= dateOf(element);
      } else if (name === "itemtype") {
        if (THREAD_TYPES.some((type) => value.endsWith(`/${type}`))) facts.isThread = true;
        else if (value.endsWith("/Product")) facts.products += 1;
        else if (ARTICLE_TYPE.test(value)) facts.articles += 1;
      } else if (name === "rel" && /(?:^|\s)author(?:\s|$)/i.test(value)) relAuthor ??= shortText(element);
      else if (name === "class" && asked < MAX_BYLINES && /byline|by-line|vcard/i.test(value)) {
        asked += 1;
        const author = readByline(element, value);
        if (author !== null) bylines.add(author);
      }
    }
  }
  facts.author ??= relAuthor;
  if (bylines.size <= MOST_AUTHORS) facts.author ??= [...bylines][0] ?? null;
  if (facts.articles === 0) facts.articles = bodies;
  return facts;
}

function nameIn(element: ContentElement): ContentElement {
  for (const inside of elementsIn(element)) if (inside.getAttribute("itemprop") === "name") return inside;
  return element;
}

function dateOf(element: ContentElement): string {
  return element.getAttribute("datetime") ?? startOfText(element, 100);
}

/** Returns null for a text that is empty, or too long for a name or a title. */
function shortText(element: ContentElement): string | null {
  return element.textContent.length > MAX_TEXT ? null : tidy(element.textContent, MAX_TEXT) || null;
}

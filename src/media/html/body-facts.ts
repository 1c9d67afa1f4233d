import type { ContentElement } from "./content-tree.ts";
import { elementsIn } from "./content-tree.ts";
import { tidy } from "./tidy.ts";

/** Reads facts from the elements of a page: microdata, `rel=author`, the first heading, the first `time`. */

/** Types of schema.org. */
export const ARTICLE_TYPE = /(?:Article|BlogPosting|Report|SocialMediaPosting)$/;
export const THREAD_TYPES = ["DiscussionForumPosting", "QAPage"];
/** Characters. A longer text is neither a name nor a title. */
const MAX_TEXT = 500;

export interface BodyFacts {
  h1: string | null;
  author: string | null;
  published: string | null;
  modified: string | null;
  /** An index may have several. */
  articles: number;
  isThread: boolean;
}

export function readBody(body: ContentElement): BodyFacts {
  const facts: BodyFacts = {
    h1: null,
    author: null,
    published: null,
    modified: null,
    articles: 0,
    isThread: false,
  };
  let time: string | null = null;
  let relAuthor: string | null = null;
  let bodies = 0;
  for (const element of elementsIn(body)) {
    const { localName } = element;
    if (localName === "h1") facts.h1 ??= shortText(element);
    for (const { name, value } of element.attributes) {
      if (name === "itemprop") {
        if (/\bauthor\b/.test(value)) facts.author ??= shortText(nameIn(element));
        else if (value === "articleBody") bodies += 1;
        else if (value === "datePublished") facts.published ??= dateOf(element);
        else if (value === "dateModified") facts.modified ??= dateOf(element);
      } else if (name === "itemtype") {
        if (THREAD_TYPES.some((type) => value.endsWith(`/${type}`))) facts.isThread = true;
        else if (ARTICLE_TYPE.test(value)) facts.articles += 1;
      } else if (name === "rel" && /(?:^|\s)author(?:\s|$)/i.test(value)) relAuthor ??= shortText(element);
      else if (name === "datetime" && localName === "time") time ??= value;
    }
  }
  facts.author ??= relAuthor;
  if (facts.articles === 0) facts.articles = bodies;
  facts.published ??= time;
  return facts;
}

function nameIn(element: ContentElement): ContentElement {
  for (const inside of elementsIn(element)) if (inside.getAttribute("itemprop") === "name") return inside;
  return element;
}

function dateOf(element: ContentElement): string {
  return element.getAttribute("datetime") ?? element.textContent.slice(0, 100);
}

/** Returns null for a text that is empty, or too long for a name or a title. */
function shortText(element: ContentElement): string | null {
  return element.textContent.length > MAX_TEXT ? null : tidy(element.textContent, MAX_TEXT) || null;
}

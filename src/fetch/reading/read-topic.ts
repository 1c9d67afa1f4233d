import type { PageTopic } from "../../crawl/page/outcome.ts";
import type { Document } from "../../media/document.ts";
import type { Link, PageLink } from "../../media/links/links.ts";
import { readRelevance } from "../../topic/course/read-relevance.ts";
import { scoreLinkText } from "../../topic/course/score-link.ts";
import { lensOf, type TopicLens } from "../../topic/course/topic-lens.ts";
import { beginTopic } from "../../topic/course/topic-state.ts";

/** Reads what a page and its links say about the subject of the crawl. */

export interface TopicRequest {
  /** Null for an example of the subject: its own text is the subject then. */
  lens: TopicLens | null;
  /** The words of the subject. */
  words: string;
  /** Characters of an example's text to return. */
  maxExample: number;
}

/** Links to one URL whose texts are read: an image first, and its caption after it. */
const MAX_TEXTS = 3;

/** `links`: those that may be followed. */
export function readTopic(
  document: Document,
  links: readonly Link[],
  { lens: given, words, maxExample }: TopicRequest,
): PageTopic {
  const text = document.content?.text ?? textOfLinks(document);
  const lens = given ?? lensOf(beginTopic({ words, examples: [text] }));
  const { relevance, sample } = readRelevance(lens, { title: document.title, text });
  const texts = textsByUrl(document.pageLinks);
  const linkScores = links.map(({ url, text: own = "" }) => {
    const { isContent = false, ...said } = texts.get(url) ?? { text: own, around: "" };
    const title = isContent ? document.title : null;
    return Math.round(scoreLinkText(lens, { url, ...said, title }) * 1_000) / 1_000;
  });
  return { relevance, sample, linkScores, ...(given === null ? { example: text.slice(0, maxExample) } : {}) };
}

/** A page that must not be kept has no content: then its description and the texts of its links speak for it. */
function textOfLinks({ description, pageLinks }: Document): string {
  return [description ?? "", ...pageLinks.map(({ text }) => text)].join("\n");
}

interface Said {
  text: string;
  around: string;
  /** Whether any of the links is in the content of the page. */
  isContent?: boolean;
}

function textsByUrl(pageLinks: readonly PageLink[]): Map<string, Said> {
  const texts = new Map<string, Said & { links: number }>();
  for (const { url, text, place, around = "" } of pageLinks) {
    const known = texts.get(url);
    const isContent = place === "content";
    if (known === undefined) texts.set(url, { text, around, isContent, links: 1 });
    else if (known.links < MAX_TEXTS) {
      known.links += 1;
      known.isContent ||= isContent;
      known.text = join(known.text, text);
      known.around = join(known.around, around);
    }
  }
  return texts;
}

function join(known: string, more: string): string {
  return more === "" || known.includes(more) ? known : `${known} ${more}`;
}

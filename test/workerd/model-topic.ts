import type { PageTopic } from "../../src/crawl/page/outcome.ts";
import { readTopic, type TopicRequest } from "../../src/fetch/reading/read-topic.ts";
import { emptyDocument } from "../../src/media/document.ts";
import { emptyMetadata, plainContent } from "../../src/media/text/plain-content.ts";

/** What a page of a model says about the subject of a crawl, read as the page fetcher reads it. */
export function modelTopic(
  topic: TopicRequest | null,
  { title, text, links }: { title: string; text: string; links: readonly string[] },
): { topic?: PageTopic } {
  if (topic === null) return {};
  const pageLinks = links.map((url) => ({
    ...{ url, kind: "a" as const, nofollow: false, rel: "", text: "", place: "content" as const, fragment: null },
  }));
  const document = {
    ...emptyDocument("text/html"),
    title,
    pageLinks,
    content: plainContent(text, ["text"], emptyMetadata()),
  };
  return { topic: readTopic(document, pageLinks, topic) };
}

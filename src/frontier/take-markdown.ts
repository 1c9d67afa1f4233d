import { readRecord } from "../archive/read-warc-record.ts";
import { essenceOf } from "../core/media-type.ts";
import type { Capture, PageFetched, PageResult } from "../crawl/outcome.ts";
import type { StoredContent } from "../crawl/page-format.ts";
import { contentRecord } from "../fetch/capture-page.ts";
import { kindOf } from "../media/kinds.ts";
import { hostKey } from "../url/host-key.ts";
import type { Lane } from "./admit.ts";
import type { PageWork } from "./work.ts";

/**
 * Takes the Markdown that a page names as its own (`rel=alternate`) in place of what is made of its HTML. All else of
 * the record stays that of the page; the answer with the Markdown goes into the archive beside it.
 */

/** The URL of a page's Markdown, on the host of its lane; null if the crawl does not ask for it. */
export function markdownUrlOf(
  { context, row }: PageWork,
  { host }: Pick<Lane, "host">,
  page: PageFetched,
): string | null {
  const { markdownUrl } = page;
  if (!context.crawl.options.preferMarkdown || markdownUrl === undefined || markdownUrl === row.url) return null;
  const isHtml = kindOf(page.contentType).replay === "html";
  return isHtml && hostKey(markdownUrl) === host ? markdownUrl : null;
}

/** The page with this Markdown; as it is if the answer is no Markdown. */
export async function withMarkdown(
  pageUrl: string,
  page: PageFetched,
  url: string,
  answer: PageResult,
  now: number,
): Promise<PageFetched> {
  if (answer.kind !== "page" || !isMarkdown(answer.contentType) || answer.noindex !== null) return page;
  const [own, given] = await Promise.all([contentOf(page), contentOf(answer)]);
  if (own === null || given?.markdown === undefined || given.markdown.trim() === "") return page;
  const content: StoredContent = {
    ...own,
    markdown: given.markdown,
    metadata: { ...own.metadata, markdownUrl: url },
  };
  const json = new TextEncoder().encode(JSON.stringify(content));
  if (page.capture === null) return { ...page, content: json };
  const date = page.capture.answer?.date ?? now;
  return {
    ...page,
    capture: { ...withAnswer(page.capture, url, answer), content: contentRecord(pageUrl, json, date) },
  };
}

function isMarkdown(contentType: string): boolean {
  return /^text\/(?:x-)?markdown$/.test(essenceOf(contentType));
}

/** The content of a fetched page, wherever it is; null if none was made. */
async function contentOf({ content, capture }: PageFetched): Promise<StoredContent | null> {
  const made = capture?.content ?? null;
  const json = made === null ? content : (await readRecord(made)).payload;
  return json === null ? null : (JSON.parse(new TextDecoder().decode(json)) as StoredContent);
}

/** A crawl without an archive keeps the Markdown alone. */
function withAnswer(capture: Capture, url: string, { capture: given, sha256 }: PageFetched): Capture {
  if (!given?.answer || sha256 === null) return capture;
  return { ...capture, resources: [...(capture.resources ?? []), { url, sha256, ...given.answer }] };
}

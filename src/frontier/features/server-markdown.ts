import { readRecord } from "../../archive/read-warc-record.ts";
import { essenceOf } from "../../core/media-type.ts";
import type { Capture, FetchResult, PageFetched, PageResult } from "../../crawl/page/outcome.ts";
import { partsOf, type StoredContent } from "../../crawl/page/page-format.ts";
import { contentRecord, hopsFromSeed } from "../../fetch/answer/capture-page.ts";
import type { PageWants } from "../../fetch/request/page-request.ts";
import { kindOf } from "../../media/kind/kinds.ts";
import { hostKey } from "../../url/host-key.ts";
import { isKept } from "../attempt.ts";
import type { Answer } from "../lane/lane-driver.ts";
import { mayAsk } from "../lane/may-ask.ts";
import { captureOf, wantsOfUnlisted } from "../lane/request-of-work.ts";
import type { PageWork } from "../work.ts";
import type { Feature, Opening } from "./feature.ts";

/**
 * Takes the Markdown that a page names as its own (`rel=alternate`) in place of what is made of its HTML. All else of
 * the record stays that of the page; the answer with the Markdown goes into the archive beside it.
 */

export const serverMarkdown: Feature<"preferMarkdown" | "parts"> = {
  invocations: ({ kind, context }) => ({ now: kind === "page" && context.crawl.options.preferMarkdown ? 1 : 0 }),
  wants({ context }) {
    const { preferMarkdown, formats } = context.crawl.options;
    // Markdown of the server replaces what would be made later.
    return { preferMarkdown, parts: partsOf(preferMarkdown ? [...formats, "markdown"] : formats) };
  },
  open: async (opening) => ({ after: (work, answer) => addMarkdown(work, answer, opening) }),
};

/** Without the time for another request, the Markdown is made of the page itself. */
async function addMarkdown(
  work: PageWork,
  { result, now }: Answer<FetchResult>,
  { host, document, ask, deps }: Opening,
): Promise<FetchResult | "lane"> {
  const url = isKept(result) ? markdownUrlOf(work, host, result) : null;
  if (!isKept(result) || url === null || !(await mayAsk(url, work, deps))) return result;
  if (document !== null) return "lane";
  const answer = await ask(url, work, wantsOfMarkdown(work));
  return answer === null ? result : withMarkdown(work.row.url, result, url, answer.result, now);
}

/** What is wanted of the Markdown that a page names, to be kept with it. */
export function wantsOfMarkdown(work: PageWork): PageWants {
  const capture = captureOf(work, work.row.url, hopsFromSeed(work.row.depth + 1, 1));
  return { ...wantsOfUnlisted(work), parts: ["markdown"], capture };
}

/** The URL of a page's Markdown, on the host of its lane; null if the crawl does not ask for it. */
function markdownUrlOf({ context, row }: PageWork, host: string, page: PageFetched): string | null {
  const { markdownUrl } = page;
  if (!context.crawl.options.preferMarkdown || markdownUrl === undefined || markdownUrl === row.url) return null;
  const isHtml = kindOf(page.contentType).replay === "html";
  return isHtml && hostKey(markdownUrl) === host ? markdownUrl : null;
}

/** The page with this Markdown; as it is if the answer is no Markdown. */
async function withMarkdown(
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

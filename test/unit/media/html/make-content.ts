import type { Content, ContentFormat } from "../../../../src/media/document.ts";
import { makeContent } from "../../../../src/media/html/article/content.ts";
import { extractPage } from "../../../../src/media/html/page.ts";
import { parseHtml } from "../../../../src/media/html/tree/linkedom.ts";
import { canonicalize } from "../../../../src/url/canonicalize.ts";

export const PAGE_URL = "https://example.com/dir/page";

/** The content of a page as the crawler makes it, from its source. */
export function contentOf(html: string, formats: readonly ContentFormat[] = ["html", "markdown", "text"]): Content {
  const document = parseHtml(html);
  return makeContent(document, extractPage(document, PAGE_URL, canonicalize), formats);
}

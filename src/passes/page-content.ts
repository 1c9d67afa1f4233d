import { UnreadableRecord } from "../archive/read-warc-record.ts";
import type { Crawl } from "../crawl/crawl.ts";
import type { StoredPage } from "../crawl/page/outcome.ts";
import type { Part, StoredContent } from "../crawl/page/page-format.ts";
import type { PageReaders } from "../frontier/deps.ts";
import { kindOf } from "../media/kind/kinds.ts";
import { productToken } from "../robots/product-token.ts";
import {
  asDrawn,
  type PackedRow,
  readStoredContent,
  readStoredPage,
  type PageStores,
} from "../store/mirror/read-mirror.ts";
import type { PassDeps } from "./pass-run.ts";

/** Reads the content of a stored page. What was made of it is read; what is missing is made by a page fetcher. */

/** Reading a page again: docs/cost.md. */
export const CPU_MS_PER_MADE = 10;

interface PageContent {
  content: StoredContent;
  /** Whether it took a call of a page fetcher. A request or a step may call 32. */
  isMade: boolean;
}

/**
 * Null if the mirror holds no such page, and for what has no content, such as an image. `readPage`: reads the page if a
 * part is missing. Throws what reading it throws.
 */
export async function readOrMake(
  crawl: Crawl,
  url: string,
  parts: readonly Part[],
  deps: PageStores & Pick<PageReaders, "readContent">,
  row: PackedRow | null,
  readPage: () => Promise<StoredPage | null> = () => readStoredPage(crawl, url, deps, row),
): Promise<PageContent | null> {
  const kept = await readStoredContent(crawl, url, parts, deps, row);
  const missing = parts.filter((part) => kept?.[part] === undefined);
  if (kept !== null && missing.length === 0) return { content: kept, isMade: false };
  const page = await readPage();
  if (page === null || !kindOf(page.contentType).isPage) return null;
  const { userAgent, scriptLinks, preferMarkdown } = crawl.options;
  const request = { url, agent: productToken(userAgent), scriptLinks, preferMarkdown, parts: missing };
  const json = await deps.readContent(asDrawn(page, kept), request);
  const made = JSON.parse(new TextDecoder().decode(json)) as StoredContent;
  const { markdownUrl } = kept?.metadata ?? {};
  const metadata = markdownUrl === undefined ? made.metadata : { ...made.metadata, markdownUrl };
  return { content: { ...kept, ...made, metadata }, isMade: true };
}

/** Likewise for a pass, which stores nothing of it. Null if the page cannot be read. `row`: its place. */
export async function readPageContent(
  crawl: Crawl,
  url: string,
  parts: readonly Part[],
  deps: PageStores & Pick<PassDeps, "readContent" | "meter">,
  row: PackedRow | null,
): Promise<PageContent | null> {
  let isEnded = false;
  const readContent: PageReaders["readContent"] = async (...args) => {
    deps.meter.add({ cpuMs: CPU_MS_PER_MADE });
    isEnded = true;
    const json = await deps.readContent(...args);
    isEnded = false;
    return json;
  };
  try {
    return await readOrMake(crawl, url, parts, { ...deps, readContent }, row);
  } catch (error) {
    // A page that ends its reader has no content.
    if (isEnded || error instanceof UnreadableRecord) return null;
    throw error;
  }
}

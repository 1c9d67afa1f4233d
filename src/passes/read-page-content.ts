import { UnreadableRecord } from "../archive/read-warc-record.ts";
import type { Crawl } from "../crawl/crawl.ts";
import type { Part, StoredContent } from "../crawl/page-format.ts";
import { productToken } from "../robots/product-token.ts";
import { readRenderedPage, readStoredContent } from "../store/read-mirror.ts";
import type { PassDeps } from "./pass-run.ts";

/** Reads the content of a page. What the crawl did not keep is made by a page fetcher, and not stored. */

/** Reading a page again: docs/cost.md. */
export const CPU_MS_PER_MADE = 10;

interface ReadContent {
  content: StoredContent;
  /** Whether it took a call of a page fetcher. A step may call 32. */
  isMade: boolean;
}

/** Null if the page cannot be read. */
export async function readPageContent(
  crawl: Crawl,
  url: string,
  parts: readonly Part[],
  deps: Pick<PassDeps, "records" | "packs" | "mirror" | "readContent" | "meter">,
): Promise<ReadContent | null> {
  try {
    const row = await deps.records.packed(crawl.id, url);
    const kept = await readStoredContent(crawl, url, parts, deps, row);
    if (kept !== null && parts.every((part) => kept[part] !== undefined)) return { content: kept, isMade: false };
    const stored = await readRenderedPage(crawl, url, deps, row);
    if (stored === null) return null;
    deps.meter.add({ cpuMs: CPU_MS_PER_MADE });
    const { userAgent, scriptLinks, preferMarkdown } = crawl.options;
    const request = { url, agent: productToken(userAgent), scriptLinks, preferMarkdown, parts: [...parts] };
    // A page that ends its reader has no content.
    const json = await deps.readContent(stored, request).catch(() => null);
    if (json === null) return null;
    return { content: JSON.parse(new TextDecoder().decode(json)) as StoredContent, isMade: true };
  } catch (error) {
    if (error instanceof UnreadableRecord) return null;
    throw error;
  }
}

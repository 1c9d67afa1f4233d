import type { Crawl } from "../../crawl/crawl.ts";
import type { PassResults } from "../../reading/needs.ts";
import { PageCleaner } from "../../reading/records/page-cleaner.ts";
import type { Reading } from "../../reading/records/read-formats.ts";
import { refusal } from "../requests/request-problem.ts";

/** The parameters of requests for pages that say how they are read. */

interface ReadingQuery {
  clean: boolean;
  chunkTokens?: number | undefined;
}

/** What reads the pages: clean or as they are, in chunks of a size. Throws 409 if the crawl was not analyzed. */
export async function readingOf<Own extends PassResults>(
  crawl: Crawl,
  { clean, chunkTokens }: ReadingQuery,
  deps: Own,
): Promise<Own & Pick<Reading, "cleaner" | "chunkTokens">> {
  const sized = chunkTokens === undefined ? deps : { ...deps, chunkTokens };
  if (!clean) return sized;
  const cleaner = await PageCleaner.open(crawl, deps);
  if (cleaner !== null) return { ...sized, cleaner };
  throw refusal(
    409,
    `No analysis has found yet what the pages of this crawl repeat. To analyze it: orbweaver analyze ${crawl.id}`,
  );
}

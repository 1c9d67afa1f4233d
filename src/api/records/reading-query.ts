import type { Crawl } from "../../crawl/crawl.ts";
import type { Format } from "../../crawl/page/page-format.ts";
import type { TemplateDeps } from "../../passes/template/open-template.ts";
import { type Reading, readingOf } from "../../reading/records/read-formats.ts";

/** The parameters of requests for pages that say how they are read. */

interface ReadingQuery {
  formats: readonly Format[];
  rawText: boolean;
  chunkTokens?: number | undefined;
}

/** What reads the pages: without their template or as they are, in chunks of a size. */
export async function readingOfQuery<Own extends TemplateDeps>(
  crawl: Crawl,
  { chunkTokens, ...how }: ReadingQuery,
  deps: Own,
): Promise<Own & Pick<Reading, "template" | "chunkTokens">> {
  return { ...(await readingOf(crawl, how, deps)), ...(chunkTokens === undefined ? {} : { chunkTokens }) };
}

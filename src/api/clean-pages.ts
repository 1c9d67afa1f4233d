import { HTTPException } from "hono/http-exception";
import type { Crawl } from "../crawl/crawl.ts";
import type { Deps } from "../frontier/deps.ts";
import { PageCleaner } from "../reading/page-cleaner.ts";
import type { Reading } from "../reading/read-formats.ts";

/** The parameter `clean` of requests for pages. */

/** What reads the pages, clean or as they are. Throws 409 if the crawl was not analyzed. */
export async function readingOf(crawl: Crawl, clean: boolean, deps: Deps): Promise<Deps & Reading> {
  if (!clean) return deps;
  const cleaner = await PageCleaner.open(crawl, deps);
  if (cleaner !== null) return { ...deps, cleaner };
  throw new HTTPException(409, {
    message: `No analysis has found yet what the pages of this crawl repeat. To analyze it: orbweaver analyze ${crawl.id}`,
  });
}

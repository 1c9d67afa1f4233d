import { CrawlRun } from "./crawl-run.ts";
import { OrbweaverError } from "./library-error.ts";
import type * as declared from "./library-types.ts";
import type { Page } from "./table-types.ts";

/**
 * The library: `import { crawl, read } from "orbweaver"`. It uses installations as the command line does, and a crawl's
 * records in the order in which they finish. docs/library.md
 */

export { OrbweaverError };

export const crawl: typeof declared.crawl = (urls, options = {}) => new CrawlRun(urls, options);

export const read: typeof declared.read = async (url, options = {}) => {
  const only = { limit: 1, depth: 0, source: "links", records: "all" } as const;
  let last: Page | null = null;
  for await (const page of new CrawlRun(url, { ...options, ...only }, false)) {
    if (page.status === "completed" && !page.asset) return page;
    if (last === null || page.reason !== "redirected") last = page;
  }
  const why = last?.explanation ?? "it has no page";
  throw new OrbweaverError("not-read", `${last?.url ?? url} was not read: ${why}.`);
};

import type { Crawl, CrawlUrl } from "../../crawl/crawl.ts";
import type { StoredPage } from "../../crawl/outcome.ts";
import { MAX_REDIRECTS, redirectTarget } from "../../crawl/redirect-target.ts";
import { readStoredPage, type Stores } from "../../store/read-mirror.ts";

/** Finds what a replay shows for a URL. */

type Replay =
  | { kind: "page"; page: StoredPage }
  /** The URL redirected to this one, directly or through others. */
  | { kind: "redirect"; target: string }
  /** `record`: the URL's record; null if the crawl does not know the URL. */
  | { kind: "none"; record: CrawlUrl | null };

/** `url`: canonical. Redirects are followed here, so that a loop ends. */
export async function findReplay(crawl: Crawl, url: string, deps: Stores): Promise<Replay> {
  const page = await readStoredPage(crawl, url, deps);
  if (page !== null) return { kind: "page", page };
  const record = await deps.records.get(crawl.id, url);
  const passed = new Set([url]);
  for (let target = redirectTarget(record); target !== null && passed.size <= MAX_REDIRECTS; ) {
    if (passed.has(target)) break;
    passed.add(target);
    const next = redirectTarget(await deps.records.get(crawl.id, target));
    if (next === null) return { kind: "redirect", target };
    target = next;
  }
  return { kind: "none", record };
}

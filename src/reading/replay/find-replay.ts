import type { Crawl, CrawlUrl } from "../../crawl/crawl.ts";
import type { KeptPage } from "../../crawl/outcome.ts";
import { keptPage, type Stores } from "../../store/read-mirror.ts";

/** What a crawl has for somebody who follows a link to a URL. */

export type Replay =
  | { kind: "page"; page: KeptPage }
  /** The URL redirected, over others perhaps, to this one. */
  | { kind: "redirect"; target: string }
  /** `record`: what became of the URL; null where the crawl knows nothing of it. */
  | { kind: "none"; record: CrawlUrl | null };

/** As many as a browser follows. */
const MOST_REDIRECTS = 20;

/** `url` is canonical. Redirects are followed here, for those that lead round have to end somewhere. */
export async function findReplay(crawl: Crawl, url: string, deps: Stores): Promise<Replay> {
  const page = await keptPage(crawl, url, deps);
  if (page !== null) return { kind: "page", page };
  const record = await deps.records.get(crawl.id, url);
  const passed = new Set([url]);
  for (let target = redirectTarget(record); target !== null && passed.size <= MOST_REDIRECTS; ) {
    if (passed.has(target)) break;
    passed.add(target);
    const next = redirectTarget(await deps.records.get(crawl.id, target));
    if (next === null) return { kind: "redirect", target };
    target = next;
  }
  return { kind: "none", record };
}

/** As frontier/attempt.ts wrote it, and frontier/gather-page.ts may have added to it. */
function redirectTarget(record: CrawlUrl | null): string | null {
  if (record?.reason !== "redirected") return null;
  return /^to (\S+?)(?:, which scope refuses: .*)?$/s.exec(record.detail ?? "")?.[1] ?? null;
}

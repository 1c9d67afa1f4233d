import type { Discovery } from "../../../crawl/crawl.ts";
import type { FetchResult } from "../../../crawl/page/outcome.ts";
import { isOverHostLimit } from "../../../store/ledger/host-pages.ts";
import type { CrawlCommit } from "../../../store/ledger/ledger-commit.ts";
import { hostOf } from "../../../url/host-key.ts";
import { type Attempt, sitemapUrls } from "../../attempt.ts";
import type { Answer } from "../../lane/lane-driver.ts";
import { crawlAndHost, type PageWork, type Work } from "../../work.ts";
import type { Feature, Findings, Opening, PageSteps, Turn } from "../feature.ts";
import { explainHostLimit } from "./explain-host-limit.ts";
import { isLimited, overHostLimitAttempt } from "./over-host-limit.ts";
import { turnAway } from "./turn-away.ts";

/**
 * The page limits for hosts, in one lane: what the ledger had when the lane began, and what it has completed or is
 * fetching since. A document that waits counts as a page that is being fetched. A host has one lane at a time, so this
 * fetches hardly a page too many. The commit keeps the limit itself (turn-away.ts).
 */
export const hostLimits: Feature = {
  open: (opening) => HostLimits.open(opening),
  fresh: withinLimits,
  explain: explainHostLimit,
  recommit: (error, attempts, deps) => (isOverHostLimit(error) ? turnAway(attempts, deps) : null),
  gather({ queued, gathering }) {
    const { limitPerHost } = gathering.context.crawl.options;
    if (limitPerHost === 0) return {};
    return { limitPerHost, hostPages: queued.flatMap(hostPageOf) };
  },
};

/** Before a URL comes again that depends on documents. */
const DOCUMENT_WAIT_MS = 15_000;
const DOCUMENT_WAIT = "documents that are read now and count towards the page limit of their host";

class HostLimits implements PageSteps {
  readonly #now: () => number;
  /** Completed pages, by crawl and host. */
  readonly #completed = new Map<string, number>();
  /** Documents that waited when the lane began, or wait since. */
  readonly #documents = new Map<string, number>();
  /** URLs that are being fetched. */
  readonly #begun = new Map<string, Set<Work>>();

  private constructor(now: () => number) {
    this.#now = now;
  }

  /** Two queries for each crawl with such a limit, and none for others. */
  static async open({ works, deps }: Opening): Promise<HostLimits | null> {
    const limited = works.filter(isLimited);
    if (limited.length === 0) return null;
    const limits = new HostLimits(() => deps.clock.now());
    for (const [crawl, own] of Map.groupBy(limited, ({ row }) => row.crawl)) {
      const hosts = [...new Set(own.map(({ row }) => hostOf(row.url)))];
      for (const [host, count] of await deps.ledger.hostPages(crawl, hosts))
        limits.#completed.set(`${crawl} ${host}`, count);
      for (const [host, count] of await deps.waitingDocuments.count(crawl, hosts))
        limits.#documents.set(`${crawl} ${host}`, count);
    }
    return limits;
  }

  before(work: Work): Turn | null {
    if (!isLimited(work)) return null;
    const key = crawlAndHost(work.row);
    const { limitPerHost } = work.context.crawl.options;
    const completed = this.#completed.get(key) ?? 0;
    if (completed >= limitPerHost) return { kind: "decided", attempt: overHostLimitAttempt(work, this.#now()) };
    const documents = this.#documents.get(key) ?? 0;
    const begun = this.#begun.get(key) ?? new Set();
    if (completed + documents + begun.size < limitPerHost) {
      this.#begun.set(key, begun.add(work));
      return null;
    }
    // A page in the lane ends soon. A document may wait for long.
    const waiting = documents === 0 ? null : { delayMs: DOCUMENT_WAIT_MS, why: DOCUMENT_WAIT };
    return { kind: "later", waiting };
  }

  /** A document waits when its fetch has ended. */
  async after(work: PageWork, { result }: Answer<FetchResult>): Promise<FetchResult> {
    const key = crawlAndHost(work.row);
    if (result.kind === "document" && isLimited(work)) this.#documents.set(key, (this.#documents.get(key) ?? 0) + 1);
    return result;
  }

  end(work: Work, attempt: Attempt | null): void {
    const key = crawlAndHost(work.row);
    const isOwn = this.#begun.get(key)?.delete(work) === true;
    if (isOwn && attempt?.outcome.status === "completed") this.#completed.set(key, (this.#completed.get(key) ?? 0) + 1);
  }
}

/** Without the pages of hosts that have given as many as the crawl takes. They are refused. */
async function withinLimits(fresh: Discovery[], { attempts, gathering, deps }: Findings): Promise<Discovery[]> {
  const { id, options } = gathering.context.crawl;
  if (options.limitPerHost === 0 || fresh.length === 0) return fresh;
  const counts = await deps.ledger.hostPages(id, [...new Set(fresh.map(({ url }) => hostOf(url)))]);
  const sitemaps = sitemapUrls(attempts);
  return fresh.filter(({ url, via, kind }) => {
    if (kind !== "page" || (counts.get(hostOf(url)) ?? 0) < options.limitPerHost) return true;
    gathering.found.delete(url);
    if (via !== null) gathering.refuse(via, sitemaps.has(via) ? "sitemaps" : "urls", "host-limit", [url]);
    return false;
  });
}

/** A completed page, which counts towards the page limit of its host. */
function hostPageOf({ work, outcome: { url, status } }: Attempt): CrawlCommit["hostPages"] {
  const isPage = work.kind === "page" && work.row.kind === "page";
  return isPage && status === "completed" ? [{ url, host: hostOf(url) }] : [];
}

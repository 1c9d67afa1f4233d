import { createExecutionContext, env } from "cloudflare:test";
import { app } from "../../src/api/app.ts";
import { DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import type { Outcome } from "../../src/crawl/page/outcome.ts";
import type { Visit } from "../../src/crawl/watch/watch.ts";
import { decideVisit } from "../../src/frontier/visits/decide-visit.ts";
import { NOTHING_KNOWN } from "../../src/revisit/site-prior.ts";
import { Meter } from "../../src/store/installation/metered.ts";
import { emptyCommit } from "../../src/store/ledger/ledger-commit.ts";
import { openStore } from "../../src/store/store.ts";
import { discovered, settled, WATCH } from "./rows.ts";

/** A watch whose visits a test settles through the ledger, by the pipeline's own rules. */

export const pageUrl = (n: number) => `https://a.test/${n}`;

/** What a visit finds at a URL: a text, or something else than a page. */
export type Found = { says: string } | "missing" | "moved" | "noindex" | "failed" | "not-modified";

function outcomeOf(url: string, found: Found, fetchedAt: number): Outcome {
  if (typeof found === "object") return settled(url, { sha256: found.says, title: found.says, fetchedAt });
  const facts: Record<Exclude<Found, object>, Partial<Outcome>> = {
    missing: { status: "errored", reason: "http-status", httpStatus: 410, detail: "410" },
    moved: { status: "skipped", reason: "redirected", httpStatus: 301, detail: `to ${url}/new` },
    noindex: { status: "skipped", reason: "noindex", detail: "noindex" },
    failed: { status: "errored", reason: "timeout", httpStatus: null },
    "not-modified": { status: "errored", reason: "not-modified", httpStatus: 304 },
  };
  return settled(url, { sha256: null, title: null, fetchedAt, ...facts[found] });
}

export class WatchedCrawl {
  readonly id = crypto.randomUUID();
  readonly #store = openStore(env, new Meter());
  #now = 1_000_000;

  /** Its first crawl finds these. */
  static async start(finds: readonly Found[]): Promise<WatchedCrawl> {
    const crawl = new WatchedCrawl();
    await crawl.create(finds.length);
    await crawl.complete(new Map(finds.map((found, n) => [n, found])));
    return crawl;
  }

  /** Creates the crawl with as many seeds. */
  async create(seeds: number): Promise<void> {
    const options = { ...DEFAULT_OPTIONS, urls: [pageUrl(0)], userAgent: "Test/1", limit: 100_000, watch: WATCH };
    await this.#store.ledger.create({
      id: this.id,
      options,
      hosts: ["a.test"],
      seeds: Array.from({ length: seeds }, (_, n) => discovered(pageUrl(n), { depth: 0 })),
      sitemaps: [],
      now: this.#now,
    });
  }

  /** Settles queued URLs. */
  async complete(finds: ReadonlyMap<number, Found>): Promise<void> {
    const watch = await this.#store.ledger.crawl(this.id);
    const outcomes = [...finds].map(([n, found]) => outcomeOf(pageUrl(n), found, this.#tick()));
    const completed = outcomes.filter(({ status }) => status === "completed").map(({ url }) => url);
    const added = watch?.watchingSince == null ? [] : completed;
    await this.#store.ledger.commit([{ ...emptyCommit(this.id), outcomes, added }], this.#tick());
  }

  /** Adds URLs that are not known. */
  async discover(numbers: readonly number[]): Promise<void> {
    const discoveries = numbers.map((n) => discovered(pageUrl(n)));
    await this.#store.ledger.commit([{ ...emptyCommit(this.id), discoveries }], this.#tick());
  }

  /** Visits known URLs in one transaction. A page that is missing is removed at the second visit. */
  async visit(finds: ReadonlyMap<number, Found>): Promise<void> {
    const urls = [...finds].map(([n]) => pageUrl(n));
    const rows = await env.LEDGER.prepare(
      "SELECT url, visits FROM urls WHERE crawl = ?1 AND url IN (SELECT value FROM json_each(?2))",
    )
      .bind(this.id, JSON.stringify(urls))
      .all<{ url: string; visits: number }>();
    const keys = rows.results.map(({ url, visits }) => ({ crawl: this.id, url, sitemap: false, visit: visits }));
    const admitted = await this.#store.ledger.admission(keys, this.#now);
    const visits = admitted.urls.map(({ url, visit }) => {
      const found = finds.get(Number(url.split("/").at(-1))) ?? "failed";
      return decideVisit(
        outcomeOf(url, found, this.#tick()),
        url,
        visit as Visit,
        WATCH,
        { compared: null, isCopy: false, isHostTroubled: false, wall: null },
        NOTHING_KNOWN,
        this.#now,
      );
    });
    await this.#store.ledger.commit([{ ...emptyCommit(this.id), visits }], this.#tick());
  }

  /** Queues all errored URLs again. */
  async retry(): Promise<void> {
    await this.#store.ledger.retry(this.id, { status: "errored", reason: null, limit: null }, "", this.#tick());
  }

  async queued(): Promise<number[]> {
    const { results } = await env.LEDGER.prepare("SELECT url FROM urls WHERE crawl = ?1 AND status = 'queued'")
      .bind(this.id)
      .all<{ url: string }>();
    return results.map(({ url }) => Number(url.split("/").at(-1)));
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    const init = { headers: { authorization: "Bearer reading-token", ...headers } };
    return Promise.resolve(app.request(`/api/crawls/${this.id}${path}`, init, env, createExecutionContext()));
  }

  #tick(): number {
    this.#now += 1_000;
    return this.#now;
  }
}

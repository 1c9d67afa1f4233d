import { env } from "cloudflare:test";
import { sha256Of } from "../../src/archive/sha256.ts";
import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import type { StoredPage } from "../../src/crawl/page/outcome.ts";
import { reasonToLeave } from "../../src/crawl/page/reason-to-leave.ts";
import type { Watch } from "../../src/crawl/watch/watch.ts";
import { captureAnswer, capturePage } from "../../src/fetch/answer/capture-page.ts";
import { withStoredVersion } from "../../src/fetch/reading/stored-copy.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { WATCH } from "./rows.ts";
import { World, type WorldOptions } from "./world.ts";

/** A world whose pages change over time, for watches: pages with ETags, digests of what they say, and their dates. */

export type SiteAnswer =
  /**
   * The text's blocks have " / " between them. `noise` changes the bytes, and not what the page says. `link`: a link in
   * its content, which is no text. `etag` null: the server has no tags.
   */
  | {
      text: string;
      title?: string;
      noise?: string;
      link?: string;
      lastModified?: number;
      links?: string[];
      etag?: string | null;
      noindex?: string;
      missing?: boolean;
      shell?: string;
      drawn?: { why: string; plainText: number; hasGained: boolean };
      assets?: string[];
      type?: string;
    }
  | { status: number }
  | { redirect: string }
  | { refused: true };

export const SEED = "https://a.test/";
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Removes the watches of earlier tests: heartbeats would visit their pages, too. */
export async function removeWatches(): Promise<void> {
  const tables = ["crawls", "urls", "versions", "changes", "packs", "answers", "watch_hosts"];
  await env.LEDGER.batch(tables.map((table) => env.LEDGER.prepare(`DELETE FROM ${table}`)));
}

/** Visits all pages alike. */
export function watchOf(everyMs: number, keepDays?: number): Watch {
  return { ...WATCH, everyS: everyMs / 1000, keepDays };
}

const NO_VERSION = { title: null, canonical: null, looksMissing: false, headings: [], rest: null };

const bytesOf = (text: string) => new TextEncoder().encode(text);

export class WatchedWorld extends World {
  /** URLs of requests with validators. */
  readonly conditional: string[] = [];

  constructor(site: (url: string) => SiteAnswer, options: WorldOptions = {}) {
    super((url) => {
      const answer = site(url);
      return "text" in answer ? { ...answer, links: answer.links ?? [] } : answer;
    }, options);
    this.now = Date.UTC(2031, 0, 1);
    const { fetchPage } = this.deps;
    const versionOf = (body: Uint8Array) => {
      const [text = "", , value] = new TextDecoder().decode(body).split("\n");
      const parts = value === undefined ? [] : [{ kind: "link" as const, place: "p>a", value }];
      const language = /^\((\w\w)\) /.exec(text)?.[1];
      return { ...NO_VERSION, blocks: text.split(" / "), parts, ...(language === undefined ? {} : { language }) };
    };
    this.deps.readVersion = async ({ body }) => versionOf(body);
    this.deps.fetchPage = async (request, secrets, _gateway, copy) => {
      const result = await fetchPage({ ...request, capture: null }, secrets);
      const { url, validators, capture } = request;
      if (validators !== null) this.conditional.push(url);
      const answer = site(url);
      const etag =
        "text" in answer
          ? answer.etag === undefined
            ? `"${answer.text}${answer.noise ?? ""}${answer.link ?? ""}"`
            : answer.etag
          : null;
      const headers: [string, string][] = [
        ["content-type", "text/html"],
        ...(etag === null ? [] : [["etag", etag] as [string, string]]),
      ];
      const head = { statusText: "OK", date: this.now, headers, requestHeaders: [] };
      const captured = (status: number, payload: Uint8Array) =>
        capture === null ? {} : { capture: captureAnswer(url, { ...head, status, payload, durationMs: 5 }, capture) };
      if (etag !== null && validators?.etag === etag) {
        const facts = {
          reason: "not-modified" as const,
          detail: "304",
          contentType: null,
          retryable: false,
          hostFailed: false,
        };
        return {
          kind: "rejected",
          ...facts,
          httpStatus: 304,
          durationMs: 5,
          retryAfterMs: null,
          ...captured(304, bytesOf("")),
        };
      }
      if (result.kind !== "page") return { ...result, ...captured(result.httpStatus ?? 0, bytesOf("no page")) };
      if (!("text" in answer)) throw new Error(`${url} changed while it was fetched`);
      const body = bytesOf(
        [answer.text, answer.noise ?? "", ...(answer.link === undefined ? [] : [answer.link])].join("\n"),
      );
      const page = {
        ...result,
        version: versionOf(body),
        body,
        sha256: sha256Of(body),
        bytes: body.byteLength,
        headers,
      };
      const fetched = capture === null || reasonToLeave(page) !== null ? page : capturePage(url, page, head, capture);
      const readStored = (stored: StoredPage) => this.deps.readVersion(stored, { url, agent: "", ignoredElements: [] });
      return copy === undefined ? fetched : withStoredVersion(fetched, copy, readStored, false);
    };
  }

  /** Starts a watch, and crawls to the end of its first crawl. */
  async watch(everyMs: number, changes: Partial<CrawlOptions> = {}): Promise<string> {
    const id = await this.start([SEED], { watch: watchOf(everyMs), ...changes });
    await this.runToEnd(id);
    return id;
  }

  /**
   * Lets this time pass, with heartbeats, and delivers what is sent meanwhile. A step of more than a tenth of the
   * watch's interval would be a rest of the machine.
   */
  async pass(ms: number, stepMs = HOUR_MS): Promise<void> {
    for (const end = this.now + ms; this.now < end; ) {
      this.now += stepMs;
      await heartbeat(this.deps);
      await this.settle();
    }
  }

  /** Delivers all messages. */
  async settle(): Promise<void> {
    for (let turns = 0; this.inMotion > 0; turns++) {
      if (turns === 1_000) throw new Error("the messages do not come to an end");
      await this.turn();
    }
  }

  async crawl(id: string) {
    const crawl = await this.deps.ledger.crawl(id);
    if (crawl === null) throw new Error("the crawl is gone");
    return crawl;
  }

  /** The changes that were told, as "kind path". */
  async told(id: string): Promise<string[]> {
    const { changes } = await this.deps.changes.list(id, { after: 0, at: 0, kinds: null, limit: 10_000 });
    return changes.map(({ kind, url }) => `${kind} ${new URL(url).pathname}`);
  }

  async visits(id: string): Promise<number> {
    return Object.values((await this.crawl(id)).visits).reduce((sum, n) => sum + (n ?? 0), 0);
  }
}

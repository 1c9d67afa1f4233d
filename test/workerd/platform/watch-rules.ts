import { expect } from "vitest";
import { LEAST_OTHERS_ALIKE } from "../../../src/changes/walls/find-wall.ts";
import type { Crawl } from "../../../src/crawl/crawl.ts";
import { compileUrlPattern } from "../../../src/scope/url-pattern.ts";
import { readStoredPage } from "../../../src/store/mirror/read-mirror.ts";
import { expectFields } from "./checks.ts";
import { textIn } from "./document-served.ts";
import type { LivingSite } from "./living-site.ts";
import type { Platform } from "./platform.ts";

/** What must hold of a watch: some of it after each transaction, the rest when its site has been quiet for a while. */

interface State extends Record<string, SqlStorageValue> {
  isWatching: number;
  changes: number;
  counted: number;
  settled: number;
  lastSeq: number | null;
  /** Changes that are there, and those that were removed because the watch keeps them no longer. */
  told: number;
  removed: number;
}

interface ToldChange extends Record<string, SqlStorageValue> {
  seq: number;
  url: string;
  kind: string;
}

const STATE = `
SELECT watching_since IS NOT NULL AS isWatching, change_seq AS changes,
  (SELECT coalesce(sum(value), 0) FROM json_each(c.visits)) AS counted,
  (SELECT coalesce(sum(visits), 0) FROM urls WHERE crawl = c.id) AS settled,
  (SELECT max(seq) FROM changes WHERE crawl = c.id) AS lastSeq, (SELECT count(*) FROM changes WHERE crawl = c.id) AS told,
  coalesce(c.notes ->> '$.removed.changes', 0) AS removed
FROM crawls c WHERE id = ?1 AND deleting_at IS NULL`;

export class WatchRules {
  /** What went wrong in a transaction. */
  readonly violations: string[] = [];
  /** Rows that a retry opened again. */
  reopened = 0;
  readonly #platform: Platform;
  readonly #crawl: string;
  /** The pages that a follower of the changes holds; null before there is anything to follow. */
  #held: Set<string> | null = null;
  #first: ReadonlySet<string> = new Set();
  #before: State | null = null;
  /** All changes, also those that were removed since. */
  readonly #changes: ToldChange[] = [];
  /** Rows that were written so far. */
  #writes = 0;

  constructor(platform: Platform, crawl: string) {
    this.#platform = platform;
    this.#crawl = crawl;
    platform.database.onRun.add(() => this.#look());
  }

  #look(): void {
    const [write] = this.#platform.database.rows<{ n: number }>("SELECT total_changes() AS n");
    if (write?.n === this.#writes) return;
    this.#writes = write?.n ?? 0;
    const [state] = this.#platform.database.rows<State>(STATE, this.#crawl);
    if (state === undefined) return;
    const before = this.#before;
    this.#before = state;
    this.#expect(
      state.changes === state.told + state.removed && (state.lastSeq ?? state.removed) === state.changes,
      () => `numbers: ${JSON.stringify(state)}`,
    );
    const news = this.#told(before?.changes ?? 0);
    this.#changes.push(...news);
    if (before !== null) {
      const visits = state.counted - before.counted;
      const rows = state.settled - before.settled;
      // A transaction either settles visits or opens rows again, which ends the visits that are under way.
      if (visits === 0 && rows > 0) this.reopened += rows;
      else this.#expect(visits === rows && visits >= 0, () => `${visits} visits were counted, and ${rows} settled`);
    }
    if (state.isWatching === 0) return;
    const there = this.#completed();
    if (this.#held === null) {
      this.#held = new Set(there);
      this.#first = new Set(there);
      return;
    }
    this.#follow(this.#held, before?.changes ?? 0, news);
    const differing = [...this.#held]
      .filter((url) => !there.has(url))
      .concat([...there].filter((url) => !this.#held?.has(url)));
    this.#expect(differing.length === 0, () => `a follower and the records differ: ${differing}`);
    for (const url of differing) if (!this.#held.delete(url)) this.#held.add(url);
  }

  #completed(): Set<string> {
    const query = "SELECT url FROM urls WHERE crawl = ?1 AND status = 'completed' AND kind = 'page'";
    return new Set(this.#platform.database.rows<{ url: string }>(query, this.#crawl).map(({ url }) => url));
  }

  /** Applies the changes after this number, as somebody who holds the pages does. */
  #follow(held: Set<string>, after: number, changes: readonly ToldChange[]): void {
    let last = after;
    for (const { seq, url, kind } of changes) {
      last += 1;
      this.#expect(seq === last, () => `number ${seq} instead of ${last}`);
      const isNew = kind === "added" || kind === "restored";
      // An error that redirects now moved, too.
      this.#expect(
        isNew !== held.has(url) || kind === "moved",
        () => `${seq} ${kind} ${url}: it was${isNew ? "" : " not"} there`,
      );
      if (kind === "added" || kind === "restored") held.add(url);
      else if (kind !== "changed") held.delete(url);
    }
  }

  #expect(holds: boolean, what: () => string): void {
    if (!holds && this.violations.length < 10) this.violations.push(`${this.#platform.time.now()}: ${what()}`);
  }

  /**
   * The ledger shows the site as it has been for a while: what stayed was told, and each page was visited in the last
   * `answeringMs`; what is no page, which is asked for ever less while it fails, in the last `goneMs`.
   */
  async expectTrue(site: LivingSite, most: { answeringMs: number; goneMs: number }): Promise<void> {
    const { database, time, hook } = this.#platform;
    const rows = database.rows<{ url: string; status: string; reason: string | null; lastAt: number }>(
      `SELECT url, status, reason, coalesce(visited_at, fetched_at) AS lastAt, visit_at, visits, visit_failures, missing_at
       FROM urls WHERE crawl = ?1 AND kind = 'page'`,
      this.#crawl,
    );
    const byUrl = new Map(rows.map((row) => [row.url, row]));
    const now = time.wall.now();
    const crawl = await this.#platform.reader.ledger.crawl(this.#crawl);
    if (crawl === null) throw new Error("the crawl is gone");
    for (const row of rows) {
      const { url, status, reason, lastAt } = row;
      // What robots.txt or a limit left out is not visited.
      if (status === "disallowed" || (status === "skipped" && reason === "limit")) continue;
      // Nor what the hook dropped when it was new.
      if (status === "skipped" && reason === "hook") {
        expect([url, hook?.drops(url)]).toEqual([url, true]);
        continue;
      }
      const ageMs = now - lastAt;
      const mostMs = status === "completed" ? most.answeringMs : most.goneMs;
      if (ageMs > mostMs || ageMs < 0)
        expect.fail(`${url} was visited ${ageMs} ms ago, at most ${mostMs}: ${JSON.stringify(row)}`);
      const state = site.stateOf(url);
      if (state === null || state.kind === "broken") continue;
      // Where others of its host lead to the same page, it is held as a wall for up to two weeks (docs/watch.md).
      if (state.kind === "moved" && status === "completed" && site.countAlike(url) >= LEAST_OTHERS_ALIKE) continue;
      const isStored = state.kind === "page" && hook?.keepsOut(url) !== true && isSaved(crawl, url);
      expect(status === "completed", `${url} is a ${state.kind}: ${JSON.stringify(row)}`).toBe(isStored);
      if (!isStored) continue;
      expect(await this.#read(() => readStoredPage(crawl, url, this.#platform.reader)), url).toBe(state.text);
      await expectFields(this.#platform, crawl.id, { url, text: state.text });
    }
    // The first page lists all.
    const home = byUrl.get(site.home);
    if (home?.status === "completed" || home?.reason === "not-saved")
      for (const url of site.pages.keys()) {
        expect([url, byUrl.has(url)]).toEqual([url, hook?.refuses(url) !== true]);
      }
  }

  /**
   * Each version of a page is a text that it had, in the order in which it had them, and each was told once; and each
   * pack that a row names is there. `isAllKept`: no old version was removed. `isInOrder`: no clock was set back.
   */
  async expectVersions(site: LivingSite, { isAllKept, isInOrder }: { isAllKept: boolean; isInOrder: boolean }) {
    const { reader } = this.#platform;
    this.#expectPacks();
    const crawl = await reader.ledger.crawl(this.#crawl);
    if (crawl === null) throw new Error("the crawl is gone");
    const told = Object.groupBy(this.#changes, ({ url }) => url);
    for (const [url, { texts }] of site.pages) {
      const changes = (told[url] ?? [])
        .map(({ kind }) => kind)
        .filter((kind) => kind !== "moved" && kind !== "removed");
      const said: number[] = [];
      for (const { packed, redirectTo } of await reader.mementos.list(crawl.id, url, { from: 0, limit: 1_000 })) {
        if (redirectTo !== null) continue;
        const row = packed === null ? null : { ...packed, contentType: "text/html" };
        const text = await this.#read(() => readStoredPage(crawl, url, reader, row));
        expect(texts, url).toContain(text);
        said.push(texts.indexOf(text ?? ""));
      }
      if (this.#platform.hook?.keepsOut(url) || !isSaved(crawl, url))
        expect([url, said, told[url] ?? []]).toEqual([url, [], []]);
      const first = this.#first.has(url) ? 1 : 0;
      if (isAllKept) expect([url, said.length, changes]).toEqual([url, first + changes.length, changes]);
      if (!isInOrder) continue;
      expect(said, url).toEqual(said.toSorted((a, b) => a - b));
      // Whoever comes back may say what it said before.
      const same = said.filter((text, i) => text === said[i - 1]).length;
      expect(same, `${url}: ${said} ${changes}`).toBeLessThanOrEqual(
        changes.filter((kind) => kind !== "changed").length,
      );
    }
  }

  #expectPacks(): void {
    const { database, bucket } = this.#platform;
    const named = { urls: "pack", versions: "pack", answers: "pack", sitemaps: "links_pack" };
    const query = Object.entries(named)
      .map(([table, pack]) => `SELECT ${pack} AS pack FROM ${table} WHERE crawl = ?1 AND ${pack} IS NOT NULL`)
      .join(" UNION ");
    const keys = [...bucket.objects.keys()].filter((key) => key.startsWith(this.#crawl));
    for (const { pack } of database.rows<{ pack: string }>(query, this.#crawl))
      expect(
        keys.some((key) => key.includes(pack)),
        `the pack ${pack}`,
      ).toBe(true);
  }

  #told(after: number): ToldChange[] {
    const query = "SELECT seq, url, kind FROM changes WHERE crawl = ?1 AND seq > ?2 ORDER BY seq";
    return this.#platform.database.rows(query, this.#crawl, after);
  }

  /** What a stored page says. */
  async #read(read: () => ReturnType<typeof readStoredPage>): Promise<string | null> {
    const page = await read();
    return page === null ? null : textIn(page.body);
  }
}

function isSaved({ options: { savePatterns } }: Crawl, url: string): boolean {
  return savePatterns.length === 0 || savePatterns.some((pattern) => compileUrlPattern(pattern)(url));
}

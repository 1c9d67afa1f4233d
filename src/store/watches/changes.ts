import type { Crawl, CrawlUrl } from "../../crawl/crawl.ts";
import type { FieldChange } from "../../crawl/page/page-fields.ts";
import type { DeltaRecord } from "../../crawl/watch/delta.ts";
import { MOST_COUNTED } from "../../crawl/watch/survey.ts";
import type { Change, ChangeKind, TitledChange } from "../../crawl/watch/watch.ts";
import { hasLargeFields, URL_COLUMNS } from "../ledger/fact-columns.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";

/** Reads what a watch told, in the order in which it noticed it. */

interface ChangesRequest {
  /** The number of the change before the first one; 0 for all. */
  after: number;
  /** Only changes from this time on: milliseconds since the epoch. */
  at: number;
  /** Null for all kinds. */
  kinds: ChangeKind[] | null;
  limit: number;
}

/** Changes from one number to another. */
interface DeltaRange {
  /** The last change that the reader of the delta knows. */
  since: number;
  /** The range begins after this change. */
  after: number;
  /** The range ends with this change. */
  until: number;
}

interface NewestRequest {
  /** Only changes before this number. */
  before: number;
  /** Null for all kinds. */
  kinds: ChangeKind[] | null;
  limit: number;
}

/** From a time on, and until before another. Milliseconds since the epoch. */
export interface TimeSpan {
  from: number;
  until: number;
}

/** A column of the first change of the URL that the reader does not know. */
const firstOf = (column: "kind" | "at") => `(SELECT f.${column} FROM changes f INDEXED BY changes_by_url
    WHERE f.crawl = ?1 AND f.url = c.url AND f.seq > ?2 ORDER BY f.seq LIMIT 1)`;

/**
 * A URL with a later change is left out: a delta tells it once, with that change. `first`: the first change that the
 * reader does not know.
 */
const LATEST = `
SELECT ${URL_COLUMNS}, first, firstAt FROM (
  SELECT u.*, c.seq AS told, ${firstOf("kind")} AS first, ${firstOf("at")} AS firstAt
  FROM changes c CROSS JOIN urls u ON u.crawl = ?1 AND u.url = c.url
  WHERE c.crawl = ?1 AND c.seq > ?3 AND c.seq <= ?4
    AND NOT EXISTS (SELECT 1 FROM changes l INDEXED BY changes_by_url WHERE l.crawl = ?1 AND l.url = c.url AND l.seq > c.seq))
ORDER BY told`;

/** The title of the page of a change. One that is gone has its last. */
export const TITLE = `coalesce(u.title,
  (SELECT v.title FROM versions v WHERE v.crawl = u.crawl AND v.url = u.url ORDER BY v.fetched_at DESC LIMIT 1)) AS title`;

/** A change as a row has it. */
export type StoredChange<T extends Change = Change> = Omit<T, "fields" | "backTo"> & {
  fields: string | null;
  backTo: number | null;
};

export function toChange<T extends Change>({ fields, backTo, ...change }: StoredChange<T>): T {
  const changed = fields === null ? {} : { fields: JSON.parse(fields) as FieldChange[] };
  return { ...change, ...changed, ...(backTo === null ? {} : { backTo }) } as unknown as T;
}

/** Rows of other kinds or times that one request passes over. */
const MOST_PASSED = 10_000;

export class Changes extends LedgerStore {
  /**
   * `cursor`: the number of the last change that was looked at. A change has its number in the order of the commits, so
   * no earlier number comes later.
   */
  async list(
    crawl: string,
    { after, at, kinds, limit }: ChangesRequest,
  ): Promise<{ changes: Change[]; cursor: number; hasMore: boolean }> {
    const query = `
      SELECT seq, url, kind, at, detail, fields, back_to AS backTo, at >= ?3 AND (?4 IS NULL OR kind IN (SELECT value FROM json_each(?4))) AS isWanted
      FROM changes WHERE crawl = ?1 AND seq > ?2 ORDER BY seq LIMIT ?5`;
    const list = kinds === null ? null : JSON.stringify(kinds);
    const most = kinds === null && at === 0 ? limit + 1 : MOST_PASSED;
    const results = await this.all<StoredChange & { isWanted: number }>(query, [crawl, after, at, list, most]);
    const changes: Change[] = [];
    let cursor = after;
    for (const { isWanted, ...change } of results) {
      if (changes.length === limit) return { changes, cursor, hasMore: true };
      cursor = change.seq;
      if (isWanted === 1) changes.push(toChange(change));
    }
    return { changes, cursor, hasMore: results.length === most };
  }

  /** The newest changes, the newest first. */
  async newest(crawl: string, { before, kinds, limit }: NewestRequest): Promise<TitledChange[]> {
    const query = `
      SELECT c.seq, c.url, c.kind, c.at, c.detail, c.fields, c.back_to AS backTo, ${TITLE}
      FROM changes c LEFT JOIN urls u ON u.crawl = c.crawl AND u.url = c.url
      WHERE c.crawl = ?1 AND c.seq < ?2 AND (?3 IS NULL OR c.kind IN (SELECT value FROM json_each(?3)))
      ORDER BY c.seq DESC LIMIT ?4`;
    const results = await this.all<StoredChange<TitledChange>>(query, [
      crawl,
      before,
      kinds === null ? null : JSON.stringify(kinds),
      limit,
    ]);
    return results.map(toChange);
  }

  /** The newest changes by kind: one range of at most 10,000 rows. `changes`: the number of the last one. */
  async countKinds({ id, changes }: Pick<Crawl, "id" | "changes">): Promise<Partial<Record<ChangeKind, number>>> {
    const results = await this.all<{ kind: ChangeKind; n: number }>(
      "SELECT kind, count(*) AS n FROM changes WHERE crawl = ?1 AND seq > ?2 GROUP BY kind",
      [id, changes - MOST_COUNTED],
    );
    return Object.fromEntries(results.map(({ kind, n }) => [kind, n]));
  }

  /** The changes of these times among the newest 10,000, the oldest first. `changes`: the number of the last one. */
  async between({ id, changes }: Pick<Crawl, "id" | "changes">, { from, until }: TimeSpan): Promise<Change[]> {
    const query = `
      SELECT seq, url, kind, at, detail, fields, back_to AS backTo FROM changes
      WHERE crawl = ?1 AND seq > ?2 AND at >= ?3 AND at < ?4 ORDER BY seq`;
    return (await this.all<StoredChange>(query, [id, changes - MOST_PASSED, from, until])).map(toChange);
  }

  /** Whether all changes after this number are there. False for a number that is still to come. */
  async hasAllAfter(crawl: string, seq: number): Promise<boolean> {
    const query = `
      SELECT ?2 = change_seq OR EXISTS (SELECT 1 FROM changes WHERE crawl = ?1 AND seq = ?2 + 1) AS has
      FROM crawls WHERE id = ?1`;
    return (await this.value("has", query, [crawl, seq])) === 1;
  }

  /** The number of the `most`-th of these changes whose page has fields in a pack; null if there are fewer. */
  async endOfLargeFields(
    crawl: string,
    { after, until }: Pick<DeltaRange, "after" | "until">,
    most: number,
  ): Promise<number | null> {
    return this.value(
      "seq",
      `SELECT c.seq FROM changes c CROSS JOIN urls u ON u.crawl = ?1 AND u.url = c.url
         WHERE c.crawl = ?1 AND c.seq > ?2 AND c.seq <= ?3 AND ${hasLargeFields("u.fields")} ORDER BY c.seq LIMIT 1 OFFSET ?4`,
      [crawl, after, until, most - 1],
    );
  }

  /** The pages of these changes as they are now, each once, in the order of their changes. */
  async latest(crawl: string, { since, after, until }: DeltaRange): Promise<DeltaRecord[]> {
    const results = await this.all<Omit<DeltaRecord, "change">>(LATEST, [crawl, since, after, until]);
    return results.map((record) => ({ ...record, change: changeOf(record, record.first) }));
  }
}

/** Whoever follows has a page whose first change does not bring it, and replaces it. */
function changeOf({ status }: CrawlUrl, first: ChangeKind): DeltaRecord["change"] {
  if (status !== "completed") return "removed";
  return first === "added" || first === "restored" ? "added" : "changed";
}

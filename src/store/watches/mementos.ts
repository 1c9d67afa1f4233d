import type { KeptVersion } from "../../crawl/page/kept-version.ts";
import type { PackedPage } from "../../crawl/page/outcome.ts";
import type { Reason } from "../../crawl/page/reason.ts";
import { redirectTarget } from "../../crawl/page/redirect-target.ts";
import type { UrlKind } from "../../crawl/page/url-kind.ts";
import type { Memento } from "../../crawl/watch/memento.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";

/** Reads the mementos of a URL in one crawl, and of them the versions of a page, in the order of their times. */

interface MementoRow {
  time: number;
  httpStatus: number;
  kind: UrlKind;
  reason: Reason | null;
  detail: string | null;
  contentType: string;
  pack: string | null;
  offset: number | null;
  length: number | null;
  revisits: string | null;
  contentOffset: number | null;
  contentLength: number | null;
  sha256: string | null;
}

/** `digest`: the column of the table that has it. */
const placeIn = (
  digest: "body_sha256" | "sha256",
) => `pack, pack_offset AS offset, pack_length AS length, revisits, content_offset AS contentOffset,
  content_length AS contentLength, ${digest} AS sha256, coalesce(content_type, 'text/html') AS contentType`;

const OF_ROW = placeIn("body_sha256");
const OF_VERSION = placeIn("sha256");

/**
 * All mementos of a URL: its earlier versions, and its row, which has the current one. The queries below read them by
 * time.
 */
const MEMENTOS = `
SELECT fetched_at AS time, coalesce(http_status, 200) AS httpStatus, kind, reason, detail, ${OF_ROW}
FROM urls
WHERE crawl = ?1 AND url = ?2 AND fetched_at IS NOT NULL
  AND (status = 'completed' OR (status = 'skipped' AND reason = 'redirected'))
UNION ALL
SELECT fetched_at, coalesce(http_status, 200), (SELECT kind FROM urls WHERE crawl = ?1 AND url = ?2), NULL, NULL, ${OF_VERSION}
FROM versions WHERE crawl = ?1 AND url = ?2`;

/** What it said: no redirects. The row of `urls` has the current version, unless the page is gone. */
const VERSIONS = `
SELECT fetched_at AS fetchedAt, title, ${OF_ROW} FROM urls
WHERE crawl = ?1 AND url = ?2 AND status = 'completed' AND fetched_at IS NOT NULL
UNION ALL SELECT fetched_at, title, ${OF_VERSION} FROM versions WHERE crawl = ?1 AND url = ?2`;

const IN_FORCE = `SELECT * FROM (${VERSIONS}) WHERE fetchedAt <= ?3 ORDER BY fetchedAt DESC LIMIT 1`;
const AFTER = `SELECT * FROM (${VERSIONS}) WHERE fetchedAt > ?3 ORDER BY fetchedAt LIMIT 1`;

const FROM = `SELECT * FROM (${VERSIONS}) WHERE fetchedAt >= ?3 ORDER BY fetchedAt LIMIT ?4`;

const LIST = `SELECT * FROM (${MEMENTOS}) WHERE time >= ?3 ORDER BY time LIMIT ?4`;

const AROUND = `
SELECT * FROM (SELECT * FROM (${MEMENTOS}) ORDER BY time LIMIT 1)
UNION SELECT * FROM (SELECT * FROM (${MEMENTOS}) WHERE time <= ?3 ORDER BY time DESC LIMIT 2)
UNION SELECT * FROM (SELECT * FROM (${MEMENTOS}) WHERE time > ?3 ORDER BY time LIMIT 2)
UNION SELECT * FROM (SELECT * FROM (${MEMENTOS}) ORDER BY time DESC LIMIT 1)
ORDER BY time`;

export class Mementos extends LedgerStore {
  /** At most `limit` mementos, from the time `from` on, in milliseconds since the Unix epoch. */
  async list(crawl: string, url: string, { from, limit }: { from: number; limit: number }): Promise<Memento[]> {
    const results = await this.all<MementoRow>(LIST, [crawl, url, from, limit]);
    return results.flatMap(toMemento);
  }

  /**
   * At most six mementos, from which `mementoAt` chooses the same as from all of them: the first, the last, two up to
   * `time` and two after it.
   */
  async around(crawl: string, url: string, time: number): Promise<Memento[]> {
    const results = await this.all<MementoRow>(AROUND, [crawl, url, time]);
    return results.flatMap(toMemento);
  }

  /** The newest version that was fetched until this time; null if there is none. `url`: canonical. */
  async versionInForce(crawl: string, url: string, time: number): Promise<KeptVersion | null> {
    return this.#version(IN_FORCE, crawl, url, time);
  }

  /** The oldest version that was fetched after this time; null if there is none. */
  async versionAfter(crawl: string, url: string, time: number): Promise<KeptVersion | null> {
    return this.#version(AFTER, crawl, url, time);
  }

  /** At most `limit` versions that were fetched from this time on, the oldest first. */
  async versionsFrom(crawl: string, url: string, time: number, limit: number): Promise<KeptVersion[]> {
    const results = await this.all<VersionRow>(FROM, [crawl, url, time, limit]);
    return results.map(toVersion);
  }

  async #version(query: string, crawl: string, url: string, time: number): Promise<KeptVersion | null> {
    const row = await this.first<VersionRow>(query, [crawl, url, time]);
    return row === null ? null : toVersion(row);
  }
}

type VersionRow = Omit<KeptVersion, "packed"> & Omit<PackedPage, "pack"> & { pack: string | null };

function toVersion({ fetchedAt, title, contentType, sha256, pack, ...place }: VersionRow): KeptVersion {
  return { fetchedAt, title, contentType, sha256, packed: pack === null ? null : { pack, ...place } };
}

function toMemento({ time, httpStatus, kind, reason, detail, pack, ...place }: MementoRow): Memento[] {
  const redirectTo = redirectTarget({ reason, detail });
  // Its target cannot be read.
  if (reason === "redirected" && redirectTo === null) return [];
  return [{ time, httpStatus, kind, redirectTo, packed: pack === null ? null : { pack, ...place } }];
}

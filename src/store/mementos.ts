import type { Memento } from "../crawl/memento.ts";
import type { Reason } from "../crawl/reason.ts";
import { redirectTarget } from "../crawl/redirect-target.ts";
import type { UrlKind } from "../crawl/url-kind.ts";

/** Reads the mementos of a URL in one crawl, in the order of their times. */

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
}

/** All mementos of a URL: its row, which has the answer of the last visit. The queries below read it by time. */
const MEMENTOS = `
SELECT fetched_at AS time, coalesce(http_status, 200) AS httpStatus, kind, reason, detail,
  coalesce(content_type, 'text/html') AS contentType, pack, pack_offset AS offset, pack_length AS length, revisits,
  content_offset AS contentOffset, content_length AS contentLength
FROM urls
WHERE crawl = ?1 AND url = ?2 AND fetched_at IS NOT NULL
  AND (status = 'completed' OR (status = 'skipped' AND reason = 'redirected'))`;

const LIST = `SELECT * FROM (${MEMENTOS}) WHERE time >= ?3 ORDER BY time LIMIT ?4`;

const AROUND = `
SELECT * FROM (SELECT * FROM (${MEMENTOS}) ORDER BY time LIMIT 1)
UNION SELECT * FROM (SELECT * FROM (${MEMENTOS}) WHERE time <= ?3 ORDER BY time DESC LIMIT 2)
UNION SELECT * FROM (SELECT * FROM (${MEMENTOS}) WHERE time > ?3 ORDER BY time LIMIT 2)
UNION SELECT * FROM (SELECT * FROM (${MEMENTOS}) ORDER BY time DESC LIMIT 1)
ORDER BY time`;

export class Mementos {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /** At most `limit` mementos, from the time `from` on, in milliseconds since the Unix epoch. */
  async list(crawl: string, url: string, { from, limit }: { from: number; limit: number }): Promise<Memento[]> {
    const { results } = await this.#db.prepare(LIST).bind(crawl, url, from, limit).all<MementoRow>();
    return results.flatMap(toMemento);
  }

  /**
   * At most six mementos, from which `mementoAt` chooses the same as from all of them: the first, the last, two up to
   * `time` and two after it.
   */
  async around(crawl: string, url: string, time: number): Promise<Memento[]> {
    const { results } = await this.#db.prepare(AROUND).bind(crawl, url, time).all<MementoRow>();
    return results.flatMap(toMemento);
  }
}

function toMemento({ time, httpStatus, kind, reason, detail, pack, ...place }: MementoRow): Memento[] {
  const redirectTo = redirectTarget({ reason, detail });
  // Its target cannot be read.
  if (reason === "redirected" && redirectTo === null) return [];
  return [{ time, httpStatus, kind, redirectTo, packed: pack === null ? null : { pack, ...place } }];
}

import type { DatabaseRoom, Deletable, RoomLevel } from "../../crawl/bounds/database-room.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";

/** What the database knows of its own size, what to delete from it, and what the operator was told of it. */

/** Bytes that are given up when the database refuses to grow. */
const RESERVE_BYTES = 131_072;

/** What a crawl has in the mirror, in bytes: packs are compressed, to about a quarter (docs/cost.md). */
const MIRRORED = "iif(options ->> '$.store' = 'files', bytes, bytes / 4)";

/**
 * A crawl's share of the database, in no unit: a row with its indexes takes some 700 bytes (docs/scale.md), and the
 * search index about half as much as the pages' HTML (docs/search.md).
 */
const WEIGHT = "discovered * 700 + iif(options ->> '$.search', bytes / 2, 0)";

export class RoomNotes extends LedgerStore {
  /** A query that does nothing: its result says how large the database is. */
  async look(): Promise<void> {
    await this.run("SELECT 1");
  }

  /** The number of crawls that run, are paused, or watch. It says how large the database is, too. */
  async countUnderWay(): Promise<number> {
    const query =
      "SELECT count(*) AS n FROM crawls WHERE status IN ('running', 'paused', 'watching') AND deleting_at IS NULL";
    return (await this.value<number>("n", query)) ?? 0;
  }

  /**
   * The crawls whose deletion would free most, those that have ended first. Where a disk is the limit, what they have
   * in the mirror counts too.
   */
  async largest({ bytes, diskFreeBytes }: DatabaseRoom, most: number): Promise<Deletable[]> {
    return this.all<Deletable>(
      `SELECT id, ?1 * weight / sum(weight) OVER () + mirrored AS bytes FROM (
           SELECT id, iif(?3, ${MIRRORED}, 0) AS mirrored, status IN ('running', 'paused', 'watching') AS isOpen, 1.0 * (${WEIGHT}) AS weight
           FROM crawls WHERE deleting_at IS NULL)
         WHERE weight > 0 ORDER BY isOpen, weight + mirrored DESC, id LIMIT ?2`,
      [bytes, most, diskFreeBytes === null ? 0 : 1],
    );
  }

  /** The crawls that are under way, with or without watches whose first crawl has ended. */
  async underWay(withWatches: boolean): Promise<string[]> {
    const results = await this.all<{ id: string }>(
      `SELECT id FROM crawls WHERE status IN ('running', 'watching') AND (?1 OR watching_since IS NULL)
           AND deleting_at IS NULL ORDER BY id`,
      [withWatches ? 1 : 0],
    );
    return results.map(({ id }) => id);
  }

  /** Puts the reserve back, if it was given up. */
  async keepReserve(): Promise<void> {
    await this.run(`INSERT INTO room_reserve (id, room) VALUES (1, zeroblob(${RESERVE_BYTES})) ON CONFLICT DO NOTHING`);
  }

  /** Gives the reserve up: its pages are free for what is written next. */
  async releaseReserve(): Promise<void> {
    await this.run("DELETE FROM room_reserve");
  }

  /** What the operator was told last, and how often something was told. */
  async told(): Promise<{ level: RoomLevel; count: number }> {
    const row = await this.first<{ level: RoomLevel; count: number }>("SELECT level, count FROM room_alarm");
    return row ?? { level: "room", count: 0 };
  }

  /** Notes what the operator was told. `count`: how often something had been told before. */
  async noteTold(level: RoomLevel, count: number): Promise<void> {
    await this.run(
      `INSERT INTO room_alarm (id, level, count) VALUES (1, ?1, ?2 + 1)
         ON CONFLICT DO UPDATE SET level = ?1, count = ?2 + 1 WHERE count = ?2`,
      [level, count],
    );
  }
}

import { readOptions } from "../../crawl/crawl-options.ts";
import type { Schedule } from "../../crawl/watch/crawl-schedule.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";
import { IN_OPEN } from "../ledger/open-crawls.ts";

/**
 * Schedules start crawls. The heartbeat asks which schedules are due.
 *
 * A crawl in the same database begins in the transaction that claims the schedule's run. For one in another ledger, the
 * claim names its id in `starting`, then the crawl is made under that id, then `starting` is cleared. An interruption
 * in between leaves `starting`, and the next heartbeat makes the same crawl, unless it is there.
 */

type ScheduleRow = Omit<Schedule, "options"> & { options: string };

/** A run of a schedule that is claimed: the schedule is due at `dueAt`, and the next time at `nextAt`. */
export interface ScheduleRun {
  id: string;
  dueAt: number;
  nextAt: number;
}

/** A schedule for which the heartbeat has something to do. */
export interface DueSchedule extends Schedule {
  /** Whether its last crawl still runs, if that is in the first ledger. */
  busy: boolean;
  /** The id of a crawl that was claimed and is perhaps not made yet; null for none. */
  starting: string | null;
}

const COLUMNS = `id, cron, options, modified_within_s AS modifiedWithinS, created_at AS createdAt, next_at AS nextAt, last_crawl_id AS lastCrawlId,
  last_started_at AS lastStartedAt`;

function toSchedule(row: ScheduleRow): Schedule {
  return { ...row, options: readOptions(row.options) };
}

export class Schedules extends LedgerStore {
  async add(schedule: Omit<Schedule, "lastCrawlId" | "lastStartedAt">): Promise<void> {
    await this.run(
      "INSERT INTO schedules (id, cron, options, created_at, next_at, modified_within_s) VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING",
      [
        schedule.id,
        schedule.cron,
        JSON.stringify(schedule.options),
        schedule.createdAt,
        schedule.nextAt,
        schedule.modifiedWithinS,
      ],
    );
  }

  async list(): Promise<Schedule[]> {
    const results = await this.all<ScheduleRow>(`SELECT ${COLUMNS} FROM schedules ORDER BY created_at`);
    return results.map(toSchedule);
  }

  /** False if the id is unknown. The crawls that the schedule started stay. */
  async remove(id: string): Promise<boolean> {
    return (await this.run("DELETE FROM schedules WHERE id = ?1", [id])).meta.changes > 0;
  }

  /** The schedules that are due by `now`, and those whose claimed crawl may not be made yet. */
  async due(now: number): Promise<DueSchedule[]> {
    const results = await this.all<ScheduleRow & { busy: number; starting: string | null }>(
      `SELECT ${COLUMNS}, starting, EXISTS (
           SELECT 1 FROM crawls c WHERE c.id = schedules.last_crawl_id AND c.status ${IN_OPEN}) AS busy
         FROM schedules WHERE next_at <= ?1 OR starting IS NOT NULL`,
      [now],
    );
    return results.map(({ starting, ...row }) => ({ ...toSchedule(row), busy: row.busy === 1, starting }));
  }

  /** Claims a run for the crawl with this id, which is made next in another ledger. False if it was claimed already. */
  async claim({ id, dueAt, nextAt }: ScheduleRun, crawl: string, now: number): Promise<boolean> {
    const [, row] = await this.db.batch<{ starting: string | null }>([
      this.statement(
        `UPDATE schedules SET next_at = ?3, last_crawl_id = ?4, last_started_at = ?5, starting = ?4
           WHERE id = ?1 AND next_at = ?2 AND starting IS NULL`,
        [id, dueAt, nextAt, crawl, now],
      ),
      // A retried claim changes nothing.
      this.statement("SELECT starting FROM schedules WHERE id = ?1", [id]),
    ]);
    return row?.results[0]?.starting === crawl;
  }

  /** The claimed crawl is made. */
  async noteStarted(id: string, crawl: string): Promise<void> {
    await this.run("UPDATE schedules SET starting = NULL WHERE id = ?1 AND starting = ?2", [id, crawl]);
  }

  /** Skips a run. Has no effect if the run was already claimed. */
  async skip(id: string, dueAt: number, nextAt: number): Promise<void> {
    await this.run("UPDATE schedules SET next_at = ?3 WHERE id = ?1 AND next_at = ?2", [id, dueAt, nextAt]);
  }
}

import { readOptions } from "../../crawl/crawl-options.ts";
import type { Schedule } from "../../crawl/watch/crawl-schedule.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";

/** Schedules start crawls. The heartbeat asks which schedules are due. */

type ScheduleRow = Omit<Schedule, "options"> & { options: string };

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

  /** The schedules that are due by `now`, each with whether its last crawl still runs. */
  async due(now: number): Promise<(Schedule & { busy: boolean })[]> {
    const results = await this.all<ScheduleRow & { busy: number }>(
      `SELECT ${COLUMNS}, EXISTS (
           SELECT 1 FROM crawls c WHERE c.id = schedules.last_crawl_id AND c.status IN ('running', 'paused', 'watching')) AS busy
         FROM schedules WHERE next_at <= ?1`,
      [now],
    );
    return results.map((row) => ({ ...toSchedule(row), busy: row.busy === 1 }));
  }

  /** Skips a run. Has no effect if the run was already claimed. */
  async skip(id: string, dueAt: number, nextAt: number): Promise<void> {
    await this.run("UPDATE schedules SET next_at = ?3 WHERE id = ?1 AND next_at = ?2", [id, dueAt, nextAt]);
  }
}

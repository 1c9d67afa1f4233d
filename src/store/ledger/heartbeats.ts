import { LedgerStore } from "./ledger-store.ts";

/** The report of a heartbeat. It shows people that the heartbeat runs. */

/** A row each minute costs half a dollar a year. An alarm waits for five minutes (docs/operating.md). */
const NOTED_EVERY_MS = 150_000;

export class Heartbeats extends LedgerStore {
  /** One in three is noted, and each that failed in something or follows one that did. */
  async note(report: object, now: number): Promise<void> {
    await this.run(
      `INSERT INTO heartbeats (id, at, report) VALUES (1, ?1, ?2) ON CONFLICT (id) DO UPDATE SET at = ?1, report = ?2
       WHERE abs(?1 - at) >= ?3 OR report ->> '$.failed' <> '[]' OR excluded.report ->> '$.failed' <> '[]'`,
      [now, JSON.stringify(report), NOTED_EVERY_MS],
    );
  }

  /** Null if none was noted yet. */
  async last(): Promise<{ at: string; report: unknown } | null> {
    const row = await this.first<{ at: number; report: string }>("SELECT at, report FROM heartbeats");
    return row === null ? null : { at: new Date(row.at).toISOString(), report: JSON.parse(row.report) };
  }
}

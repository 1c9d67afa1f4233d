import { LedgerStore } from "./ledger-store.ts";

/** The report of the last heartbeat. It shows people that the heartbeat runs. */

export class Heartbeats extends LedgerStore {
  async note(report: object, now: number): Promise<void> {
    await this.run(
      "INSERT INTO heartbeats (id, at, report) VALUES (1, ?1, ?2) ON CONFLICT (id) DO UPDATE SET at = ?1, report = ?2",
      [now, JSON.stringify(report)],
    );
  }

  /** Null if there was no heartbeat yet. */
  async last(): Promise<{ at: string; report: unknown } | null> {
    const row = await this.first<{ at: number; report: string }>("SELECT at, report FROM heartbeats");
    return row === null ? null : { at: new Date(row.at).toISOString(), report: JSON.parse(row.report) };
  }
}

import type { Usage } from "../../crawl/bounds/usage.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";
import { sumOfUsages } from "./usage-sql.ts";

/** The platform usage of the installation besides its crawls: reading, schedules, the heartbeat. One row. */

const ADD = `
INSERT INTO installation (id, usage, since) VALUES (1, ?1, ?2)
ON CONFLICT (id) DO UPDATE SET usage = ${sumOfUsages("installation.usage", "excluded.usage")}`;

export class InstallationUsage extends LedgerStore {
  async add(usage: Usage, now: number): Promise<void> {
    await this.run(ADD, [JSON.stringify(usage), now]);
  }

  /** `since`: milliseconds since the Unix epoch. Null if nothing has been counted. */
  async read(): Promise<{ usage: Usage; since: number } | null> {
    const row = await this.first<{ usage: string; since: number }>("SELECT usage, since FROM installation");
    return row === null ? null : { usage: JSON.parse(row.usage) as Usage, since: row.since };
  }
}

import { LedgerStore } from "../ledger/ledger-store.ts";

/** Counts the second looks of a watch at a host by day, so that none is sent beyond a limit, whoever sends it. */
export class SecondLooks extends LedgerStore {
  /**
   * Takes one of the `most` second looks of a day; false if all are taken. The host must have a template. `day`: days
   * since 1970.
   */
  async take(crawl: string, host: string, day: number, most: number): Promise<boolean> {
    const taken = await this.statement(
      `UPDATE templates SET looks = iif(look_day = ?3, looks, 0) + 1, look_day = ?3
         WHERE crawl = ?1 AND host = ?2 AND (look_day IS NOT ?3 OR looks < ?4)`,
      [crawl, host, day, most],
    ).run();
    return taken.meta.changes > 0;
  }
}

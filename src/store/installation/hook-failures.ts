import { LedgerStore } from "../ledger/ledger-store.ts";

/** How many batches of a crawl failed in a row because the installation's hook failed. */
export class HookFailures extends LedgerStore {
  /** Counts another batch of each crawl. Returns their numbers by crawl. */
  async count(crawls: readonly string[]): Promise<Map<string, number>> {
    const results = await this.all<{ id: string; failures: number }>(
      `UPDATE crawls SET hook_failures = hook_failures + 1 WHERE id IN (SELECT value FROM json_each(?1))
         RETURNING id, hook_failures AS failures`,
      [JSON.stringify(crawls)],
    );
    return new Map(results.map(({ id, failures }) => [id, failures]));
  }

  async clear(crawls: readonly string[]): Promise<void> {
    await this.run(
      "UPDATE crawls SET hook_failures = 0 WHERE id IN (SELECT value FROM json_each(?1)) AND hook_failures > 0",
      [JSON.stringify(crawls)],
    );
  }
}

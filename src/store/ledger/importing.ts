import type { CrawlOptions } from "../../crawl/crawl-options.ts";
import type { ImportedArchive, LeftOut } from "../../crawl/imported-archive.ts";
import type { UrlKind } from "../../crawl/page/url-kind.ts";
import { type Advance, planAdvance } from "./advance.ts";
import { STALL_AFTER_MS } from "./ledger.ts";
import { LedgerStore } from "./ledger-store.ts";
import { nameTransaction, runPlan } from "./plan.ts";

/**
 * Crawls whose answers come from an archive. Such a crawl is paused until all of them are there: so no message is sent
 * for its URLs, the heartbeat leaves it alone, and nothing ends it. Its rows are queued when their answers come, and
 * the commit that follows settles them as it does those of other crawls.
 */

export interface NewImport {
  id: string;
  options: CrawlOptions;
  hosts: string[];
  imported: ImportedArchive;
  now: number;
}

/** A URL whose answer has come. */
export interface ImportedUrl {
  url: string;
  kind: UrlKind;
  via: string | null;
  depth: number;
  priority: number;
  chain: number;
}

const OPEN_IMPORT = "id = ?1 AND status = 'paused' AND purpose = 'import' AND deleting_at IS NULL";

const BEGIN = `
INSERT INTO crawls (id, status, options, hosts, created_at, updated_at, started_at, wake_at, page_limit, max_queued, dry_run,
  retention_days, purpose, imported)
VALUES (?1, 'paused', ?2, ?3, ?4, ?4, ?4, ?5, ?6, ?7, 0, 0, 'import', ?8)
ON CONFLICT DO NOTHING`;

const COUNT_NEW = `
WITH n AS (
  SELECT count(*) AS fresh, coalesce(sum(j.value ->> 'kind' = 'asset'), 0) AS assets FROM json_each(?2) j
  WHERE NOT EXISTS (SELECT 1 FROM urls u WHERE u.crawl = ?1 AND u.url = j.value ->> 'url')
)
UPDATE crawls SET discovered = discovered + n.fresh, queued = queued + n.fresh, assets_queued = assets_queued + n.assets,
  tx_fresh = n.fresh, updated_at = ?3
FROM n WHERE ${OPEN_IMPORT}`;

const ADD = `
INSERT INTO urls (crawl, url, status, depth, via, priority, seq, redirects, chain, asset)
SELECT c.id, f.url, 'queued', f.depth, f.via, f.priority, c.discovered - c.tx_fresh + f.rank, 0, f.chain, f.asset
FROM crawls c JOIN (
  SELECT value ->> 'url' AS url, value ->> 'via' AS via, value ->> 'depth' AS depth, value ->> 'priority' AS priority,
    value ->> 'chain' AS chain, value ->> 'kind' = 'asset' AS asset, row_number() OVER (ORDER BY key) AS rank
  FROM json_each(?2) j
  WHERE NOT EXISTS (SELECT 1 FROM urls u WHERE u.crawl = ?1 AND u.url = j.value ->> 'url')
) f
WHERE c.${OPEN_IMPORT}`;

/** It runs for the length of this transaction: the statements after it end a crawl that runs and has no open URL. */
const CLOSE = `
UPDATE crawls SET status = 'running', epoch = epoch + 1, updated_at = ?2, imported = json_set(imported, '$.leftOut', json(?3))
WHERE ${OPEN_IMPORT} AND pending = 0 AND queued = 0`;

export class Imports extends LedgerStore {
  /** Makes the crawl, unless there is one with this id. */
  async begin({ id, options, hosts, imported, now }: NewImport): Promise<void> {
    await this.run(BEGIN, [
      id,
      JSON.stringify(options),
      JSON.stringify(hosts),
      now,
      now + STALL_AFTER_MS,
      options.limit,
      options.maxQueued,
      JSON.stringify(imported),
    ]);
  }

  /** The times of the answers that have settled among those of these URLs, by URL. */
  async settled(crawl: string, urls: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.all<{ url: string; fetchedAt: number }>(
      `SELECT u.url, u.fetched_at AS fetchedAt FROM json_each(?2) j CROSS JOIN urls u ON u.crawl = ?1 AND u.url = j.value
       WHERE u.status <> 'queued'`,
      [crawl, JSON.stringify(urls)],
    );
    return new Map(rows.map(({ url, fetchedAt }) => [url, fetchedAt]));
  }

  /** Adds rows for URLs that have none. Nothing happens once the import has ended. */
  async add(crawl: string, urls: readonly ImportedUrl[], now: number): Promise<void> {
    const list = JSON.stringify(urls);
    await this.db.batch([this.statement(COUNT_NEW, [crawl, list, now]), this.statement(ADD, [crawl, list])]);
  }

  /** Ends an import that has no open URL. Null if the crawl is gone. An import that had ended stays as it is. */
  async close(crawl: string, leftOut: readonly LeftOut[], now: number): Promise<Advance["state"]> {
    const close = this.statement(CLOSE, [crawl, now, JSON.stringify(leftOut)]);
    const advance = planAdvance(this.db, crawl, now, nameTransaction());
    const { state } = await runPlan(this.db, {
      statements: [close, ...advance.statements],
      read: (results) => advance.read(results.slice(1)),
    });
    return state;
  }
}

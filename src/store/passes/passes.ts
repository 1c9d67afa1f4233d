import type { Usage } from "../../crawl/bounds/usage.ts";
import { type CrawlOptions, readOptions } from "../../crawl/crawl-options.ts";
import type { Pass, PassKind, PassStep } from "../../crawl/report/pass.ts";
import type { Shards } from "../../crawl/shards/shards.ts";
import { sumOfUsages } from "../installation/usage-sql.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";

/** The rows of passes. A crawl has at most one running pass. */

const COLUMNS = `id, crawl, kind, status, stage, steps_done AS stepsDone, steps, created_at AS startedAt,
  progress_at AS progressAt, finished_at AS finishedAt, error, boot, check_external AS checkExternal, reindex`;

/** D1 has no booleans. */
type PassColumns = Omit<Pass, "checkExternal" | "reindex"> & { checkExternal: number; reindex: number };

function toPass({ checkExternal, reindex, ...pass }: PassColumns): Pass {
  return { ...pass, checkExternal: checkExternal === 1, reindex: reindex === 1 };
}

interface StepCrawl {
  usage: Usage;
  month: Usage | null;
  options: unknown;
  shards: Shards | null;
}

type PassOptions = Partial<Pick<Pass, "kind" | "checkExternal" | "reindex">>;

/** One at a time: a second one finds the unique index taken. Failed passes go when the next one begins. */
const BEGIN = `
INSERT INTO passes (crawl, id, stage, changes, created_at, progress_at, boot, check_external, reindex, kind)
SELECT id, ?2, 'Waiting to start', change_seq, ?3, ?3, ?4, ?5, ?6, ?7 FROM crawls
WHERE id = ?1 AND deleting_at IS NULL AND status <> 'running' ON CONFLICT DO NOTHING`;

const BEGIN_STEP = `
UPDATE passes SET stage = ?3, steps_done = ?4, steps = ?5, progress_at = max(progress_at, ?6), boot = ?7
WHERE crawl = ?1 AND id = ?2 AND status = 'running'
  AND EXISTS (SELECT 1 FROM crawls WHERE id = ?1 AND deleting_at IS NULL)
RETURNING (SELECT json_object('usage', json(usage), 'month', json(month_usage), 'options', json(options),
  'shards', notes -> '$.shards') FROM crawls WHERE id = ?1) AS crawl`;

const BILL = `UPDATE crawls SET usage = ${sumOfUsages("usage", "?2")} WHERE id = ?1`;

/** Watches that were analyzed before, that changed since, and whose last pass began before ?1. */
const DUE_WATCHES = `
SELECT c.id FROM crawls c JOIN passes p ON p.crawl = c.id AND p.id = c.pass
WHERE c.status = 'watching' AND c.deleting_at IS NULL AND c.change_seq > p.changes AND p.created_at <= ?1
  AND NOT EXISTS (SELECT 1 FROM passes o WHERE o.crawl = c.id AND o.kind = 'analyze' AND o.created_at > ?1)`;

export class Passes extends LedgerStore {
  /**
   * Makes the row of a pass, unless one is running or the crawl runs or is being deleted. Returns the crawl's running
   * pass; null if it has none then.
   */
  async begin(
    crawl: string,
    id: string,
    now: number,
    boot: string | null,
    { kind = "analyze", checkExternal = false, reindex = false }: PassOptions = {},
  ): Promise<Pass | null> {
    const [, , running] = await this.db.batch<PassColumns>([
      this.statement(BEGIN, [crawl, id, now, boot, checkExternal ? 1 : 0, reindex ? 1 : 0, kind]),
      this.statement("DELETE FROM passes WHERE crawl = ?1 AND status = 'errored'", [crawl]),
      this.statement(`SELECT ${COLUMNS} FROM passes WHERE crawl = ?1 AND status = 'running'`, [crawl]),
    ]);
    return running?.results.map(toPass)[0] ?? null;
  }

  /** The passes of a crawl, newest first. */
  async list(crawl: string): Promise<Pass[]> {
    const results = await this.all<PassColumns>(
      `SELECT ${COLUMNS} FROM passes WHERE crawl = ?1 ORDER BY created_at DESC, id`,
      [crawl],
    );
    return results.map(toPass);
  }

  /** The pass of this kind whose result holds; undefined before the first. */
  async lastCompleted(crawl: string, kind: PassKind = "analyze"): Promise<Pass | undefined> {
    return (await this.list(crawl)).find((pass) => pass.kind === kind && pass.status === "completed");
  }

  /** All running passes. */
  async running(): Promise<Pass[]> {
    const results = await this.all<PassColumns>(
      `SELECT ${COLUMNS} FROM passes INDEXED BY passes_running WHERE status = 'running'`,
    );
    return results.map(toPass);
  }

  /** The watches whose pages changed after a pass that began by `before`. */
  async dueWatches(before: number): Promise<string[]> {
    const results = await this.all<{ id: string }>(DUE_WATCHES, [before]);
    return results.map(({ id }) => id);
  }

  /** Notes the step that begins. Null if the pass has ended, or if its crawl is being deleted. */
  async beginStep(
    { crawl, id }: Pick<Pass, "crawl" | "id">,
    { stage, done, steps }: PassStep,
    now: number,
    boot: string | null,
  ): Promise<{ usage: Usage; usageBeforeMonth: Usage; options: CrawlOptions; shards: Shards | null } | null> {
    const json = await this.value<string>("crawl", BEGIN_STEP, [crawl, id, stage, done, steps, now, boot]);
    if (json === null) return null;
    const { usage, month, options, shards } = JSON.parse(json) as StepCrawl;
    return { usage, usageBeforeMonth: month ?? {}, options: readOptions(JSON.stringify(options)), shards };
  }

  /** Notes that somebody made a pass that stood still go on, so that nobody else does for a while. */
  async noteRevival({ crawl, id }: Pick<Pass, "crawl" | "id">, now: number, boot: string | null): Promise<void> {
    await this.run(
      "UPDATE passes SET progress_at = ?3, boot = ?4 WHERE crawl = ?1 AND id = ?2 AND status = 'running'",
      [crawl, id, now, boot],
    );
  }

  /** Adds usage to the crawl's. */
  async bill(crawl: string, usage: Usage): Promise<void> {
    await this.run(BILL, [crawl, JSON.stringify(usage)]);
  }

  /**
   * Ends a running pass with its result. Other passes of its kind have no rows any more, and the crawl names its
   * analysis. May be repeated. False if the pass has ended otherwise.
   */
  async complete({ crawl, id }: Pick<Pass, "crawl" | "id">, now: number): Promise<boolean> {
    const holds = "EXISTS (SELECT 1 FROM passes WHERE crawl = ?1 AND id = ?2 AND status = 'completed')";
    const kind = "(SELECT kind FROM passes WHERE crawl = ?1 AND id = ?2)";
    const [, named] = await this.db.batch([
      this.statement(
        `UPDATE passes SET status = 'completed', stage = 'Completed', finished_at = ?3,
             steps_done = coalesce(steps, steps_done), steps = coalesce(steps, steps_done)
           WHERE crawl = ?1 AND id = ?2 AND status = 'running'
             AND EXISTS (SELECT 1 FROM crawls WHERE id = ?1 AND deleting_at IS NULL)`,
        [crawl, id, now],
      ),
      this.statement(`UPDATE crawls SET pass = iif(${kind} = 'analyze', ?2, pass) WHERE id = ?1 AND ${holds}`, [
        crawl,
        id,
      ]),
      this.statement(`DELETE FROM passes WHERE crawl = ?1 AND id <> ?2 AND kind = ${kind} AND ${holds}`, [crawl, id]),
    ]);
    return (named?.meta.changes ?? 0) > 0;
  }

  /** Ends a running pass without a result. False if it has ended already. */
  async fail({ crawl, id }: Pick<Pass, "crawl" | "id">, error: string, now: number): Promise<boolean> {
    const { meta } = await this.run(
      `UPDATE passes SET status = 'errored', error = ?3, finished_at = ?4
         WHERE crawl = ?1 AND id = ?2 AND status = 'running'`,
      [crawl, id, error, now],
    );
    return meta.changes > 0;
  }
}

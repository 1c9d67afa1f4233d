import type { ModelBudget } from "../../crawl/page/model-budget.ts";
import type { ModelSpent } from "../../crawl/page/model-spent.ts";
import type { ModelReply, Tokens } from "../../extract/ask-for-values.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";

/** What a model answered about the pages of a crawl, and what the crawl has spent on it. */

export type PaidReply = Extract<ModelReply, { kind: "answer" }>;

const MILLION = 1_000_000;

const noted = (name: keyof ModelSpent) => `coalesce(notes ->> '$.model.${name}', 0)`;

/** An assignment that adds to what was spent. */
const spend = (calls: string, input: string, output: string) =>
  `notes = json_set(notes, '$.model', json_object('calls', ${noted("calls")} + ${calls},
    'input', max(0, ${noted("input")} + ${input}), 'output', max(0, ${noted("output")} + ${output})))`;

/** Calls that are out count with all that they may take, so those at the same time do not pass the limit together. */
const RESERVE = `
UPDATE crawls SET ${spend("1", "?2", "?3")}
WHERE id = ?1 AND deleting_at IS NULL AND (?4 IS NULL OR ${noted("calls")} < ?4)
  AND (?5 IS NULL OR (${noted("input")} + ?2) * ?6 + (${noted("output")} + ?3) * ?7 <= ?5)`;

const CORRECT = `UPDATE crawls SET ${spend("0", "?2", "?3")} WHERE id = ?1`;
/** Once for an answer. */
const CORRECT_FOR = `${CORRECT} AND NOT EXISTS (SELECT 1 FROM model_answers WHERE crawl = ?1 AND key = ?4)`;

const KEEP = `
INSERT INTO model_answers (crawl, key, reply) SELECT id, ?2, ?3 FROM crawls WHERE id = ?1 AND deleting_at IS NULL
ON CONFLICT DO NOTHING`;

export class ModelAnswers extends LedgerStore {
  /** Null if the question was never answered. */
  async find(crawl: string, key: string): Promise<PaidReply | null> {
    const sql = "SELECT reply FROM model_answers WHERE crawl = ?1 AND key = ?2";
    const reply = await this.value<string>("reply", sql, [crawl, key]);
    return reply === null ? null : (JSON.parse(reply) as PaidReply);
  }

  /** Counts a call that takes at most so many tokens. False if the budget has no room for it. */
  async reserve(crawl: string, { input, output }: Tokens, { calls, usd, prices }: ModelBudget): Promise<boolean> {
    const limits = [calls, usd === null ? null : usd * MILLION, prices.input, prices.output];
    const { meta } = await this.run(RESERVE, [crawl, input, output, ...limits]);
    return meta.changes > 0;
  }

  /** Takes back the tokens of a call that brought nothing. The call itself still counts. */
  async release(crawl: string, { input, output }: Tokens): Promise<void> {
    await this.run(CORRECT, [crawl, -input, -output]);
  }

  /** Keeps an answer, and counts its tokens in place of those that were reserved, in one transaction. */
  async keep(crawl: string, key: string, reply: PaidReply, reserved: Tokens): Promise<void> {
    const { tokens } = reply;
    await this.db.batch([
      this.statement(CORRECT_FOR, [crawl, tokens.input - reserved.input, tokens.output - reserved.output, key]),
      this.statement(KEEP, [crawl, key, JSON.stringify(reply)]),
    ]);
  }
}

import { DAY_MS } from "../../core/clock.ts";
import type { LogIn, LogInFacts } from "../../crawl/log-in.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";
import { digestWith, seal, unseal } from "./seal.ts";
import { saidOf } from "./sessions.ts";

/** The log-ins of sessions: their steps, their secrets, which only this store decrypts, and when they were done. */

/** A log-in as somebody brings it. `secrets`: by name. */
export interface BroughtLogIn extends LogIn {
  secrets: Readonly<Record<string, string>>;
  perDay: number;
}

/** A log-in that may be done now. */
export interface OpenLogIn extends LogIn {
  secrets: Readonly<Record<string, string>>;
}

/** `none`: the session has no log-in. `under-way`: another caller does it. `spent`: no further one is allowed today. */
export type TakenLogIn =
  | { kind: "open"; logIn: OpenLogIn }
  | { kind: "none" | "under-way" }
  | { kind: "spent"; perDay: number };

interface Row {
  steps: string;
  sealed: string;
  account: string;
  perDay: number;
  doneAt: number | null;
  failedWhy: string | null;
}

/** A log-in that has not ended after so long was lost, in real time. */
export const LOG_IN_LOST_MS = 180_000;

export class LogIns extends LedgerStore {
  readonly #key: string | undefined;

  /** `key`: the SESSION_KEY of the installation. */
  constructor(db: D1Database, key: string | undefined) {
    super(db);
    this.#key = key;
  }

  /** The statements that give a session this log-in, or none. Throws SealProblem. */
  async planBringing(session: string, logIn: BroughtLogIn | null): Promise<D1PreparedStatement[]> {
    if (logIn === null) return [this.statement("DELETE FROM log_ins WHERE session = ?1", [session])];
    const { secrets, perDay, hosts, steps } = logIn;
    const sealed = await seal(JSON.stringify(secrets), sealedName(session), this.#key);
    const account = await digestWith(accountOf(logIn), this.#key);
    return [
      this.statement(
        `INSERT INTO log_ins (session, steps, sealed, account, per_day) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (session) DO UPDATE SET steps = excluded.steps, sealed = excluded.sealed,
           account = excluded.account, per_day = excluded.per_day, brought_version = NULL, done_at = NULL,
           failed_why = NULL`,
        [session, JSON.stringify({ hosts, steps }), sealed, account, perDay],
      ),
    ];
  }

  /** By session. */
  async facts(sessions: readonly string[], now: number): Promise<Map<string, LogInFacts>> {
    const rows = await this.all<Row & { session: string; today: number }>(
      `SELECT session, steps, per_day AS perDay, done_at AS doneAt, failed_why AS failedWhy,
           (SELECT count(*) FROM log_in_times t WHERE t.account = log_ins.account AND at > ?2) AS today
         FROM json_each(?1) j CROSS JOIN log_ins ON session = j.value`,
      [JSON.stringify(sessions), now - DAY_MS],
    );
    return new Map(
      rows.map(({ session, steps, perDay, today, doneAt, failedWhy }) => [
        session,
        { ...(JSON.parse(steps) as LogIn), perDay, today, doneAt, failedWhy },
      ]),
    );
  }

  /**
   * Takes the log-in of a session: it counts as one of its account, and nobody else does it until `end`. Throws
   * SealProblem. `speed`: of the clock.
   */
  async take(session: string, now: number, speed: number): Promise<TakenLogIn> {
    const row = await this.first<Row>(
      "SELECT steps, sealed, account, per_day AS perDay FROM log_ins WHERE session = ?1",
      [session],
    );
    if (row === null) return { kind: "none" };
    const { account, perDay } = row;
    const secrets = JSON.parse(await unseal(row.sealed, sealedName(session), this.#key, saidOf(session))) as Record<
      string,
      string
    >;
    const taken = await this.run(
      `UPDATE log_ins SET under_way_until = ?3
         WHERE session = ?1 AND (under_way_until IS NULL OR under_way_until <= ?2)`,
      [session, now, now + LOG_IN_LOST_MS * speed],
    );
    if (taken.meta.changes === 0) return { kind: "under-way" };
    const [, counted] = await this.db.batch([
      this.statement("DELETE FROM log_in_times WHERE at <= ?1", [now - DAY_MS]),
      this.statement(
        `INSERT INTO log_in_times (account, at) SELECT ?1, ?2
           WHERE (SELECT count(*) FROM log_in_times WHERE account = ?1) < ?3`,
        [account, now, perDay],
      ),
    ]);
    if (counted?.meta.changes === 0) {
      await this.run("UPDATE log_ins SET under_way_until = NULL WHERE session = ?1", [session]);
      return { kind: "spent", perDay };
    }
    return { kind: "open", logIn: { ...(JSON.parse(row.steps) as LogIn), secrets } };
  }

  /** Notes how a log-in ended. `why`: null if it succeeded. */
  async end(session: string, why: string | null, now: number): Promise<void> {
    await this.run("UPDATE log_ins SET under_way_until = NULL, done_at = ?2, failed_why = ?3 WHERE session = ?1", [
      session,
      now,
      why,
    ]);
  }

  /** Gives back one that sent nothing: it does not count. */
  async giveBack(session: string): Promise<void> {
    await this.db.batch([
      this.statement(
        `DELETE FROM log_in_times WHERE seq = (SELECT max(seq) FROM log_in_times
           WHERE account = (SELECT account FROM log_ins WHERE session = ?1))`,
        [session],
      ),
      this.statement("UPDATE log_ins SET under_way_until = NULL WHERE session = ?1", [session]),
    ]);
  }
}

function sealedName(session: string): string {
  return `log-in ${session}`;
}

/** Who logs in where: the first field that is filled in names the account. */
function accountOf({ steps, secrets }: BroughtLogIn): string {
  const opened = steps.find((step) => "open" in step);
  const filled = steps.find((step) => "with" in step);
  const origin = opened === undefined ? "" : new URL(opened.open).origin;
  return `${origin} ${filled === undefined ? "" : secrets[filled.with]}`;
}

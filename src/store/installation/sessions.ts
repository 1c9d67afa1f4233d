import type { SessionFacts } from "../../crawl/session.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";
import { SealProblem, seal, unseal } from "./seal.ts";

/**
 * Sessions, by name. Their cookies and headers are a text that only this store encrypts and decrypts; whoever uses it
 * gives the text its form (fetch/request/session-secrets.ts).
 */

interface SessionRow extends Omit<SessionFacts, "hosts" | "temporary"> {
  hosts: string;
  temporary: number;
}

interface StoredSession extends SessionRow {
  sealed: string;
  turn: number;
  proofs: string;
  asked: string;
  hasLogIn: number;
  underWayUntil: number | null;
  hasBrought: number;
}

/** A session with what it holds. */
export interface OpenSession extends SessionFacts {
  /** Its secrets, decrypted. */
  content: string;
  /** Of the row, to write the next one. */
  turn: number;
  /** By host, a page that was last seen signed in. */
  proofs: Record<string, string>;
  /** Pages that asked to log in. */
  asked: AskedPage[];
  /** Its log-in; null if none is written down. */
  logIn: LogInState | null;
}

export interface LogInState {
  /** Until when somebody logs in with it; null for nobody. */
  underWayUntil: number | null;
  /** Whether what it holds was brought by its log-in. */
  hasBrought: boolean;
}

interface AskedPage {
  crawl: string;
  url: string;
  version: number;
}

/** What a crawl's session is, if it cannot be used. `why` is for people. */
export interface NoSession {
  why: string;
}

type Brought = Pick<SessionFacts, "name" | "hosts" | "cookies" | "headers" | "signedIn" | "temporary">;

/** What is said of a session that another key encrypted. */
export const saidOf = (name: string) => ({
  what: `The session ${name}`,
  remedy: `Bring it again: orbweaver session add ${name}`,
});

const FACTS = `name, hosts, cookies, headers, signed_in AS signedIn, temporary, version, added_at AS addedAt,
  seen_at AS seenAt, signed_out_at AS signedOutAt, signed_out_why AS signedOutWhy`;
/** Writers of one session at once: its hosts' lanes. */
const MOST_TRIES = 10;
const MAX_ASKED = 50;
/** That a session is still signed in is written once in so long. */
const SEEN_EVERY_MS = 60_000;
/** A session for one crawl that never began is removed after so long. */
const ORPHAN_MS = 86_400_000;

export class Sessions extends LedgerStore {
  readonly #key: string | undefined;
  /** The ledgers beside this one, whose crawls may have a session too. */
  readonly #others: readonly D1Database[];

  /** `db`: the catalogue. `key`: the SESSION_KEY of the installation. `others`: the other ledgers. */
  constructor(db: D1Database, key: string | undefined, others: readonly D1Database[] = []) {
    super(db);
    this.#key = key;
    this.#others = others;
  }

  /** All sessions but those of single crawls, by name. */
  async list(): Promise<SessionFacts[]> {
    const rows = await this.all<SessionRow>(`SELECT ${FACTS} FROM sessions WHERE temporary = 0 ORDER BY name`);
    return rows.map(toFacts);
  }

  async find(name: string): Promise<SessionFacts | null> {
    const row = await this.first<SessionRow>(`SELECT ${FACTS} FROM sessions WHERE name = ?1`, [name]);
    return row === null ? null : toFacts(row);
  }

  /**
   * Keeps a session, in place of an earlier one of its name, and of the log-in of that. `also`: statements of the same
   * transaction. Throws SealProblem.
   */
  async bring(
    session: Brought,
    content: string,
    now: number,
    also: readonly D1PreparedStatement[] = [],
  ): Promise<void> {
    const sealed = await seal(content, session.name, this.#key);
    const values = [session.cookies, session.headers, session.signedIn, session.temporary ? 1 : 0];
    const used = await this.#usedElsewhere(now - ORPHAN_MS);
    await this.db.batch([
      this.statement(
        `INSERT INTO sessions (name, hosts, sealed, cookies, headers, signed_in, temporary, version, turn, added_at)
           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 1, 1, ?8)
         ON CONFLICT (name) DO UPDATE SET hosts = excluded.hosts, sealed = excluded.sealed, cookies = excluded.cookies,
           headers = excluded.headers, signed_in = excluded.signed_in, temporary = sessions.temporary,
           version = version + 1, turn = turn + 1, added_at = excluded.added_at, seen_at = NULL, signed_out_at = NULL,
           signed_out_why = NULL, proofs = '{}'`,
        [session.name, JSON.stringify(session.hosts), sealed, ...values, now],
      ),
      this.statement(
        `DELETE FROM sessions WHERE temporary = 1 AND added_at < ?1
           AND NOT EXISTS (SELECT 1 FROM crawls WHERE options ->> 'session' = sessions.name)
           AND name NOT IN (SELECT value FROM json_each(?2))`,
        [now - ORPHAN_MS, JSON.stringify(used)],
      ),
      ...(also.length > 0 ? also : [this.statement("DELETE FROM log_ins WHERE session = ?1", [session.name])]),
    ]);
  }

  /** Of the sessions for single crawls that were brought before this time, those that a crawl of another ledger has. */
  async #usedElsewhere(before: number): Promise<string[]> {
    if (this.#others.length === 0) return [];
    const old = await this.all<{ name: string }>("SELECT name FROM sessions WHERE temporary = 1 AND added_at < ?1", [
      before,
    ]);
    if (old.length === 0) return [];
    const names = JSON.stringify(old.map(({ name }) => name));
    const used = await Promise.all(
      this.#others.map(async (ledger) => {
        const query =
          "SELECT DISTINCT options ->> 'session' AS name FROM crawls WHERE options ->> 'session' IN (SELECT value FROM json_each(?1))";
        const { results } = await ledger.prepare(query).bind(names).all<{ name: string }>();
        return results.map(({ name }) => name);
      }),
      // What a ledger does not say may be in use: all of them stay.
    ).catch(() => [old.map(({ name }) => name)]);
    return used.flat();
  }

  /** False if there is none of that name. */
  async remove(name: string): Promise<boolean> {
    const [removed] = await this.db.batch([
      this.statement("DELETE FROM sessions WHERE name = ?1", [name]),
      this.statement("DELETE FROM log_ins WHERE session = ?1", [name]),
    ]);
    return (removed?.meta.changes ?? 0) > 0;
  }

  /** The newest crawls with a session, at most `most`, and the schedules. */
  async usersOf(name: string, most: number): Promise<{ crawls: string[]; schedules: string[] }> {
    const rowsOf = async (db: D1Database, table: "crawls" | "schedules", rest: string) => {
      const query = `SELECT id, created_at AS createdAt FROM ${table} WHERE options ->> 'session' = ?1 ${rest} ORDER BY created_at DESC LIMIT ?2`;
      return (await db.prepare(query).bind(name, most).all<{ id: string; createdAt: number }>()).results;
    };
    const [schedules, ...crawls] = await Promise.all([
      rowsOf(this.db, "schedules", ""),
      ...[this.db, ...this.#others].map((ledger) => rowsOf(ledger, "crawls", "AND deleting_at IS NULL")),
    ]);
    const newest = crawls.flat().sort((a, b) => b.createdAt - a.createdAt);
    return { crawls: newest.slice(0, most).map(({ id }) => id), schedules: schedules.map(({ id }) => id) };
  }

  /** The sessions of these names, decrypted. */
  async open(names: readonly string[]): Promise<Map<string, OpenSession | NoSession>> {
    const rows = await this.all<StoredSession>(
      `SELECT ${FACTS}, sessions.sealed, turn, proofs, asked, session IS NOT NULL AS hasLogIn, under_way_until AS underWayUntil,
           brought_version IS version AS hasBrought
         FROM json_each(?1) j CROSS JOIN sessions ON name = j.value LEFT JOIN log_ins ON session = name`,
      [JSON.stringify(names)],
    );
    const opened = new Map<string, OpenSession | NoSession>(
      names.map((name) => [name, { why: `the session ${name} is not there any more` }]),
    );
    for (const { sealed, turn, proofs, asked, hasLogIn, underWayUntil, hasBrought, ...row } of rows) {
      const logIn = hasLogIn === 0 ? null : { underWayUntil, hasBrought: hasBrought === 1 };
      const lists = { turn, proofs: JSON.parse(proofs), asked: JSON.parse(asked), logIn };
      opened.set(row.name, await this.#unseal(toFacts(row), sealed, lists));
    }
    return opened;
  }

  async #unseal(
    facts: SessionFacts,
    sealed: string,
    rest: Pick<OpenSession, "turn" | "proofs" | "asked" | "logIn">,
  ): Promise<OpenSession | NoSession> {
    try {
      return { ...facts, ...rest, content: await unseal(sealed, facts.name, this.#key, saidOf(facts.name)) };
    } catch (error) {
      if (error instanceof SealProblem) return { why: error.message };
      throw error;
    }
  }

  /**
   * Changes the secrets of a session by the newest ones. Returns them; null if it was brought again or removed since:
   * what an answer to the earlier one says is nothing to the new one.
   */
  async change(
    { name, version }: Pick<SessionFacts, "name" | "version">,
    change: (content: string) => string,
  ): Promise<string | null> {
    for (let attempt = 0; attempt < MOST_TRIES; attempt += 1) {
      const found = (await this.open([name])).get(name);
      if (found === undefined || "why" in found || found.version !== version) return null;
      const content = change(found.content);
      if (content === found.content) return content;
      const sealed = await seal(content, name, this.#key);
      const { meta } = await this.run(
        "UPDATE sessions SET sealed = ?4, turn = turn + 1 WHERE name = ?1 AND version = ?2 AND turn = ?3",
        [name, version, found.turn, sealed],
      );
      if (meta.changes > 0) return content;
    }
    throw new Error(`the session ${name} is written by too many at once`);
  }

  /**
   * Keeps what a log-in has brought, as a new version of the session: what answers to the earlier one set is nothing to
   * it. False if it was brought again or removed since.
   */
  async renew(
    { name, version }: Pick<SessionFacts, "name" | "version">,
    content: string,
    cookies: number,
  ): Promise<boolean> {
    const sealed = await seal(content, name, this.#key);
    const [renewed] = await this.db.batch([
      this.statement(
        `UPDATE sessions SET sealed = ?3, cookies = ?4, version = version + 1, turn = turn + 1, seen_at = NULL,
           signed_out_at = NULL, signed_out_why = NULL WHERE name = ?1 AND version = ?2`,
        [name, version, sealed, cookies],
      ),
      this.statement(
        "UPDATE log_ins SET brought_version = (SELECT version FROM sessions WHERE name = ?1) WHERE session = ?1 AND changes() > 0",
        [name],
      ),
    ]);
    return (renewed?.meta.changes ?? 0) > 0;
  }

  /** Says how a page looks with a session from now on. False if there is none of that name. */
  async mark(name: string, signedIn: string): Promise<boolean> {
    return (await this.run("UPDATE sessions SET signed_in = ?2 WHERE name = ?1", [name, signedIn])).meta.changes > 0;
  }

  /** Notes pages that were seen signed in, by host. Costs a row at most once a minute. */
  async noteSeen(
    { name, version }: Pick<SessionFacts, "name" | "version">,
    proofs: Readonly<Record<string, string>>,
    now: number,
  ): Promise<void> {
    await this.run(
      `UPDATE sessions SET seen_at = ?3, proofs = json_patch(proofs, ?4), signed_out_at = NULL, signed_out_why = NULL
         WHERE name = ?1 AND version = ?2
           AND (seen_at IS NULL OR seen_at < ?3 - ${SEEN_EVERY_MS} OR signed_out_at IS NOT NULL
             OR json_patch(proofs, ?4) <> proofs)`,
      [name, version, now, JSON.stringify(proofs)],
    );
  }

  /** Notes a page that asked to log in. False if the session was brought again or removed since. */
  async noteSignedOut(
    { name, version }: Pick<SessionFacts, "name" | "version">,
    { crawl, url, why }: { crawl: string; url: string; why: string },
    now: number,
  ): Promise<boolean> {
    const asked: AskedPage = { crawl, url, version };
    const { meta } = await this.run(
      `UPDATE sessions SET signed_out_at = ?3, signed_out_why = ?4,
         asked = (SELECT json_group_array(json(value)) FROM (
           SELECT value FROM json_each(json_insert(asked, '$[#]', json(?5))) ORDER BY key DESC LIMIT ${MAX_ASKED}))
         WHERE name = ?1 AND version = ?2`,
      [name, version, now, why, JSON.stringify(asked)],
    );
    return meta.changes > 0;
  }
}

function toFacts({ hosts, temporary, ...row }: SessionRow): SessionFacts {
  return { ...row, hosts: JSON.parse(hosts) as string[], temporary: temporary === 1 };
}

/** With how many earlier sessions of that name a page asked to log in. */
export function countAskedBefore({ asked, version }: OpenSession, crawl: string, url: string): number {
  const before = asked.filter((page) => page.crawl === crawl && page.url === url && page.version < version);
  return new Set(before.map((page) => page.version)).size;
}

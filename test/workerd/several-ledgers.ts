import { applyD1Migrations, createExecutionContext, env } from "cloudflare:test";
import { vi } from "vitest";
import { app } from "../../src/api/app.ts";
import { bindingOf } from "../../src/crawl/ledger-name.ts";
import { partIn } from "../../src/crawl/shards/shards.ts";
import { homeOf, LEDGER_WAIT_MS } from "../../src/frontier/ledgers.ts";
import type { ShardOutbox } from "../../src/store/shards/shard-outbox.ts";
import type { ShardParts } from "../../src/store/shards/shard-parts.ts";
import { clearIndex } from "./clear-index.ts";
import { Faults } from "./faulty.ts";
import type { World } from "./world.ts";

/** An installation with three databases: `LEDGER`, and two that no other test uses. */

export interface ThreeLedgers {
  LEDGER: D1Database;
  LEDGER_1: D1Database;
  LEDGER_2: D1Database;
}

/** They are empty. */
export async function openThreeLedgers(): Promise<ThreeLedgers> {
  const ledgers = { LEDGER: env.LEDGER, LEDGER_1: env.TEST_LEDGER_1, LEDGER_2: env.TEST_LEDGER_2 };
  for (const database of Object.values(ledgers)) {
    await applyD1Migrations(database, env.TEST_MIGRATIONS);
    await clearIndex(database);
    const { results } = await database
      .prepare(
        "SELECT name FROM pragma_table_list WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*' AND name <> 'd1_migrations'",
      )
      .all<{ name: string }>();
    await database.batch([
      database.prepare("PRAGMA defer_foreign_keys = on"),
      ...results.map(({ name }) => database.prepare(`DELETE FROM "${name}"`)),
    ]);
  }
  return ledgers;
}

export function databaseIn(ledgers: ThreeLedgers, ledger: number): D1Database {
  return ledgers[bindingOf(ledger) as keyof ThreeLedgers];
}

/** Faults that begin and end when a test says so: each call fails, or hangs. */
export class Outage extends Faults {
  /** Null while the database works. */
  now: "fails" | "hangs" | null = null;

  constructor() {
    super(0, "before");
  }

  override async call<T>(work: () => Promise<T>): Promise<T> {
    this.calls += 1;
    if (this.now === "hangs") return new Promise<T>(() => undefined);
    if (this.now === "fails") throw new Error("D1_ERROR: it is broken");
    return work();
  }
}

/** Until `mockRestore`. Has whoever waits for a ledger wait for so many milliseconds only. */
export function withoutPatience(ms: number) {
  const real = globalThis.setTimeout;
  const spy = vi.spyOn(globalThis, "setTimeout");
  spy.mockImplementation(((done: () => void, after = 0) =>
    real(done, after >= LEDGER_WAIT_MS ? ms : after)) as typeof setTimeout);
  return spy;
}

/** What an installation with these ledgers binds. The messages that a request sends are lost. */
export function bindingsOf(ledgers: Pick<Env, "LEDGER">): Env {
  const queue = { sendBatch: async () => undefined } as unknown as Queue;
  return { ...env, ...ledgers, FRONTIER: queue, NOTICES: queue };
}

/** Sends a request to the API of an installation with these ledgers. */
export async function sendToLedgers(
  ledgers: Pick<Env, "LEDGER">,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const headers = { authorization: "Bearer test-token" };
  return app.request(path, { headers, ...init }, bindingsOf(ledgers), createExecutionContext());
}

/** Has every call of a kind to these ledgers fail from now on, or as often as this; or end in another way. */
export function failing(
  { deps }: Pick<World, "deps">,
  kind: keyof ShardParts | keyof ShardOutbox,
  times = Number.POSITIVE_INFINITY,
  end: () => unknown = () => {
    throw new Error("killed");
  },
  of: readonly number[] = [0, 1, 2],
): { mend(): void } {
  let left = times;
  for (const ledger of of) {
    const { shardParts, shardOutbox } = homeOf(deps, partIn(ledger, crypto.randomUUID()));
    const store = (kind in shardParts ? shardParts : shardOutbox) as unknown as Record<string, unknown>;
    const real = (store[kind] as (...args: unknown[]) => unknown).bind(store);
    Object.assign(store, {
      [kind]: async (...args: unknown[]) => {
        if (left <= 0) return real(...args);
        left -= 1;
        return end();
      },
    });
  }
  return {
    mend: () => {
      left = 0;
    },
  };
}

/** What an answer of the API says. Throws its errors. */
export async function resultOf<T>(answering: Promise<Response>): Promise<T> {
  const answer = await answering;
  const body = (await answer.json()) as { result: T; errors?: unknown };
  if (!answer.ok) throw new Error(`${answer.status}: ${JSON.stringify(body.errors)}`);
  return body.result;
}

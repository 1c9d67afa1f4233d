import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { D1Database } from "@cloudflare/workers-types"; // the Worker's types
import { hasMigrations, migrationsListOf } from "./state-databases.ts";

/**
 * Applies pending migrations to the ledger like `wrangler d1 migrations apply --local`, with the same table, but
 * without a wrangler process. A new state folder begins with a copy of an empty ledger that has them all.
 */

export interface LedgerPlan {
  /** The ledger's database, as miniflare takes it. */
  d1Databases: Record<string, unknown>;
  migrations: Migration[];
}

interface Migration {
  name: string;
  statements: string[];
}

/** `ledger.json` says which database the ledger was: wrangler.toml may name another one by now. */
function configOf(state: string): string {
  return join(state, "ledger.json");
}

function databasesOf(state: string): string {
  return join(state, "v3", "d1");
}

/** Whether the ledger has all migrations. Asks the database file, so workerd must not run. Throws UserError. */
export function isMigrated(state: string, { d1Databases, migrations }: LedgerPlan): boolean {
  const config = configOf(state);
  const isSame = existsSync(config) && readFileSync(config, "utf8") === JSON.stringify(d1Databases);
  const names = migrations.map(({ name }) => name);
  return isSame && hasMigrations(state, names);
}

export async function migrate(db: D1Database, state: string, { d1Databases, migrations }: LedgerPlan): Promise<void> {
  writeFileSync(configOf(state), JSON.stringify(d1Databases));
  await db
    .prepare(
      "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)",
    )
    .run();
  const { results } = await db.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  const applied = new Set(results.map((row) => row.name));
  for (const migration of migrations) if (!applied.has(migration.name)) await apply(migration, db);
  writeFileSync(migrationsListOf(state), JSON.stringify(migrations.map(({ name }) => name)));
}

/** In one transaction, with its name in the list. */
async function apply({ name, statements }: Migration, db: D1Database): Promise<void> {
  await db.batch([
    ...statements.map((sql) => db.prepare(sql)),
    db.prepare("INSERT INTO d1_migrations (name) VALUES (?1)").bind(name),
  ]);
}

/** Makes an empty ledger with all migrations in an existing folder. */
export async function makeLedger(folder: string, plan: LedgerPlan, compatibilityDate: string): Promise<void> {
  const { Miniflare, NoOpLog, convertV4MiniflareOptions } = await import("miniflare");
  const worker = { modules: true, script: "export default {}", compatibilityDate, d1Databases: plan.d1Databases };
  const shared = { log: new NoOpLog(), resourcePersistencePath: join(folder, "v3"), workers: [worker] };
  const miniflare = new Miniflare(convertV4MiniflareOptions(shared as Parameters<typeof convertV4MiniflareOptions>[0]));
  const [binding = ""] = Object.keys(plan.d1Databases);
  try {
    await migrate((await miniflare.getD1Database(binding)) as unknown as D1Database, folder, plan);
  } finally {
    await miniflare.dispose();
  }
}

/** Copies the ledger in `folder` to a state folder that has none. Another one stays as it is. */
export function copyLedger(folder: string, state: string): void {
  const databases = databasesOf(state);
  if (existsSync(databases) || existsSync(migrationsListOf(state))) return;
  const partial = `${databases}.partial`;
  rmSync(partial, { recursive: true, force: true });
  cpSync(databasesOf(folder), partial, { recursive: true });
  renameSync(partial, databases);
  for (const file of [configOf, migrationsListOf]) cpSync(file(folder), file(state));
}

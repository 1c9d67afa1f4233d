import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { D1Database } from "@cloudflare/workers-types"; // the Worker's types
import { configOf, hasMigrations, migrationsListOf, requireNew } from "./state-databases.ts";

/**
 * Applies pending migrations to the ledgers like `wrangler d1 migrations apply --local`, with the same table, but
 * without a wrangler process. A new state folder begins with a copy of an empty ledger that has them all.
 */

export interface LedgerPlan {
  /** The ledgers' databases by their bindings, as miniflare takes them. */
  d1Databases: Record<string, unknown>;
  migrations: Migration[];
}

interface Migration {
  name: string;
  statements: string[];
}

function databasesOf(state: string): string {
  return join(state, "v3", "d1");
}

/** Whether all ledgers have all migrations. Asks the database file, so workerd must not run. Throws UserError. */
export function isMigrated(state: string, { d1Databases, migrations }: LedgerPlan): boolean {
  const config = configOf(state);
  const isSame = existsSync(config) && readFileSync(config, "utf8") === JSON.stringify(d1Databases);
  const names = migrations.map(({ name }) => name);
  return isSame && hasMigrations(state, names);
}

/**
 * Applies to each ledger what it lacks. `databaseOf`: the database of a binding. Throws UserError if one has lost what
 * it held.
 */
export async function migrate(
  databaseOf: (binding: string) => Promise<D1Database>,
  state: string,
  { d1Databases, migrations }: LedgerPlan,
): Promise<void> {
  for (const [binding, database] of Object.entries(d1Databases)) {
    const ledger = await databaseOf(binding);
    const applied = await listMigrations(ledger);
    if (applied.size === 0) requireNew(state, binding, database);
    for (const migration of migrations) if (!applied.has(migration.name)) await apply(migration, ledger);
  }
  // Afterwards: a ledger that it names and that is not there was lost.
  writeFileSync(configOf(state), JSON.stringify(d1Databases));
  writeFileSync(migrationsListOf(state), JSON.stringify(migrations.map(({ name }) => name)));
}

/** The migrations that a ledger has. Makes their table. */
async function listMigrations(ledger: D1Database): Promise<Set<string>> {
  await ledger
    .prepare(
      "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)",
    )
    .run();
  const { results } = await ledger.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  return new Set(results.map(({ name }) => name));
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
  // The others are made when a state folder is first used: it may have more.
  const [first] = Object.entries(plan.d1Databases);
  const one = { ...plan, d1Databases: Object.fromEntries(first === undefined ? [] : [first]) };
  try {
    await migrate(async (name) => (await miniflare.getD1Database(name)) as unknown as D1Database, folder, one);
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

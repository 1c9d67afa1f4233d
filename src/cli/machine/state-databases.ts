import { closeSync, existsSync, opendirSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { UserError } from "../errors.ts";
import { logsOf } from "../installation/state-paths.ts";

/**
 * Checks the databases of the state folder before workerd opens them: it does not start, or fails at each request,
 * where one is damaged. They are files `v3/KIND/OBJECT/ID.sqlite`, one for each Durable Object that miniflare makes: in
 * `d1` the ledger, in `r2` the list of the mirror's objects, in `do` the host gates.
 */

const LEDGER = join("d1", "miniflare-D1DatabaseObject");
const MIRROR = join("r2", "miniflare-R2BucketObject");
/** The alarms of each kind of object. */
const ALARMS = "metadata.sqlite";

/** The header of a database: https://www.sqlite.org/fileformat.html#the_database_header */
const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";

/**
 * Throws UserError if a database is damaged, or if the ledger or the list of the mirror's objects is missing. Reads a
 * few bytes of each host gate, and more of the ledger.
 */
export function checkDatabases(state: string): void {
  const root = join(state, "v3");
  const folders = subfolders(root).flatMap((kind) => subfolders(join(root, kind)).map((object) => join(kind, object)));
  for (const folder of folders) {
    for (const name of databasesIn(join(root, folder))) {
      const file = join(root, folder, name);
      const fail = (problem: string) => damaged(state, file, problem);
      const problem = findDamage(file);
      if (problem !== null) throw fail(problem);
      // Opening a database takes a millisecond, and there is a gate for each host.
      if (holdsPages(folder, name)) readOr(file, countTables, fail);
    }
  }
  if (hasLedger(state) && ledgersOf(state).length < madeLedgers(state)) throw missing(state, "ledger", LEDGER);
  if (hasBlobs(join(root, "r2")) && contentsOf(join(root, MIRROR)).length === 0)
    throw missing(state, "mirror's objects", MIRROR);
}

/** The list of migrations that is written once the ledger has them. It says that there is a ledger, and no more. */
export function migrationsListOf(state: string): string {
  return join(state, "migrations.json");
}

/** `ledger.json` says which databases the ledgers were: wrangler.toml may name others by now. */
export function configOf(state: string): string {
  return join(state, "ledger.json");
}

/** The number of ledgers that have been made. */
function madeLedgers(state: string): number {
  if (!existsSync(configOf(state))) return 1;
  return Object.keys(JSON.parse(readFileSync(configOf(state), "utf8")) as object).length;
}

function hasLedger(state: string): boolean {
  return existsSync(migrationsListOf(state));
}

/**
 * Whether the ledger has been made and holds all these migrations. Throws UserError if it holds none although it has
 * been made, or cannot say.
 */
export function hasMigrations(state: string, names: readonly string[]): boolean {
  if (!hasLedger(state)) return false;
  const applied = ledgersOf(state).map((file) => {
    const list = readOr(file, migrationsIn, (problem) => damaged(state, file, problem));
    if (list.size === 0) throw damaged(state, file, "it is empty");
    return list;
  });
  return applied.every((list) => names.every((name) => list.has(name)));
}

/** Usually one. More if wrangler.toml has named another database since. */
function ledgersOf(state: string): string[] {
  const folder = join(state, "v3", LEDGER);
  return contentsOf(folder).map((name) => join(folder, name));
}

function migrationsIn(ledger: DatabaseSync): Set<string> {
  const table = ledger.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'd1_migrations'").get();
  if (table === undefined) return new Set();
  const rows = ledger.prepare("SELECT name FROM d1_migrations").all() as { name: string }[];
  return new Set(rows.map(({ name }) => name));
}

function countTables(database: DatabaseSync): unknown {
  return database.prepare("SELECT count(*) FROM sqlite_schema").get();
}

function holdsPages(folder: string, name: string): boolean {
  return name !== ALARMS && (folder === LEDGER || folder === MIRROR);
}

/** A damaged header, or a file that is shorter than its header says. A new database may be empty. */
function findDamage(file: string): string | null {
  const size = statSync(file).size;
  if (size === 0) return null;
  const header = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(file, "r");
  const bytes = readSync(descriptor, header);
  closeSync(descriptor);
  if (bytes < HEADER_BYTES || header.toString("latin1", 0, MAGIC.length) !== MAGIC) return "it is not a database";
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  // The missing pages may be in the write-ahead log.
  const hasLog = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  return !hasLog && size < header.readUInt32BE(28) * pageSize ? "its end is missing" : null;
}

/** Throws what `fail` makes of SQLite's message if the database cannot be read. */
function readOr<T>(file: string, ask: (database: DatabaseSync) => T, fail: (problem: string) => UserError): T {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return ask(database);
  } catch (error) {
    throw fail(error instanceof Error ? error.message : String(error));
  } finally {
    database.close();
  }
}

function damaged(state: string, file: string, problem: string): UserError {
  const folder = relative(join(state, "v3"), dirname(file));
  const advice = holdsPages(folder, basename(file)) ? beginAnew(state) : "Delete this file. No page is lost.";
  return new UserError(`The database ${file} is damaged: ${problem}. ${advice}`);
}

function missing(state: string, what: string, folder: string): UserError {
  return new UserError(
    `The database of the ${what} is missing or empty in ${join(state, "v3", folder)}. ${beginAnew(state)}`,
  );
}

function beginAnew(state: string): string {
  return [
    `The logs in ${logsOf(state)} may tell why.`,
    `Restore the folder ${state} from a backup. To begin anew without its crawls, delete the folder, or choose another with --state DIR.`,
  ].join("\n");
}

/** The databases of a folder that hold something, without that of the alarms. */
function contentsOf(folder: string): string[] {
  return databasesIn(folder).filter((name) => name !== ALARMS && statSync(join(folder, name)).size > 0);
}

function databasesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".sqlite")) : [];
}

function subfolders(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

function hasBlobs(mirrors: string): boolean {
  return subfolders(mirrors).some((bucket) => {
    const path = join(mirrors, bucket, "blobs");
    if (!existsSync(path)) return false;
    // There may be a million.
    const blobs = opendirSync(path);
    const first = blobs.readSync();
    blobs.closeSync();
    return first !== null;
  });
}

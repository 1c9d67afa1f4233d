import { closeSync, existsSync, opendirSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import type { DatabaseSync } from "node:sqlite";
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
 * Behind it stands what its first page is, the tree of all tables: https://www.sqlite.org/fileformat.html#b_tree_pages
 */
const TABLE_PAGES = [0x05, 0x0d];

/**
 * Throws UserError if a database is damaged, or if the ledger or the list of the mirror's objects is missing. Reads a
 * few bytes of each.
 */
export function checkDatabases(state: string): void {
  const root = join(state, "v3");
  const folders = subfolders(root).flatMap((kind) => subfolders(join(root, kind)).map((object) => join(kind, object)));
  for (const folder of folders) {
    for (const name of databasesIn(join(root, folder))) {
      const file = join(root, folder, name);
      const problem = findDamage(file);
      if (problem !== null) throw damaged(state, file, problem);
    }
  }
  if (hasLedger(state) && ledgersOf(state).length < countMade(state)) throw missing(state, "ledger", LEDGER);
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

/** The ledgers that have been made, by their bindings. Null if an early version has made the one that there is. */
function madeLedgers(state: string): Record<string, unknown> | null {
  if (!existsSync(configOf(state))) return null;
  return JSON.parse(readFileSync(configOf(state), "utf8")) as Record<string, unknown>;
}

function countMade(state: string): number {
  const made = madeLedgers(state);
  return made === null ? 1 : Object.keys(made).length;
}

function hasLedger(state: string): boolean {
  return existsSync(migrationsListOf(state));
}

/** Throws UserError if this ledger has been made: it has no migrations now. `database`: as miniflare takes it. */
export function requireNew(state: string, binding: string, database: unknown): void {
  if (JSON.stringify(madeLedgers(state)?.[binding]) === JSON.stringify(database))
    throw missing(state, "ledger", LEDGER);
}

/**
 * Whether the ledgers have been made and hold all these migrations. False also where this Node, which is older than
 * 22.13, has no SQLite to ask them. Throws UserError if one cannot say.
 */
export function hasMigrations(state: string, names: readonly string[]): boolean {
  const sqlite = process.getBuiltinModule("node:sqlite") as typeof import("node:sqlite") | undefined;
  if (sqlite === undefined || !hasLedger(state)) return false;
  return ledgersOf(state).every((file) => {
    const database = new sqlite.DatabaseSync(file, { readOnly: true });
    try {
      const list = migrationsIn(database);
      return names.every((name) => list.has(name));
    } catch (error) {
      throw damaged(state, file, error instanceof Error ? error.message : String(error));
    } finally {
      database.close();
    }
  });
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

function holdsPages(folder: string, name: string): boolean {
  return name !== ALARMS && (folder === LEDGER || folder === MIRROR);
}

/** A damaged beginning, or a file that is shorter than its header says. A new database may be empty. */
function findDamage(file: string): string | null {
  const size = statSync(file).size;
  if (size === 0) return null;
  const header = Buffer.alloc(HEADER_BYTES + 1);
  const descriptor = openSync(file, "r");
  const bytes = readSync(descriptor, header);
  closeSync(descriptor);
  if (bytes <= HEADER_BYTES || header.toString("latin1", 0, MAGIC.length) !== MAGIC) return "it is not a database";
  if (!TABLE_PAGES.includes(header.readUInt8(HEADER_BYTES))) return "its first page is malformed";
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  // The missing pages may be in the write-ahead log.
  const hasLog = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  return !hasLog && size < header.readUInt32BE(28) * pageSize ? "its end is missing" : null;
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

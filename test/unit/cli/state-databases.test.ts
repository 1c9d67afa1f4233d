import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { UserError } from "../../../src/cli/errors.ts";
import { checkDatabases, hasMigrations, requireNew } from "../../../src/cli/machine/state-databases.ts";

/** Every damage of a database that a start can find. test/e2e/damaged-state.test.ts shows what the user sees. */

const root = mkdtempSync(join(tmpdir(), "orbweaver-test-"));
const sound = join(root, "sound");
let n = 0;

const LEDGER = "v3/d1/miniflare-D1DatabaseObject/a.sqlite";
const MIRROR = "v3/r2/miniflare-R2BucketObject/b.sqlite";
const GATE = "v3/do/orbweaver-HostGate/c.sqlite";
const ALARMS = "v3/d1/miniflare-D1DatabaseObject/metadata.sqlite";

beforeAll(() => {
  for (const name of [LEDGER, MIRROR, GATE, ALARMS]) {
    mkdirSync(dirname(join(sound, name)), { recursive: true });
    withDatabase(join(sound, name), "PRAGMA journal_mode = WAL; CREATE TABLE d1_migrations (name TEXT UNIQUE)");
  }
  withDatabase(join(sound, LEDGER), "INSERT INTO d1_migrations VALUES ('1.sql'), ('2.sql')");
  mkdirSync(join(sound, "v3/r2/orbweaver-mirror/blobs"), { recursive: true });
  writeFileSync(join(sound, "v3/r2/orbweaver-mirror/blobs/x"), "");
  writeFileSync(join(sound, "migrations.json"), '["1.sql","2.sql"]');
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

function withDatabase(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

function copy(): string {
  const state = join(root, String(n++));
  cpSync(sound, state, { recursive: true });
  return state;
}

/** The message of the error. Null if there is none. */
function problemOf(state: string): string | null {
  try {
    checkDatabases(state);
    hasMigrations(state, []);
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    return (error as UserError).message;
  }
}

const DAMAGES: Record<string, (file: string) => void> = {
  overwritten: (file) => writeFileSync(file, Buffer.alloc(16_384, "junk")),
  "shorter than it says": (file) => truncateSync(file, 4_096),
  "shorter than a header": (file) => truncateSync(file, 50),
  "without its first tree": (file) => writeFileSync(file, readFileSync(file).fill(7, 100, 4_096)),
  emptied: (file) => truncateSync(file, 0),
  deleted: (file) => rmSync(file),
};
const GONE = ["emptied", "deleted"];

describe.each([LEDGER, MIRROR])("%s", (name) => {
  test.each(Object.keys(DAMAGES))("%s", (kind) => {
    const state = copy();
    DAMAGES[kind]?.(join(state, name));
    const words = GONE.includes(kind)
      ? `missing or empty in ${dirname(join(state, name))}`
      : `The database ${join(state, name)} is damaged`;
    expect(problemOf(state)).toContain(words);
    expect(problemOf(state)).toContain(`The logs in ${join(state, "logs")}`);
    expect(problemOf(state)).toContain("To begin anew");
  });
});

describe.each([GATE, ALARMS])("%s", (name) => {
  test.each(["overwritten", "shorter than it says", "shorter than a header"])("%s: it can be deleted", (kind) => {
    const state = copy();
    DAMAGES[kind]?.(join(state, name));
    expect(problemOf(state)).toMatch(/is damaged: .* Delete this file\. No page is lost\.$/);
  });

  // workerd makes it again; a killed one may have left it so.
  test.each(GONE)("%s: no problem", (kind) => {
    const state = copy();
    DAMAGES[kind]?.(join(state, name));
    expect(problemOf(state)).toBeNull();
  });
});

test.each([
  ["a sound folder", () => undefined, true],
  ["migrations.json is missing", (state: string) => rmSync(join(state, "migrations.json")), false],
  [
    "migrations.json claims more than the ledger holds",
    (state: string) => withDatabase(join(state, LEDGER), "DELETE FROM d1_migrations WHERE name = '2.sql'"),
    false,
  ],
])("%s: no problem", (_, change, isComplete) => {
  const state = copy();
  change(state);
  expect(problemOf(state)).toBeNull();
  expect(hasMigrations(state, ["1.sql", "2.sql"])).toBe(isComplete);
});

test("a ledger without any migration is another database, unless it is a new one", () => {
  const state = copy();
  writeFileSync(join(state, "ledger.json"), '{"LEDGER":{"id":"a"}}');
  withDatabase(join(state, LEDGER), "DELETE FROM d1_migrations");
  expect(problemOf(state)).toBeNull();
  expect(hasMigrations(state, ["1.sql"])).toBe(false);
  expect(() => requireNew(state, "LEDGER", { id: "a" })).toThrow(
    /database of the ledger is missing.*\n.*To begin anew/,
  );
  requireNew(state, "LEDGER", { id: "b" });
  requireNew(state, "LEDGER_1", { id: "c" });
});

test("a malformed ledger cannot say which migrations it has", () => {
  const state = copy();
  const file = join(state, LEDGER);
  writeFileSync(file, readFileSync(file).fill(7, 110, 4_096));
  expect(() => hasMigrations(state, ["1.sql"])).toThrow(`The database ${file} is damaged: `);
});

test("an empty folder, and one whose first start was interrupted, have no problem", () => {
  const state = join(root, "new");
  mkdirSync(dirname(join(state, LEDGER)), { recursive: true });
  expect(problemOf(state)).toBeNull();
  writeFileSync(join(state, LEDGER), "");
  expect(problemOf(state)).toBeNull();
});

test("a database whose pages are still in its write-ahead log is sound", () => {
  const state = join(root, "log");
  const file = join(state, LEDGER);
  mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  database.exec("PRAGMA journal_mode = WAL; CREATE TABLE d1_migrations (name TEXT)");
  for (const end of ["", "-wal"]) cpSync(file + end, join(root, `killed${end}`));
  database.close();
  for (const end of ["", "-wal"]) cpSync(join(root, `killed${end}`), file + end);
  expect(problemOf(state)).toBeNull();
});

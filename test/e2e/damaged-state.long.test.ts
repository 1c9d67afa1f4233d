import { cpSync, existsSync, globSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { page, startHandmadeSite } from "../sites/handmade-site.ts";
import { crawl, type Ended, run, scratch } from "./cli.ts";

/** A damaged or missing file of the state folder is named, with a way out, and what can be mended is. */

const dir = scratch();
const sound = join(dir.path, "state");
let n = 0;

beforeAll(async () => {
  const site = await startHandmadeSite({ "/": page("home") });
  await crawl(dir.path, `${site.origin}/`, "--delay", "0");
  await site.close();
  // A killed workerd leaves all pages in the write-ahead logs.
  for (const file of globSync(join(sound, "v3", "**", "*.sqlite")))
    withDatabase(file, "PRAGMA wal_checkpoint(TRUNCATE)");
});

afterAll(() => dir.remove());

function withDatabase(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

/** A copy of the sound state, and the one file of it that matches. */
function copyOf(pattern: string): { state: string; file: string } {
  const state = join(dir.path, String(n++));
  cpSync(sound, state, { recursive: true });
  const files = globSync(join(state, pattern)).filter((path) => basename(path) !== "metadata.sqlite");
  expect(files).toHaveLength(1);
  const [file = ""] = files;
  return { state, file };
}

const LEDGER = "v3/d1/miniflare-D1DatabaseObject/*.sqlite";
const MIRROR = "v3/r2/miniflare-R2BucketObject/*.sqlite";
const GATE = "v3/do/orbweaver-HostGate/*.sqlite";
const ALARMS = "v3/r2/miniflare-R2BucketObject/metadata.sqlite";

const overwrite = (file: string) => writeFileSync(file, Buffer.alloc(16_384, "junk"));
const truncate = (file: string) => truncateSync(file, 4_096);
const remove = (file: string) => rmSync(file);
const empty = (file: string) => {
  rmSync(file);
  withDatabase(file, "CREATE TABLE another (x)");
};

/** One message without a stack. */
function expectMessage({ code, stdout, stderr }: Ended, ...words: string[]): void {
  expect([code, stdout]).toEqual([1, ""]);
  for (const word of words) expect(stderr).toContain(word);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(stderr.trim().split("\n").length).toBeLessThanOrEqual(2);
}

test.each([
  ["the ledger is overwritten", LEDGER, overwrite, basename],
  ["the ledger is truncated", LEDGER, truncate, basename],
  ["the ledger is deleted", LEDGER, remove, dirname],
  ["the ledger has no tables", LEDGER, empty, dirname],
  ["the list of the mirror's objects is overwritten", MIRROR, overwrite, basename],
  ["the list of the mirror's objects is deleted", MIRROR, remove, dirname],
])("%s: the message names it, the logs, and how to begin anew", async (_, pattern, damage, named) => {
  const { state, file } = copyOf(pattern);
  damage(file);
  expectMessage(await run("list", "--state", state), named(file), join(state, "logs"), "To begin anew", "--state DIR");
});

test("a host gate and alarms are damaged: each message names the file, and without them everything works", async () => {
  const { state, file: gate } = copyOf(GATE);
  const alarms = join(state, ALARMS);
  for (const file of [gate, alarms]) overwrite(file);
  for (const file of [gate, alarms]) {
    expectMessage(await run("list", "--state", state), file, "Delete this file. No page is lost.");
    rmSync(file);
  }
  expect((await run("list", "--state", state)).stdout).toContain("completed");
});

/** Takes back 0010_kinds.sql. */
const BEFORE_KINDS = `
  DROP TABLE installation;
  ALTER TABLE crawls DROP COLUMN tx_ended;
  ALTER TABLE crawls DROP COLUMN taken;
  ALTER TABLE crawls DROP COLUMN pages_queued;
  ALTER TABLE crawls DROP COLUMN pages_pending;
  ALTER TABLE urls DROP COLUMN kind;
  DELETE FROM d1_migrations WHERE name = '0010_kinds.sql'`;

describe("migrations.json", () => {
  test("is written again where it is missing", async () => {
    const { state, file } = copyOf("migrations.json");
    rmSync(file);
    expect((await run("list", "--state", state)).stdout).toContain("completed");
    expect(existsSync(file)).toBe(true);
  });

  test("is not believed: a ledger that lacks a migration gets it", async () => {
    const { state, file } = copyOf(LEDGER);
    withDatabase(file, BEFORE_KINDS);
    expect((await run("list", "--state", state)).stdout).toContain("completed");
    withDatabase(file, "SELECT * FROM installation");
    withDatabase(file, "SELECT kind FROM urls");
  });
});

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildWorker } from "../../src/cli/worker-build.ts";
import { run, scratch } from "./cli.ts";

/** wrangler builds the Worker once. A start takes the kept build, and neither loads wrangler nor bundles. */

const dir = scratch();

// The first start after a change of the sources builds.
beforeAll(() => buildWorker(dir.path));
afterAll(() => dir.remove());

test("a start in a new folder does not load wrangler, which would write a log", async () => {
  const state = join(dir.path, "state");
  const { code, stdout } = await run("list", "--state", state);
  expect([code, stdout]).toEqual([0, expect.stringContaining("No crawls yet.")]);
  expect(readdirSync(join(state, "logs"))).toEqual(["workerd.log"]);
});

test("the build is kept, with all migrations and the values of wrangler.toml", async () => {
  const build = await buildWorker(dir.path);
  const { mtimeMs } = statSync(build.script);
  expect(await buildWorker(dir.path)).toEqual(build);
  expect(statSync(build.script).mtimeMs).toBe(mtimeMs);
  const migrations = readdirSync(join(import.meta.dirname, "..", "..", "migrations")).sort();
  expect(build.ledger.migrations.map(({ name }) => name)).toEqual(migrations);
  expect(Object.keys(build.options.bindings).sort()).toEqual(["QUEUES", "STORE", "USER_AGENT"]);
  expect(readFileSync(build.script, "utf8")).toContain("HostGate");
});

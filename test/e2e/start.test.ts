import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildWorker } from "../../src/cli/machine/worker-build.ts";
import { run, scratch } from "./cli.ts";
import { expectSimulators, filesOf, loadsMiniflare } from "./starts.ts";

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
  const [script = ""] = filesOf(build);
  const { mtimeMs } = statSync(script);
  expect(await buildWorker(dir.path)).toEqual(build);
  expect(statSync(script).mtimeMs).toBe(mtimeMs);
  const migrations = readdirSync(join(import.meta.dirname, "..", "..", "migrations")).sort();
  expect(build.ledger.migrations.map(({ name }) => name)).toEqual(migrations);
  expect(Object.keys(build.options.bindings).sort()).toEqual(["QUEUES", "STORE", "USER_AGENT"]);
  expect(readFileSync(script, "utf8")).toContain("HostGate");
});

/** Workers may have 64 MiB since 2026-09: https://developers.cloudflare.com/workers/platform/limits/#worker-size */
const MAX_WORKER_BYTES = 16 * 1024 * 1024;

test("each Worker is at most 16 MiB, and the readers of documents are in the reader Worker alone", async () => {
  const build = await buildWorker(dir.path);
  const texts = [build, build.reader].map((worker) =>
    filesOf(worker)
      .map((file) => readFileSync(file, "utf8"))
      .join(""),
  );
  for (const text of texts) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_WORKER_BYTES);
  // A name that minifying leaves: a class of pdf.js.
  expect(texts.map((text) => text.includes("InvalidPDFException"))).toEqual([false, true]);
});

test.concurrent.each([
  { name: "list", args: [], parts: ["d1:db"], isReader: true },
  { name: "pause", args: ["1"], parts: ["d1:db", "r2:bucket", "queues:queue"], isReader: false },
])("$name starts $parts and no other simulator", (started) => expectSimulators(dir.path, started));

test.concurrent("a command that reads the ledger loads miniflare: false", async () => {
  expect(await loadsMiniflare(dir.path, {}, "list")).toBe(false);
});

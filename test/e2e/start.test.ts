import { execFile } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { WorkerBuild } from "../../src/cli/machine/stored-build.ts";
import { buildWorker } from "../../src/cli/machine/worker-build.ts";
import { run, scratch, startWith } from "./cli.ts";

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

/** The entry comes first. */
function filesOf({ folder, files }: Pick<WorkerBuild, "folder" | "files">): string[] {
  return files.map((file) => join(folder, file));
}

/** Workers may have 64 MiB since 2026-09: https://developers.cloudflare.com/workers/platform/limits/#worker-size */
const MAX_WORKER_BYTES = 16 * 1024 * 1024;
/**
 * Cloudflare allows one second: https://developers.cloudflare.com/workers/platform/limits/#worker-startup-time.
 * Machines differ: one version took less than 400 ms on one and 420 ms on another.
 */
const MAX_START_MS = 600;
/**
 * What the work of the script below took where the Worker started in 400 ms. A slower machine has as much more time.
 */
const WORK_MS = 100;
const STARTS = 3;

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

/** Modules of the runtime, as far as the start of a Worker touches them. Without BOOT it starts as on Cloudflare. */
const RUNTIME = `data:text/javascript,${[
  "DurableObject",
  "WorkerEntrypoint",
  "WorkflowEntrypoint",
  "RpcTarget",
  "NonRetryableError",
]
  .map((name) => `export class ${name} {};`)
  .join("")}export const env = {}; export const exports = {};`;

test.each(["main", "reader"])("the %s Worker starts in less than 600 ms of CPU time", async (which) => {
  const build = await buildWorker(dir.path);
  const [script] = filesOf(which === "main" ? build : build.reader);
  const source = join(dir.path, `start-${which}.mjs`);
  writeFileSync(
    source,
    `import { registerHooks } from "node:module";
    const runtime = { url: ${JSON.stringify(RUNTIME)}, shortCircuit: true };
    registerHooks({ resolve: (name, context, next) => (name.startsWith("cloudflare:") ? runtime : next(name, context)) });
    const measure = async (work) => {
      const before = process.cpuUsage();
      await work();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    const work = await measure(() => {
      for (let round = 0; round < 60; round++)
        JSON.parse(JSON.stringify(Array.from({ length: 4_000 }, (_, at) => ({ at, name: "n" + at * round }))));
    });
    const start = await measure(() => import(${JSON.stringify(script)}));
    console.log(JSON.stringify({ work, start }));`,
  );
  // Other processes can only add to it, so the least of a few starts says what the Worker takes.
  const taken: { work: number; start: number }[] = [];
  for (let start = 0; start < STARTS; start++)
    taken.push(JSON.parse((await promisify(execFile)(process.execPath, [source])).stdout));
  const [work, start] = [Math.min(...taken.map((one) => one.work)), Math.min(...taken.map((one) => one.start))];
  expect(start).toBeGreaterThan(0);
  expect(start).toBeLessThan(MAX_START_MS * Math.max(1, work / WORK_MS));
});

/** The configuration that a command hands to workerd. The command then fails, because nothing starts. */
async function configOf(name: string, ...args: string[]): Promise<string> {
  const workerd = join(dir.path, `workerd-${name}`);
  writeFileSync(workerd, '#!/bin/sh\ncat > "$0.config"\n');
  chmodSync(workerd, 0o755);
  const state = join(dir.path, `state-${name}`);
  mkdirSync(state);
  const { code } = await startWith({ MINIFLARE_WORKERD_PATH: workerd }, [name, ...args, "--state", state]).ended;
  expect(code).toBe(1);
  return readFileSync(`${workerd}.config`, "latin1");
}

test.concurrent.each([
  { name: "list", args: [], parts: ["d1:db"], isReader: true },
  { name: "diff", args: ["http://127.0.0.1/", "--crawl", "1"], parts: ["d1:db", "r2:bucket"], isReader: true },
  { name: "pause", args: ["1"], parts: ["d1:db", "r2:bucket", "queues:queue"], isReader: false },
])("$name starts $parts and no other simulator", async ({ name, args, parts, isReader }) => {
  const config = await configOf(name, ...args);
  const simulators = ["d1:db", "r2:bucket", "queues:queue", "cache:cache"];
  expect(simulators.filter((service) => config.includes(`${service}\0`))).toEqual(parts);
  expect(config.includes("--initial-old-space-size=4\0")).toBe(!isReader);
});

/** Whether a command loads miniflare, by one of its packages: it is asked for as any module. */
async function loadsMiniflare(variables: Record<string, string>, ...args: string[]): Promise<boolean> {
  const folder = mkdtempSync(join(dir.path, "loads-"));
  const hook = join(folder, "hook.mjs");
  const mark = join(folder, "loaded");
  writeFileSync(
    hook,
    `import { writeFileSync } from "node:fs";
    import { registerHooks } from "node:module";
    registerHooks({
      load: (url, context, next) => {
        if (url.includes("/node_modules/undici/")) writeFileSync(${JSON.stringify(mark)}, url);
        return next(url, context);
      },
    });`,
  );
  const env = { NODE_OPTIONS: `--import ${pathToFileURL(hook)}`, ...variables };
  const { code } = await startWith(env, [...args, "--state", join(folder, "state")]).ended;
  expect(code).toBe(0);
  return existsSync(mark);
}

test.concurrent.each<{ what: string; env: Record<string, string>; loads: boolean }>([
  { what: "a command that reads the ledger", env: {}, loads: false },
  { what: "one with a variable of its own", env: { OWN_HOSTS: "example.com" }, loads: true },
])("$what loads miniflare: $loads", async ({ env, loads }) => {
  expect(await loadsMiniflare(env, "list")).toBe(loads);
});

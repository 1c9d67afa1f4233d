import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildWorker } from "../../src/cli/machine/worker-build.ts";
import { scratch } from "./cli.ts";
import { expectSimulators, filesOf, loadsMiniflare } from "./starts.ts";

/** The time that a Worker takes to start, and more commands than start.test.ts has. */

const dir = scratch();

// The first start after a change of the sources builds.
beforeAll(() => buildWorker(dir.path));
afterAll(() => dir.remove());

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

test.concurrent("diff starts [ 'd1:db', 'r2:bucket' ] and no other simulator", async () => {
  const args = ["http://127.0.0.1/", "--crawl", "1"];
  await expectSimulators(dir.path, { name: "diff", args, parts: ["d1:db", "r2:bucket"], isReader: true });
});

test.concurrent("one with a variable of its own loads miniflare: true", async () => {
  expect(await loadsMiniflare(dir.path, { OWN_HOSTS: "example.com" }, "list")).toBe(true);
});

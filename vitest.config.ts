import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig, type TestProjectConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * In the order of their projects: a process goes on to the next file only where it is of the same one. Those that wait
 * most come first.
 */
class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = ["long-browser", "long", "long-workerd", "e2e", "workerd", "unit"];
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => order.indexOf(a.project.name) - order.indexOf(b.project.name));
  }
}

/** Tests that wait long, draw in a browser, fill disks and memory, or crawl many days: `npm run test:long`. */
const LONG = ["test/{e2e,unit}/**/*.long.test.ts"];
const LONG_WORKERD = ["test/workerd/**/*.long.test.ts"];

/**
 * Those of them that start a browser. Each takes a core and more, and sites and log-ins have their deadlines, so fewer
 * of them run at a time, and beside no others.
 */
const LONG_BROWSER = readdirSync("test/e2e")
  .filter((name) => name.endsWith(".long.test.ts"))
  .map((name) => join("test/e2e", name))
  .filter((path) => /from "(\.\/(browser|look|player|load-by)\.ts|playwright-core)"/.test(readFileSync(path, "utf8")));

const LONG_GROUP = { maxWorkers: 3, sequence: { groupOrder: 1 } };

/** On a busy machine. They only bound what hangs: a test waits for what it checks. */
const E2E = {
  globalSetup: ["test/e2e/ledger-template.ts"],
  setupFiles: ["test/same-process.ts"],
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
  isolate: false,
};

/** In workerd, with the bindings that the deployed Worker has. */
function workerd(
  name: string,
  include: string[],
  exclude: string[],
  group: Partial<typeof LONG_GROUP> = {},
): TestProjectConfiguration {
  return {
    plugins: [
      cloudflareTest(async () => ({
        wrangler: { configPath: "./wrangler.toml" },
        miniflare: {
          // A test of several ledgers binds them under their names.
          d1Databases: { TEST_LEDGER_1: "test-ledger-1", TEST_LEDGER_2: "test-ledger-2" },
          // Tests of documents call the reader in their own process.
          serviceBindings: {
            READER: () => new Response("there is no reader here", { status: 503 }),
            BROWSER: () => new Response("there is no browser here", { status: 503 }),
          },
          // wrangler.toml's would have miniflare download a browser. Under this name nobody asks it.
          browserRendering: { binding: "UNUSED_BROWSER" },
          bindings: {
            TEST_MIGRATIONS: await readD1Migrations("./migrations"),
            API_TOKEN: "test-token older-token",
            ALLOW_PRIVATE: "true",
            // Most tests lay their pages into the mirror themselves.
            STORE: "files",
            SESSION_KEY: "dGhlIGtleSBvZiB0aGUgdGVzdHMsIDMyIGJ5dGVzISE=",
            READ_TOKEN: "reading-token older-reading-token",
            RATE_LIMITS: "off",
            // Nobody listens there. A test that has a model brings it along.
            MODEL_URL: "http://127.0.0.1:9/v1",
            MODEL: "no-model",
            // Most tests crawl made-up hosts without a delay.
            OWN_HOSTS: "*.test *.example *.invalid example.com",
            CHAOS_RUNS: process.env.CHAOS_RUNS ?? "6",
            CHAOS_SEED: process.env.CHAOS_SEED ?? "1",
            CHAOS_TRACE: process.env.CHAOS_TRACE ?? "",
          },
        },
      })),
    ],
    test: {
      name,
      include,
      exclude,
      setupFiles: ["test/workerd/setup.ts"],
      testTimeout: 120_000,
      hookTimeout: 120_000,
      isolate: false,
      unstubGlobals: true,
      ...group,
    },
  };
}

export default defineConfig({
  test: {
    // Most of the time is spent waiting for a host to be polite to, so four files at a time fit on two cores.
    maxWorkers: 4,
    sequence: { sequencer: ByProject },
    // isolate: false in each project: files follow one another in one process, or one workerd, whose start and whose
    // modules cost more than most of them. So no file may change a module, or leave a variable changed
    // (same-process.ts), and one of the workerd project begins with nothing kept (its setup.ts).
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/unit/**/*.test.ts"],
          exclude: LONG,
          setupFiles: ["test/same-process.ts", "test/unit/property-runs.ts"],
          // It only bounds what hangs: readers run as processes of low priority beside all other tests.
          testTimeout: 120_000,
          isolate: false,
          unstubGlobals: true,
        },
      },
      workerd("workerd", ["test/workerd/**/*.test.ts"], LONG_WORKERD),
      workerd("long-workerd", LONG_WORKERD, [], LONG_GROUP),
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          exclude: LONG,
          ...E2E,
        },
      },
      { test: { name: "long", include: LONG, exclude: LONG_BROWSER, ...LONG_GROUP, ...E2E } },
      {
        test: {
          name: "long-browser",
          include: LONG_BROWSER,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
          ...E2E,
        },
      },
    ],
  },
});

import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // Most of the time is spent waiting for a host to be polite to, so three files at a time fit on two cores.
    maxWorkers: 3,
    projects: [
      { test: { name: "unit", include: ["test/unit/**/*.test.ts"], testTimeout: 30_000 } },
      {
        plugins: [
          cloudflareTest(async () => ({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              bindings: {
                TEST_MIGRATIONS: await readD1Migrations("./migrations"),
                API_TOKEN: "test-token older-token",
                ALLOW_PRIVATE: "true",
                READ_TOKEN: "reading-token older-reading-token",
                RATE_LIMITS: "off",
                OWN_HOSTS: "own.test second.test",
                CHAOS_RUNS: process.env.CHAOS_RUNS ?? "40",
              },
            },
          })),
        ],
        test: {
          name: "workerd",
          include: ["test/workerd/**/*.test.ts"],
          setupFiles: ["test/workerd/setup.ts"],
          testTimeout: 30_000,
        },
      },
      { test: { name: "e2e", include: ["test/e2e/**/*.test.ts"], testTimeout: 120_000, hookTimeout: 60_000 } },
    ],
  },
});

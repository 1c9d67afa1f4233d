import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

/** Runs one watch inside workerd. `ORDER` comes from run-pipeline.ts. */
export default defineConfig({
  plugins: [
    cloudflareTest(async () => ({
      wrangler: { configPath: "./wrangler.toml" },
      miniflare: {
        // No page of a history is a document.
        serviceBindings: { READER: () => new Response("there is no reader here", { status: 503 }) },
        bindings: {
          TEST_MIGRATIONS: await readD1Migrations("./migrations"),
          API_TOKEN: "bench-token",
          ALLOW_PRIVATE: "true",
          RATE_LIMITS: "off",
          ORDER: process.env.ORDER ?? "",
        },
      },
    })),
  ],
  test: {
    include: ["bench/freshness/pipeline/watch-run.ts"],
    setupFiles: ["test/workerd/setup.ts"],
    testTimeout: 7_200_000,
  },
});

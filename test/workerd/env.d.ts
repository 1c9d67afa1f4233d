declare namespace Cloudflare {
  interface Env {
    CHAOS_RUNS?: string;
    TEST_MIGRATIONS: import("@cloudflare/vitest-plugin").D1Migration[];
  }
}

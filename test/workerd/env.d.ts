declare namespace Cloudflare {
  interface Env {
    CHAOS_RUNS: string;
    SESSION_KEY: string;
    OWN_HOSTS: string;
    CHAOS_SEED: string;
    CHAOS_TRACE: string;
    TEST_LEDGER_1: D1Database;
    TEST_LEDGER_2: D1Database;
    TEST_MIGRATIONS: import("@cloudflare/vitest-plugin").D1Migration[];
  }
}

/** A file of the repository, as text. */
declare module "*.md?raw" {
  const text: string;
  export default text;
}

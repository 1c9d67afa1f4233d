import { applyD1Migrations, env } from "cloudflare:test";

await applyD1Migrations(env.LEDGER, env.TEST_MIGRATIONS);

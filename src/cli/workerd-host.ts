import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { D1Database } from "@cloudflare/workers-types"; // the Worker's types, for the migrations
import { serveDiagnosis } from "./diagnosis.ts";
import { UserError } from "./errors.ts";
import { endGroupWithProcess } from "./process-group.ts";
import { lockState, logsOf } from "./state.ts";
import { checkDatabases, hasMigrations, migrationsListOf } from "./state-databases.ts";

/**
 * The process that starts and stops workerd on this machine, with the wrangler.toml of a deploy. workerd.ts starts it
 * with an IPC channel; it ends when that channel closes.
 *
 * It uses wrangler's startWorker, which reads the configuration and bundles like a deploy. See docs/decisions/0001.
 */

/** The one message to the host process. */
export interface HostOrder {
  state: string;
  /** 0 selects a free port. */
  port: number;
  token: string;
  /** A token for reading only. */
  readToken?: string;
}

/** The one message from the host process. */
export type HostAnswer = { url: string } | { problem: string };

const ROOT = join(import.meta.dirname, "..", "..");
const CONFIG = join(ROOT, "wrangler.toml");
const MIGRATIONS = join(ROOT, "migrations");
/** In real time. A test or bench with a faster clock sends more heartbeats itself. */
const HEARTBEAT_MS = 60_000;
/** For tests and benches: the CLOCK of src/env.d.ts. */
const { ORBWEAVER_CLOCK } = process.env;
/** How long workerd may take to end. It usually ends at once. */
const DISPOSE_MS = 5_000;

async function host(order: HostOrder): Promise<void> {
  endGroupWithProcess();
  // Until workerd has started, nothing is in flight: the exit ends what has begun.
  const abandon = () => process.exit(1);
  process.once("disconnect", abandon);
  const state = await lockState(order.state);
  process.once("exit", () => state.release());
  if (order.port !== 0) await probePort(order.port);
  checkDatabases(state.path);
  configure(state.path);
  const wrangler = await import("wrangler");
  await migrate(wrangler, state.path);
  const worker = await wrangler.unstable_startWorker({
    config: CONFIG,
    bindings: {
      // wrangler writes the values of all bindings to its log, except those of secrets.
      API_TOKEN: { type: "secret_text", value: order.token },
      ...(order.readToken === undefined ? {} : { READ_TOKEN: { type: "secret_text", value: order.readToken } }),
      // The command line polls several times a second.
      RATE_LIMITS: { type: "plain_text", value: "off" },
      ALLOW_PRIVATE: { type: "plain_text", value: "true" },
      ...(ORBWEAVER_CLOCK === undefined ? {} : { CLOCK: { type: "plain_text", value: ORBWEAVER_CLOCK } }),
      BOOT: { type: "plain_text", value: randomUUID() },
      DIAGNOSIS: {
        type: "fetcher",
        fetcher: async (request: { url: string; text(): Promise<string> }) => (await serveDiagnosis(request)) as never,
      },
    },
    dev: {
      server: { hostname: "127.0.0.1", port: order.port },
      persist: state.path,
      inspector: false,
      watch: false,
      logLevel: "none",
    },
  });
  await worker.ready;
  const url = (await worker.url).origin;
  setInterval(() => void runHeartbeat(url), HEARTBEAT_MS);
  process.off("disconnect", abandon);
  process.once("disconnect", () => {
    setTimeout(() => process.exit(1), DISPOSE_MS).unref();
    void worker.dispose().finally(() => process.exit(0));
  });
  // The command that started this process may have ended already.
  if (process.connected) answer({ url });
  else process.exit(0);
}

function answer(message: HostAnswer): void {
  process.send?.(message);
}

/** Runs the cron trigger, which does not run by itself locally. */
async function runHeartbeat(url: string): Promise<void> {
  await fetch(`${url}/cdn-cgi/local/scheduled`).catch((error: unknown) => console.error("heartbeat:", String(error)));
}

/** Sets wrangler's environment, before its import: logs go into the state folder, unused features are off. */
export function configure(state: string): void {
  process.env.WRANGLER_LOG_PATH = logsOf(state);
  process.env.WRANGLER_SEND_METRICS = "false";
  process.env.WRANGLER_HIDE_BANNER = "true";
  process.env.WRANGLER_LOG = "none";
  process.env.CLOUDFLARE_CF_FETCH_ENABLED = "false";
  // Traces of every invocation, and a page to browse them, would take a third of the time of a crawl.
  process.env.X_LOCAL_OBSERVABILITY = "false";
  process.env.X_LOCAL_EXPLORER = "false";
  // A small nursery and small initial heaps make V8 collect the garbage of a page soon. Otherwise the heap of each of
  // workerd's twenty isolates grows to many times the memory that it needs, and a third more stays outside the heaps.
  // CPU time per page is the same.
  process.env.MINIFLARE_WORKERD_V8_FLAGS ??= "--max-semi-space-size=1 --initial-old-space-size=4";
}

/**
 * Applies the pending migrations like `wrangler d1 migrations apply --local`, with the same table, but without a
 * wrangler process. Most starts need none: the database file says which it has, and `ledger.json` that wrangler.toml
 * still names this database.
 */
async function migrate(wrangler: typeof import("wrangler"), state: string): Promise<void> {
  const names = readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith(".sql"))
    .sort();
  // A configuration with only the database: the proxy runs without our Worker, so no binding may refer to it.
  const { compatibility_date, d1_databases } = wrangler.unstable_readConfig({ config: CONFIG });
  const config = JSON.stringify({ name: "orbweaver-migrations", compatibility_date, d1_databases });
  const configPath = join(state, "ledger.json");
  const isSameDatabase = existsSync(configPath) && readFileSync(configPath, "utf8") === config;
  if (isSameDatabase && hasMigrations(state, names)) return;
  writeFileSync(configPath, config);
  const split = (wrangler as unknown as { unstable_splitSqlQuery(sql: string): string[] }).unstable_splitSqlQuery;
  const proxy = await wrangler.getPlatformProxy<{ LEDGER: D1Database }>({
    configPath,
    persist: { path: join(state, "v3") },
  });
  try {
    const db = proxy.env.LEDGER;
    await db
      .prepare(
        "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)",
      )
      .run();
    const { results } = await db.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
    const applied = new Set(results.map((row) => row.name));
    for (const name of names.filter((name) => !applied.has(name))) {
      const statements = split(readFileSync(join(MIGRATIONS, name), "utf8"));
      await db.batch([
        ...statements.map((sql) => db.prepare(sql)),
        db.prepare("INSERT INTO d1_migrations (name) VALUES (?1)").bind(name),
      ]);
    }
  } finally {
    await proxy.dispose();
  }
  writeFileSync(migrationsListOf(state), JSON.stringify(names));
}

/** Throws UserError if the port is in use. */
async function probePort(port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "EADDRINUSE" ? "is in use" : `cannot be used (${error.code})`;
      reject(new UserError(`Port ${port} ${why}. Choose another with --port N.`));
    });
    server.listen(port, "127.0.0.1", () => server.close(() => resolve()));
  });
}

process.once("message", (order: HostOrder) => {
  host(order).catch((error: unknown) => {
    if (!(error instanceof UserError)) console.error(error);
    const [firstLine = ""] = String(error).split("\n");
    answer({
      problem:
        error instanceof UserError
          ? error.message
          : `workerd did not start: ${firstLine}. The logs in ${logsOf(order.state)} may tell why.`,
    });
    process.exit(1);
  });
});

import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { D1Database } from "@cloudflare/workers-types"; // the Worker's types, for the migrations
import { diagnose } from "./diagnosis.ts";
import { UserError } from "./errors.ts";
import { takeState } from "./state.ts";

/**
 * The process around workerd: brings the Worker up on this machine, from the same wrangler.toml that `wrangler deploy` takes, and takes
 * it down again. A process of its own (see workerd.ts), started with an IPC channel; it ends when that channel does.
 *
 * Through wrangler's startWorker: it reads the configuration and bundles as a deploy does, where miniflare's own options changed shape
 * from one major version to the next.
 */

/** What the host is told, once. */
export interface HostOrder {
  state: string;
  /** 0 takes any. */
  port: number;
  token: string;
  /** One that only reads. */
  readToken?: string;
}

/** What the host answers, once. */
export type HostAnswer = { url: string } | { problem: string };

const ROOT = join(import.meta.dirname, "..", "..");
const CONFIG = join(ROOT, "wrangler.toml");
const MIGRATIONS = join(ROOT, "migrations");
/** In real time: whoever sets another clock sends more heartbeats. */
const HEARTBEAT_MS = 60_000;
/** For tests and benches: the CLOCK of src/env.d.ts. */
const { ORBWEAVER_CLOCK } = process.env;
/** workerd ends at once; this is for when it does not. */
const DISPOSE_MS = 5_000;

async function host(order: HostOrder): Promise<void> {
  const state = await takeState(order.state);
  process.once("exit", () => state.release());
  if (order.port !== 0) await probePort(order.port);
  configure(state.path);
  const wrangler = await import("wrangler");
  await migrate(wrangler, state.path);
  const worker = await wrangler.unstable_startWorker({
    config: CONFIG,
    bindings: {
      API_TOKEN: { type: "plain_text", value: order.token },
      ...(order.readToken === undefined ? {} : { READ_TOKEN: { type: "plain_text", value: order.readToken } }),
      // The command line asks several times a second, and nobody else is on this machine.
      RATE_LIMITS: { type: "plain_text", value: "off" },
      // A kill costs a page then, and not a batch; and nobody here pays for each object.
      STORE: { type: "plain_text", value: "files" },
      ALLOW_PRIVATE: { type: "plain_text", value: "true" },
      ...(ORBWEAVER_CLOCK === undefined ? {} : { CLOCK: { type: "plain_text", value: ORBWEAVER_CLOCK } }),
      BOOT: { type: "plain_text", value: randomUUID() },
      DIAGNOSIS: {
        type: "fetcher",
        fetcher: async (request: { text(): Promise<string> }) =>
          Response.json(await diagnose(await request.text())) as never,
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
  setInterval(() => void beat(url), HEARTBEAT_MS);
  process.once("disconnect", () => {
    setTimeout(() => process.exit(1), DISPOSE_MS).unref();
    void worker.dispose().finally(() => process.exit(0));
  });
  // The command that started us may be gone already.
  if (process.connected) answer({ url });
  else process.exit(0);
}

function answer(message: HostAnswer): void {
  process.send?.(message);
}

/** Locally the cron trigger fires only when asked. A beat that fails is followed by the next one. */
async function beat(url: string): Promise<void> {
  await fetch(`${url}/cdn-cgi/local/scheduled`).catch((error: unknown) => console.error("heartbeat:", String(error)));
}

/** wrangler is to keep its logs with the state, and to itself, and to leave out what a crawl has no use for. Read when it is imported. */
function configure(state: string): void {
  process.env.WRANGLER_LOG_PATH = join(state, "logs");
  process.env.WRANGLER_SEND_METRICS = "false";
  process.env.WRANGLER_HIDE_BANNER = "true";
  process.env.WRANGLER_LOG = "none";
  process.env.CLOUDFLARE_CF_FETCH_ENABLED = "false";
  // Traces of every invocation, and a page to browse them: a third of the time of a crawl.
  process.env.X_LOCAL_OBSERVABILITY = "false";
  process.env.X_LOCAL_EXPLORER = "false";
  // What a page leaves behind is collected soon, by a small nursery and by heaps that begin small: each of workerd's twenty isolates lets its
  // own grow to many times what it needs else, and keeps what lies outside, a third of all. A page takes no more CPU time for it.
  process.env.MINIFLARE_WORKERD_V8_FLAGS ??= "--max-semi-space-size=1 --initial-old-space-size=4";
}

/**
 * Applies the migrations that this state has not seen, as `wrangler d1 migrations apply --local` does, with its table, but without
 * starting wrangler as a program of its own. What was applied is noted beside the database, so that most starts ask nobody.
 */
async function migrate(wrangler: typeof import("wrangler"), state: string): Promise<void> {
  const names = readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith(".sql"))
    .sort();
  const note = join(state, "migrations.json");
  if (existsSync(note) && readFileSync(note, "utf8") === JSON.stringify(names)) return;
  // A configuration of the database alone: the proxy runs without our Worker, so it can't have bindings that lead back to it.
  const { compatibility_date, d1_databases } = wrangler.unstable_readConfig({ config: CONFIG });
  const configPath = join(state, "ledger.json");
  writeFileSync(configPath, JSON.stringify({ name: "orbweaver-migrations", compatibility_date, d1_databases }));
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
  writeFileSync(note, JSON.stringify(names));
}

/** Throws UserError when the port is taken. */
async function probePort(port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "EADDRINUSE" ? "is in use" : `cannot be used (${error.code})`;
      reject(new UserError(`Port ${port} ${why}. Name another with --port N.`));
    });
    server.listen(port, "127.0.0.1", () => server.close(() => resolve()));
  });
}

process.once("message", (order: HostOrder) => {
  host(order).catch((error: unknown) => {
    answer({ problem: error instanceof UserError ? error.message : `workerd did not start: ${String(error)}` });
    process.exit(1);
  });
});

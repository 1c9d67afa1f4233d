import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createServer, isIPv6 } from "node:net";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";
import type { Miniflare, Request, V4MiniflareOptions } from "miniflare";
import { StateInUse, UserError } from "../errors.ts";
import { type DiagnosisRequest, serveDiagnosis } from "../installation/diagnosis.ts";
import { readIdentityFile } from "../installation/identity-file.ts";
import { ROOT } from "../installation/package-root.ts";
import { sessionKeyOf } from "../installation/session-key.ts";
import { lockState } from "../installation/state-lock.ts";
import { logsOf } from "../installation/state-paths.ts";
import { useBrowser } from "./browser-script.ts";
import { extraCertificates } from "./extra-certificates.ts";
import { buildHook, HOOK_NAME } from "./hook-build.ts";
import { loadMiniflare } from "./load-miniflare.ts";
import { countLedgers, setLedgers, withLocalLedgers } from "./local-ledgers.ts";
import type { WorkerOptions } from "./make-build.ts";
import { copyLedger, isMigrated, migrate } from "./migrate.ts";
import type { NodeNetwork } from "./network/node-network.ts";
import { diagnoseByNode, openNodeNetwork } from "./network/open-network.ts";
import { endGroupWithProcess } from "./process-group.ts";
import { ReaderProcesses } from "./reader-processes.ts";
import { useReaderScript } from "./reader-script.ts";
import { checkDatabases } from "./state-databases.ts";
import { type StateAddress, StateSocket } from "./state-socket.ts";
import { notesFolder, watchBrowsers } from "./watch-browser.ts";
import { buildWorker, cacheFolder, type WorkerBuild } from "./worker-build.ts";

/**
 * The process that starts and stops workerd on this machine, with the wrangler.toml of a deploy. host-process.ts
 * starts it with its state folder and an IPC channel; it ends when that channel closes.
 *
 * wrangler reads the configuration and bundles like a deploy, once (worker-build.ts). miniflare, the part of wrangler
 * that runs workerd, starts from that. See docs/decisions/0001.
 */

/** The first message to the host process. The second, of any value, asks whether it goes on for other commands. */
export interface HostOrder {
  /** 0 selects a free port. */
  port: number;
  /** The address to listen on; absent for this machine alone. */
  host?: string;
  token: string;
  /** A token for reading only. */
  readToken?: string;
  /** Whether it goes on when commands that use it beside this one end, and ends when this one does. */
  stays?: boolean;
  /** Whether the state folder is removed at the end, also when the command was killed. */
  isTemporary?: boolean;
  /** Whether browsers come, which need the files of public/. */
  hasConsole?: boolean;
  /** What the command reads, if it changes nothing. */
  reads?: Reads;
  /** The program of the browser that renders pages; absent if no crawl of the command does. */
  browser?: string;
  /** Hosts whose certificates are not checked. */
  insecure?: string[];
  /** The file of the operator's hook; absent if there is none. */
  hook?: string;
  /** How many ledgers the state folder has from now on; absent for as many as before. */
  ledgers?: number;
}

/** The ledger alone, or the stored pages too. */
export type Reads = "ledger" | "pages";

/** The first message from the host process. The second is a boolean: it goes on for other commands. */
export type HostAnswer =
  | {
      url: string;
      warnings: string[];
      /** Whether other commands can join it. */
      isShared: boolean;
    }
  | { problem: string; isInUse: boolean };

/**
 * workerd's own word for addresses outside of this network, checked when it connects, and Azure's metadata, whose
 * number alone is public. https://github.com/cloudflare/workerd/blob/main/src/workerd/server/workerd.capnp (Network)
 */
function publicNetwork(trustedCertificates: readonly string[]) {
  const tlsOptions = { trustBrowserCas: true, trustedCertificates };
  return { network: { allow: ["public"], deny: ["168.63.129.16/32"], tlsOptions } };
}

/** Reachable from this machine alone. */
const LOOPBACK = "127.0.0.1";
/** In real time. A test or bench with a faster clock sends more heartbeats itself. */
const HEARTBEAT_MS = 60_000;
/**
 * For tests and benches: the CLOCK of src/env.d.ts, the time for one document in milliseconds, the number of reader
 * processes, whether /cdn-cgi/local/scheduled sends a heartbeat without a token, and the port of workerd's inspector.
 */
const { ORBWEAVER_CLOCK, ORBWEAVER_READER_MS, ORBWEAVER_READERS, ORBWEAVER_TRIGGERS, ORBWEAVER_INSPECTOR } =
  process.env;
/** The operator's word on private addresses and on hosts of one's own, see src/env.d.ts. */
const { ALLOW_PRIVATE, OWN_HOSTS } = process.env;
/** The model that finds values in pages, see src/env.d.ts. */
const MODEL_VARIABLES = [
  "MODEL_URL",
  "MODEL_KEY",
  "MODEL",
  "MODEL_OPTIONS",
  "MODEL_CHARACTERS",
  "MODEL_TIMEOUT_S",
  "MODEL_PRICES",
];
/** How long workerd may take to end. It usually ends at once. */
const DISPOSE_MS = 5_000;

async function host(path: string, order: HostOrder): Promise<void> {
  // Until workerd has started, nothing is in flight: the exit ends what has begun.
  const abandon = () => process.exit(1);
  process.once("disconnect", abandon);
  const state = await lockState(path);
  process.once("exit", () => {
    state.release();
    if (order.isTemporary) rmSync(path, { recursive: true, force: true });
  });
  const { host: address = LOOPBACK } = order;
  if (order.port !== 0) await probePort(order.port, address);
  checkDatabases(state.path);
  const { browser } = order;
  const cache = cacheFolder(state.path, "browser");
  if (browser !== undefined) watchBrowsers(notesFolder(cache));
  const warnings = browser === undefined ? [] : useBrowser(browser, cache);
  if (order.ledgers !== undefined) setLedgers(state.path, order.ledgers);
  const build = withLedgers(await buildWorker(state.path), countLedgers(state.path));
  copyLedger(build.emptyLedger, state.path);
  const hasAllMigrations = isMigrated(state.path, build.ledger);
  const reader = new ReaderProcesses(build.reader, {
    ...(ORBWEAVER_READER_MS === undefined ? {} : { limitMs: Number(ORBWEAVER_READER_MS) }),
    ...(ORBWEAVER_READERS === undefined ? {} : { readers: Number(ORBWEAVER_READERS) }),
  });
  const hook =
    order.hook === undefined
      ? null
      : await buildHook(order.hook, join(state.path, "hook"), build.options.compatibilityDate);
  const network = await openNodeNetwork(order.insecure ?? []);
  const worker = startWorker(state.path, order, build, reader, hook, network);
  const { port } = await worker.ready;
  // All addresses include the one that only this machine reaches.
  const url = `http://${isWildcard(address) ? LOOPBACK : isIPv6(address) ? `[${address}]` : address}:${port}`;
  useReaderScript(cacheFolder(state.path, "reader"));
  if (!hasAllMigrations) await migrate((name) => worker.getD1Database(name), state.path, build.ledger);
  if (order.reads === undefined) setInterval(() => void runHeartbeat(worker), HEARTBEAT_MS);
  // A Worker that only reads serves no other command, and is soon gone.
  const socket =
    order.reads === undefined ? await StateSocket.open(state.path, toldOf(url, order), () => process.connected) : null;
  process.off("disconnect", abandon);
  process.once("disconnect", () => void end(worker, reader, socket, order));
  process.once("message", () => {
    const goesOn = order.stays !== true && socket !== null && socket.guests > 0;
    // From the answer on nobody joins.
    if (!goesOn) socket?.close();
    process.send?.(goesOn);
  });
  // The command that started this process may have ended already.
  if (process.connected) answer({ url, warnings, isShared: socket !== null });
  else process.exit(0);
}

/** The build with the ledgers of the state folder. */
function withLedgers({ options, ledger, ...build }: WorkerBuild, count: number): WorkerBuild {
  const d1Databases = withLocalLedgers(ledger.d1Databases, count);
  return { ...build, options: { ...options, d1Databases }, ledger: { ...ledger, d1Databases } };
}

function toldOf(url: string, { token, stays = false, browser }: HostOrder): StateAddress {
  return { url, token: token.split(" ")[0] ?? "", stays, hasBrowser: browser !== undefined };
}

/** Ends workerd when the command that started it has ended, and those that have joined it. */
async function end(
  worker: Miniflare,
  reader: ReaderProcesses,
  socket: StateSocket | null,
  { stays }: HostOrder,
): Promise<void> {
  if (!stays) await socket?.left();
  socket?.close();
  setTimeout(() => process.exit(1), DISPOSE_MS).unref();
  await Promise.allSettled([worker.dispose(), reader.dispose()]);
  process.exit(0);
}

/** With the same options as `wrangler dev`. The log of this process has the logs of workerd and of the Worker. */
function startWorker(
  state: string,
  order: HostOrder,
  build: WorkerBuild,
  reader: ReaderProcesses,
  hook: WorkerOptions | null,
  network: NodeNetwork | null,
): Miniflare {
  // A Worker that only reads ends before its memory matters, and workerd uses its own compile cache without V8 flags.
  if (order.reads !== undefined) delete process.env.MINIFLARE_WORKERD_V8_FLAGS;
  const { Log, LogLevel, Miniflare, convertV4MiniflareOptions } = loadMiniflare();
  const { port, token, readToken } = order;
  const { script, name } = build;
  const options = selectOptions(build.options, order);
  const contents = readFileSync(script, "utf8");
  const vars = devVars();
  const worker = {
    ...options,
    name,
    modulesRoot: dirname(script),
    modules: [{ type: "ESModule", path: script, contents }],
    bindings: {
      ...options.bindings,
      SESSION_KEY: sessionKeyOf(state),
      ...vars,
      ...readIdentityFile(state),
      API_TOKEN: token,
      ...(readToken === undefined ? {} : { READ_TOKEN: readToken }),
      ALLOW_PRIVATE: ALLOW_PRIVATE ?? vars.ALLOW_PRIVATE ?? "seeds",
      ...(OWN_HOSTS === undefined ? {} : { OWN_HOSTS }),
      ...Object.fromEntries(MODEL_VARIABLES.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
      ...(ORBWEAVER_CLOCK === undefined ? {} : { CLOCK: ORBWEAVER_CLOCK }),
      BOOT: randomUUID(),
      READERS: String(reader.count),
    },
    serviceBindings: {
      DIAGNOSIS: (request: DiagnosisRequest) =>
        network === null ? serveDiagnosis(request, state) : diagnoseByNode(request, network, state),
      READER: (request: Request) => reader.fetch(request),
      PUBLIC_NETWORK: network === null ? publicNetwork(extraCertificates()) : network.service("public"),
      ...(network === null ? {} : { OPEN_NETWORK: network.service("any") }),
      ...(hook === null ? {} : { HOOK: HOOK_NAME }),
    },
  };
  const shared = {
    host: order.host ?? LOOPBACK,
    port,
    resourcePersistencePath: join(state, "v3"),
    unsafeTriggerHandlers: ORBWEAVER_TRIGGERS === "1",
    ...(ORBWEAVER_INSPECTOR === undefined ? {} : { inspectorPort: Number(ORBWEAVER_INSPECTOR) }),
    logRequests: false,
    log: new Log(LogLevel.WARN),
    handleStructuredLogs: ({ message }: { message: string }) => console.log(message),
    workers: hook === null ? [worker] : [worker, hook],
  };
  return new Miniflare(convertV4MiniflareOptions(shared as unknown as V4MiniflareOptions));
}

/**
 * Without what the command does not use: miniflare simulates each kind of binding in Workers of their own, and all of
 * them start before the first request. A Worker that only reads has no queue to send to.
 */
function selectOptions(
  { assets, queueProducers, queueConsumers, r2Buckets, browserRendering, ...options }: WorkerOptions,
  { hasConsole, reads, browser }: Pick<HostOrder, "hasConsole" | "reads" | "browser">,
): WorkerOptions {
  return {
    ...options,
    ...(hasConsole ? { assets } : {}),
    ...(reads === undefined ? { queueProducers, queueConsumers } : {}),
    ...(reads === "ledger" ? {} : { r2Buckets }),
    ...(browser === undefined ? {} : { browserRendering }),
  };
}

/** https://developers.cloudflare.com/workers/local-development/environment-variables/ */
function devVars(): NodeJS.Dict<string> {
  const file = join(ROOT, ".dev.vars");
  return existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {};
}

function answer(message: HostAnswer): void {
  process.send?.(message);
}

/** Runs the cron trigger, which does not run by itself locally. */
async function runHeartbeat(worker: Miniflare): Promise<void> {
  try {
    await (await worker.getWorker()).scheduled({ cron: "* * * * *" });
  } catch (error) {
    console.error("heartbeat:", String(error));
  }
}

/**
 * Sets the environment of wrangler and miniflare, before their import: logs go into the state folder, unused features
 * are off.
 */
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

function isWildcard(address: string): boolean {
  return address === "0.0.0.0" || address === "::";
}

/** Throws UserError if the port is in use, or if the address is not this machine's. */
async function probePort(port: number, address: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND")
        return reject(new UserError(`${address} is no address of this machine. --host takes one, or 0.0.0.0 for all.`));
      const why = error.code === "EADDRINUSE" ? "is in use" : `cannot be used (${error.code})`;
      reject(new UserError(`Port ${port} ${why}. Choose another with --port N.`));
    });
    server.listen(port, address, () => server.close(() => resolve()));
  });
}

/** Absent where a bench imports this file. */
const [, , statePath] = process.argv;
if (process.send !== undefined && statePath !== undefined) {
  process.once("message", (order: HostOrder) => {
    host(statePath, order).catch((error: unknown) => {
      if (!(error instanceof UserError)) console.error(error);
      const [firstLine = ""] = String(error).split("\n");
      answer({
        problem:
          error instanceof UserError
            ? error.message
            : `workerd did not start: ${firstLine}. The logs in ${logsOf(statePath)} may tell why.`,
        isInUse: error instanceof StateInUse,
      });
      process.exit(1);
    });
  });
  configure(statePath);
  // Before miniflare is loaded: a process with a small heap forks faster.
  endGroupWithProcess();
  loadMiniflare();
}

import { rmSync } from "node:fs";
import { createServer, isIPv6 } from "node:net";
import { join } from "node:path";
import { LOCAL_HEARTBEAT } from "../../core/local-heartbeat.ts";
import { StateInUse, UserError } from "../errors.ts";
import { IS_PACKAGE } from "../installation/package-root.ts";
import { writableOr } from "../installation/reading-state.ts";
import { sendRequest } from "../installation/send-request.ts";
import { lockState } from "../installation/state-lock.ts";
import { logsOf, readingState } from "../installation/state-paths.ts";
import { useBrowser } from "./browser-script.ts";
import { FetcherProcess, hasFetcherProcess } from "./fetcher-process.ts";
import { buildHook } from "./hook-build.ts";
import { type HostAnswer, type HostOrder, LOADS_MINIFLARE } from "./host-order.ts";
import { configureMiniflare, loadMiniflare } from "./load-miniflare.ts";
import { countLedgers, setLedgers, withLocalLedgers } from "./local-ledgers.ts";
import { LOOPBACK, startWorker, variablesOf, type WorkerStart } from "./local-worker.ts";
import { copyLedger, isMigrated, migrate } from "./migrate.ts";
import { openNodeNetwork } from "./network/open-network.ts";
import { endGroupWithProcess } from "./process-group.ts";
import { ReaderProcesses } from "./reader-processes.ts";
import { useReaderScript } from "./reader-script.ts";
import { type Started, startKept } from "./start-kept.ts";
import { checkDatabases } from "./state-databases.ts";
import { type StateAddress, StateSocket } from "./state-socket.ts";
import type { WorkerBuild } from "./stored-build.ts";
import { notesFolder, watchBrowsers } from "./watch-browser.ts";
import { buildWorker, cacheFolder } from "./worker-build.ts";

/**
 * The process that starts and stops workerd on this machine, with the wrangler.toml of a deploy. host-process.ts
 * starts it with its state folder and an IPC channel; it ends when that channel closes.
 *
 * The Worker is built once (worker-build.ts). miniflare, the part of wrangler that runs workerd, starts from that; most
 * commands do without (start-kept.ts). See docs/decisions/0001.
 */

/** In real time. A test or bench with a faster clock sends more heartbeats itself. */
const HEARTBEAT_MS = 60_000;
/** For tests and benches: the time for one document in milliseconds, and the number of reader processes. */
const { ORBWEAVER_READER_MS, ORBWEAVER_READERS } = process.env;
/** How long workerd may take to end. It usually ends at once. */
const DISPOSE_MS = 5_000;

async function host(path: string, order: HostOrder): Promise<void> {
  // Until workerd has started, nothing is in flight: the exit ends what has begun.
  const abandon = () => process.exit(1);
  process.once("disconnect", abandon);
  const state = await lockState(path, { starts: true });
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
  copyLedger(build.folder, state.path);
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
  // Those of a package fit all state folders of this user. One of a clone goes with its build.
  const shared = IS_PACKAGE ? join(readingState(), "messages") : build.folder;
  const messages = () => writableOr(shared, join(state.path, "messages"));
  const isUsual = hasAllMigrations && network === null;
  const variables = variablesOf(state.path, order, reader.count);
  // A proxy, and certificates that are not checked, are the business of this process.
  const mayFetch = order.reads === undefined && network === null && hasFetcherProcess();
  const fetcher = mayFetch ? new FetcherProcess({ build, state: state.path, variables }) : null;
  const start = { state: state.path, order, build, variables, reader, fetcher };
  const kept = isUsual ? await startKept({ ...start, messages }) : null;
  const worker = kept ?? (await startMiniflare({ ...start, hook, network }));
  // All addresses include the one that only this machine reaches.
  const url = `http://${isWildcard(address) ? LOOPBACK : isIPv6(address) ? `[${address}]` : address}:${worker.port}`;
  useReaderScript(cacheFolder(state.path, "reader"));
  if (!hasAllMigrations) await worker.migrate?.();
  if (order.reads === undefined) setInterval(() => void runHeartbeat(url, order), HEARTBEAT_MS);
  // A Worker that only reads serves no other command, and is soon gone.
  const socket =
    order.reads === undefined ? await StateSocket.open(state.path, toldOf(url, order), () => process.connected) : null;
  state.noteStarted();
  process.off("disconnect", abandon);
  process.once("disconnect", () => void end([worker, reader, ...(fetcher === null ? [] : [fetcher])], socket, order));
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

function toldOf(url: string, order: HostOrder): StateAddress {
  const { stays = false, browser } = order;
  return { url, token: tokenOf(order), stays, hasBrowser: browser !== undefined };
}

/** The newest of its tokens. */
function tokenOf({ token }: HostOrder): string {
  return token.split(" ")[0] ?? "";
}

/** Ends workerd when the command that started it has ended, and those that have joined it. */
async function end(
  processes: readonly { dispose(): Promise<unknown> }[],
  socket: StateSocket | null,
  { stays }: HostOrder,
): Promise<void> {
  if (!stays) await socket?.left();
  socket?.close();
  setTimeout(() => process.exit(1), DISPOSE_MS).unref();
  await Promise.allSettled(processes.map((each) => each.dispose()));
  process.exit(0);
}

async function startMiniflare(start: WorkerStart): Promise<Started> {
  const { state, build } = start;
  const miniflare = startWorker(start);
  const { port } = await miniflare.ready;
  return {
    port: Number(port),
    dispose: () => miniflare.dispose(),
    migrate: () => migrate((name) => miniflare.getD1Database(name), state, build.ledger),
  };
}

/** Cron does not run by itself here. */
async function runHeartbeat(url: string, order: HostOrder): Promise<void> {
  try {
    const headers = { authorization: `Bearer ${tokenOf(order)}` };
    const answer = await sendRequest(url + LOCAL_HEARTBEAT, { method: "POST", headers });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    answer.cancel();
  } catch (error) {
    console.error("heartbeat:", String(error));
  }
}

function answer(message: HostAnswer): void {
  process.send?.(message);
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
const [, , statePath, guess] = process.argv;
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
        inUse: error instanceof StateInUse ? { holder: error.holder, isStarting: error.isStarting } : null,
      });
      process.exit(1);
    });
  });
  configureMiniflare(logsOf(statePath));
  // Before miniflare is loaded: a process with a small heap forks faster.
  endGroupWithProcess();
  if (guess === LOADS_MINIFLARE) loadMiniflare();
}

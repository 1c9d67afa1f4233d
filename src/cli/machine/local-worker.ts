import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import type { Miniflare, Request, V4MiniflareOptions } from "miniflare";
import { type DiagnosisRequest, type FetcherStart, serveDiagnosis } from "../installation/diagnosis.ts";
import { readIdentityFile } from "../installation/identity-file.ts";
import { ROOT } from "../installation/package-root.ts";
import { sessionKeyOf } from "../installation/session-key.ts";
import { extraCertificates } from "./extra-certificates.ts";
import { HOOK_NAME } from "./hook-build.ts";
import type { HostOrder } from "./host-order.ts";
import { loadMiniflare } from "./load-miniflare.ts";
import type { NodeNetwork } from "./network/node-network.ts";
import { diagnoseByNode } from "./network/open-network.ts";
import type { ReaderProcesses } from "./reader-processes.ts";
import { modulesOf, type WorkerBuild, type WorkerOptions } from "./stored-build.ts";

/** The Worker as miniflare runs it on this machine, with the same options as `wrangler dev`. */

/**
 * The addresses to which a network of workerd connects, checked when it does. "public" is workerd's own word for
 * addresses outside of this network; that of Azure's metadata is public by its number alone. Without a network of its
 * own, each request would pass a Worker of miniflare, which adds headers of Cloudflare.
 * https://github.com/cloudflare/workerd/blob/main/src/workerd/server/workerd.capnp (Network)
 */
export const NETWORKS = {
  public: { allow: ["public"], deny: ["168.63.129.16/32"] },
  any: { allow: ["public", "private"], deny: [] },
};

/** Reachable from this machine alone. */
export const LOOPBACK = "127.0.0.1";
/** For tests and benches: CLOCK and FETCHER_ALWAYS of src/env.d.ts, and the port of workerd's inspector. */
const { ORBWEAVER_CLOCK, ORBWEAVER_LONG_LANES, ORBWEAVER_INSPECTOR, ORBWEAVER_FETCHER } = process.env;
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

/** The variables of the Worker that wrangler.toml does not have. `readers`: how many documents are read at once. */
export function variablesOf(
  state: string,
  { token, readToken }: Pick<HostOrder, "token" | "readToken">,
  readers: number,
): Record<string, string | undefined> {
  const vars = devVars();
  return {
    SESSION_KEY: sessionKeyOf(state),
    ...vars,
    ...readIdentityFile(state),
    API_TOKEN: token,
    ...(readToken === undefined ? {} : { READ_TOKEN: readToken }),
    ALLOW_PRIVATE: ALLOW_PRIVATE ?? vars.ALLOW_PRIVATE ?? "seeds",
    ...(OWN_HOSTS === undefined ? {} : { OWN_HOSTS }),
    ...Object.fromEntries(MODEL_VARIABLES.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
    ...(ORBWEAVER_CLOCK === undefined ? {} : { CLOCK: ORBWEAVER_CLOCK }),
    ...(ORBWEAVER_LONG_LANES === undefined ? {} : { LONG_LANES: ORBWEAVER_LONG_LANES }),
    ...(ORBWEAVER_FETCHER === "always" ? { FETCHER_ALWAYS: "1" } : {}),
    BOOT: randomUUID(),
    READERS: String(readers),
  };
}

/** Whether workerd has more sockets than that of the Worker. */
export const HAS_INSPECTOR = ORBWEAVER_INSPECTOR !== undefined;

/** The fetcher process (fetcher-process.ts). `address`: where it listens, as workerd takes it. */
export interface FetcherPlace extends FetcherStart {
  address: string;
}

export interface WorkerStart {
  state: string;
  order: Pick<HostOrder, "port" | "host" | "hasConsole" | "reads" | "browser">;
  build: WorkerBuild;
  /** Those of `variablesOf`. */
  variables: Record<string, string | undefined>;
  reader: Pick<ReaderProcesses, "fetch">;
  /** Null where pages are fetched in the crawler's workerd alone. */
  fetcher: FetcherPlace | null;
  hook: WorkerOptions | null;
  network: NodeNetwork | null;
  /** The folder of the build in stack traces; absent for its own. */
  modulesRoot?: string;
}

/** The log of this process has the logs of workerd and of the Worker. */
export function startWorker(start: WorkerStart): Miniflare {
  const { state, order, build, variables, reader, fetcher, hook, network } = start;
  // A Worker that only reads ends before its memory matters, and workerd uses its own compile cache without V8 flags.
  if (order.reads !== undefined) delete process.env.MINIFLARE_WORKERD_V8_FLAGS;
  const { Log, LogLevel, Miniflare, convertV4MiniflareOptions } = loadMiniflare();
  const options = selectOptions(build.options, order);
  const tlsOptions = { trustBrowserCas: true, trustedCertificates: extraCertificates() };
  const networkTo = (addresses: keyof typeof NETWORKS) =>
    network === null ? { network: { ...NETWORKS[addresses], tlsOptions } } : network.service(addresses);
  const worker = {
    ...options,
    name: build.name,
    ...modulesOf(build, start.modulesRoot),
    bindings: { ...options.bindings, ...variables },
    serviceBindings: {
      DIAGNOSIS: (request: DiagnosisRequest) =>
        network === null ? serveDiagnosis(request, state, fetcher) : diagnoseByNode(request, network, state),
      READER: (request: Request) => reader.fetch(request),
      ...(fetcher === null ? {} : { FETCHER_PROCESS: { external: { address: fetcher.address, http: {} } } }),
      PUBLIC_NETWORK: networkTo("public"),
      OPEN_NETWORK: networkTo("any"),
      ...(hook === null ? {} : { HOOK: HOOK_NAME }),
    },
  };
  const shared = {
    host: order.host ?? LOOPBACK,
    port: order.port,
    resourcePersistencePath: join(state, "v3"),
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

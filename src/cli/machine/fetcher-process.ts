import { randomBytes, randomUUID } from "node:crypto";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { serveDiagnosis } from "../installation/diagnosis.ts";
import { extraCertificates } from "./extra-certificates.ts";
import { workerdFlags } from "./load-miniflare.ts";
import { type FetcherPlace, LOOPBACK, NETWORKS } from "./local-worker.ts";
import { LOOPBACK_HEADER, SERVICE_HEADER, serveMachine } from "./machine-services.ts";
import { workerdPath } from "./reader-script.ts";
import { spawnWorkerd } from "./spawn-workerd.ts";
import type { WorkerBuild } from "./stored-build.ts";

/**
 * The fetcher process: a second workerd, which fetches and reads pages (src/fetcher.ts) where this machine has a core
 * for it. The crawler's workerd has one thread for all its isolates, and calls it by RPC over a socket that only this
 * user reaches. It starts when the crawler asks for it.
 */

/** The name by which miniflare has workerd speak RPC to an external service (`HOST_CAPNP_CONNECT` of miniflare). */
const RPC_HOST = "miniflare-unsafe-internal-capnp-connect";
/** For how long the crawler may use it after it has asked, in milliseconds. */
const FETCHER_LEASE_MS = 60_000;
/** It ends when nobody has asked for so long: longer than the longest page of a lease takes. */
const FETCHER_IDLE_MS = 900_000;
/** The variables of the Worker that its requests depend on; the values of others stay with the crawler. */
const FETCHING = /^(ALLOW_PRIVATE|BOOT|CLOCK|RESOLVER|IDENTITY_\w+)$/;
/** For tests and benches: "off" for none; "always" for one on any machine, under any load. */
const { ORBWEAVER_FETCHER } = process.env;

interface FetcherSettings {
  build: WorkerBuild;
  state: string;
  /** Those of the Worker. */
  variables: Record<string, string | undefined>;
}

/** The longest path of a socket, in bytes: macOS takes 104 with a zero at the end, Linux 108. */
const MAX_SOCKET_PATH = 103;

/** Whether this machine runs one. Windows has no such sockets in workerd. */
export function hasFetcherProcess(
  cores = availableParallelism(),
  wish = ORBWEAVER_FETCHER,
  temporary = tmpdir(),
): boolean {
  const isShort = Buffer.byteLength(socketIn(newFolder(temporary))) <= MAX_SOCKET_PATH;
  if (process.platform === "win32" || wish === "off" || !isShort) return false;
  return wish === "always" || cores > 1;
}

function newFolder(temporary: string): string {
  return join(temporary, `orbweaver-fetcher-${randomBytes(8).toString("hex")}`);
}

function socketIn(folder: string): string {
  return join(folder, "socket");
}

interface Running {
  end(): Promise<void>;
}

export class FetcherProcess implements FetcherPlace {
  readonly #settings: FetcherSettings;
  /** Made at the first start. Only this user may enter it. */
  readonly #folder = newFolder(tmpdir());
  #running: Promise<Running> | null = null;
  #idle: NodeJS.Timeout | undefined;
  #starts = 0;

  constructor(settings: FetcherSettings) {
    this.#settings = settings;
  }

  /** The address of its socket, in the notation of workerd. */
  get address(): string {
    return `unix:${socketIn(this.#folder)}`;
  }

  /** Starts it, or has it stay. Returns for how long the crawler may use it, in milliseconds. Throws if it fails. */
  async ask(): Promise<number> {
    this.#running ??= this.#start();
    await this.#running;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.dispose(), FETCHER_IDLE_MS).unref();
    return FETCHER_LEASE_MS;
  }

  async dispose(): Promise<void> {
    clearTimeout(this.#idle);
    const running = this.#running;
    this.#running = null;
    await running?.then(({ end }) => end()).catch(() => undefined);
  }

  async #start(): Promise<Running> {
    const { state } = this.#settings;
    const secret = randomUUID();
    const machine = await serveMachine({ DIAGNOSIS: (request) => serveDiagnosis(request, state) }, secret);
    this.#starts += 1;
    const own = this.#starts;
    const forget = () => {
      machine.close();
      if (this.#starts === own) this.#running = null;
    };
    try {
      if (this.#starts === 1) this.#makeFolder();
      const variables = this.#variables();
      const config = this.#writeConfig(`${LOOPBACK}:${machine.port}`, secret, Object.keys(variables));
      rmSync(socketIn(this.#folder), { force: true });
      const args = ["--experimental", config];
      const { child, ended } = await spawnWorkerd(workerdPath(), args, "fetcher", null, variables);
      void ended.then(forget);
      console.log(`The fetcher process ${child.pid} has started.`);
      const end = async () => {
        child.kill("SIGKILL");
        await ended;
      };
      return { end };
    } catch (error) {
      forget();
      throw error;
    }
  }

  #makeFolder(): void {
    mkdirSync(this.#folder, { mode: 0o700 });
    process.once("exit", () => rmSync(this.#folder, { recursive: true, force: true }));
  }

  /** Those of the Worker on which its requests depend. */
  #variables(): Record<string, string> {
    const { build, variables } = this.#settings;
    const all = Object.entries({ ...build.options.bindings, ...variables });
    return Object.fromEntries(
      all.flatMap(([name, value]) => (FETCHING.test(name) && typeof value === "string" ? [[name, value]] : [])),
    );
  }

  /** https://github.com/cloudflare/workerd/blob/main/src/workerd/server/workerd.capnp */
  #writeConfig(machine: string, secret: string, variables: readonly string[]): string {
    const { build } = this.#settings;
    const files = join(this.#folder, "build");
    rmSync(files, { force: true });
    // `embed` takes paths beside the configuration alone.
    symlinkSync(build.folder, files);
    const { compatibilityDate, compatibilityFlags } = build.options as unknown as typeof build.reader;
    const modules = build.fetcher.map((file) => `(name = ${text(file)}, esModule = embed ${text(`build/${file}`)})`);
    // Among them is the key that signs requests, which no file may have but its own.
    const texts = variables.map((name) => `(name = ${text(name)}, fromEnvironment = ${text(name)})`);
    const tls = `tlsOptions = (trustBrowserCas = true, trustedCertificates = ${list(extraCertificates().map(text))})`;
    const networkTo = (addresses: keyof typeof NETWORKS) => {
      const { allow, deny } = NETWORKS[addresses];
      return `network = (allow = ${list(allow.map(text))}, deny = ${list(deny.map(text))}, ${tls})`;
    };
    const headers = list([
      `(name = ${text(LOOPBACK_HEADER)}, value = ${text(secret)})`,
      `(name = ${text(SERVICE_HEADER)}, value = "fetcher/#DIAGNOSIS")`,
    ]);
    const config = join(this.#folder, "config.capnp");
    writeFileSync(
      config,
      `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "fetcher", worker = .fetcher),
    (name = "internet", ${networkTo("any")}),
    (name = "public", ${networkTo("public")}),
    (name = "machine", external = (address = ${text(machine)}, http = (injectRequestHeaders = ${headers}))),
    (name = "nothing", network = (allow = [])),
  ],
  sockets = [(name = "fetcher", address = ${text(this.address)}, service = "fetcher", http = (capnpConnectHost = ${text(RPC_HOST)}))],
  v8Flags = ${list(workerdFlags().split(" ").map(text))},
  structuredLogging = true,
);
const fetcher :Workerd.Worker = (
  modules = ${list(modules)},
  compatibilityDate = ${text(compatibilityDate)},
  compatibilityFlags = ${list(compatibilityFlags.map(text))},
  bindings = ${list([
    ...texts,
    '(name = "PUBLIC_NETWORK", service = "public")',
    '(name = "DIAGNOSIS", service = "machine")',
    // Only whether there is one counts here: the crawler has documents read.
    '(name = "READER", service = "nothing")',
  ])},
);
`,
      { mode: 0o600 },
    );
    return config;
  }
}

/** A text as Cap'n Proto's language has it, whose escapes are those of C: https://capnproto.org/language.html */
function text(value: string): string {
  return JSON.stringify(value);
}

function list(items: readonly string[]): string {
  return `[${items.join(", ")}]`;
}

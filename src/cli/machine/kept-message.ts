import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { freeBytesOf } from "./disk.ts";
import type { HostOrder } from "./host-order.ts";
import { configureMiniflare } from "./load-miniflare.ts";
import { HAS_INSPECTOR, LOOPBACK, startWorker, variablesOf } from "./local-worker.ts";
import { workerdPath } from "./reader-script.ts";
import { quote, writeScript } from "./shell-script.ts";
import type { WorkerBuild } from "./stored-build.ts";

/**
 * The message by which miniflare starts workerd for a command that reads the ledger alone. It is always the same, but
 * for five values and the folders of workerd's storage. So the build keeps it, and such a command need not load
 * miniflare, which takes a third of its time.
 */

interface KeptMessage {
  /** The large files of the build, in the order of the message. They are not kept a second time. */
  files: { file: string; at: number }[];
  /** Where the message has the values that are new at each start, in bytes. */
  places: Record<NewVariable, number>;
  /** Where it has the words by which the proxy for miniflare, and our answers, know who asks. */
  secrets: Secrets<number>;
  /** The names of workerd's storage with their folders in the state folder; null for a temporary one. */
  folders: Record<string, string | null>;
}

interface Secrets<T> {
  /** `ProxyServer` of miniflare takes operations on all bindings from whoever knows it. */
  proxy: T;
  /** workerd sends it with each request to this process. */
  loopback: T;
}

/** A workerd that runs. */
export interface Started {
  port: number;
  dispose(): Promise<unknown>;
  /** Brings its ledgers up to date. Absent for one that has all migrations, and so is the next. */
  migrate?(): Promise<void>;
}

/** The variables that are new at each start, and how many characters each has. */
const NEW = { API_TOKEN: 32, SESSION_KEY: 44, BOOT: 36 };
type NewVariable = keyof typeof NEW;
const NEW_NAMES = Object.keys(NEW) as NewVariable[];
/** The other variables. A start that has more, or others, is left to miniflare. */
const SAME = { ALLOW_PRIVATE: "seeds", READERS: "0" };
/** How many random bytes each has. The second one is sent in hexadecimal digits. */
const SECRET_BYTES: Secrets<number> = { proxy: 16, loopback: 32 };
const LOOPBACK_HEADER = "MF-Loopback-Secret";
/** No document is read. */
const NO_READERS = 0;

/** A smaller file stays in the message, for its text may stand there twice. */
const LARGE_BYTES = 10_000;
/** In place of the folder of the build, which may lie elsewhere later. */
const ROOT_OF_MODULES = "/orbweaver";

const messageOf = (folder: string) => join(folder, "reads-ledger.bin");
const placesOf = (folder: string) => join(folder, "reads-ledger.json");

/** Keeps the message in the folder of a build. miniflare writes it to a script in the place of workerd. */
export async function keepMessage(build: WorkerBuild): Promise<void> {
  const state = mkdtempSync(join(tmpdir(), "orbweaver-message-"));
  const { MINIFLARE_WORKERD_PATH, MINIFLARE_WORKERD_V8_FLAGS, MINIFLARE_WORKERD_CONFIG_DEBUG } = process.env;
  configureMiniflare(state);
  try {
    const script = join(state, "workerd");
    writeScript(script, [`cat > ${quote(messageOf(build.folder))}`]);
    const config = join(state, "config.json");
    Object.assign(process.env, { MINIFLARE_WORKERD_PATH: script, MINIFLARE_WORKERD_CONFIG_DEBUG: config });
    const random = (length: number) => randomBytes(length).toString("hex").slice(0, length);
    const fresh = Object.fromEntries(NEW_NAMES.map((name) => [name, random(NEW[name])])) as Record<NewVariable, string>;
    const reader = { fetch: () => Promise.reject(new Error("no document is read")) };
    const worker = startWorker({
      state,
      order: { port: 0, reads: "ledger" },
      build,
      variables: { ...SAME, ...fresh },
      reader,
      hook: null,
      network: null,
      modulesRoot: ROOT_OF_MODULES,
    });
    // The script listens nowhere.
    await worker.ready.catch(() => undefined);
    await worker.dispose().catch(() => undefined);
    const message = withoutOwnPaths(readFileSync(messageOf(build.folder)));
    const kept = describeMessage(message, build, state, fresh, secretsIn(readFileSync(config, "utf8")));
    if (kept === null) return rmSync(messageOf(build.folder));
    writeFileSync(messageOf(build.folder), withoutFiles(message, kept, build.folder));
    if (readMessage(kept, build.folder).equals(message)) writeFileSync(placesOf(build.folder), JSON.stringify(kept));
  } finally {
    setVariables({ MINIFLARE_WORKERD_PATH, MINIFLARE_WORKERD_V8_FLAGS, MINIFLARE_WORKERD_CONFIG_DEBUG });
    rmSync(state, { recursive: true, force: true });
  }
}

/** Comments in miniflare's scripts name where they stand on the machine that builds a package. The length must stay. */
function withoutOwnPaths(message: Buffer): Buffer {
  const root = fileURLToPath(new URL("..", import.meta.resolve("miniflare")));
  const other = "/".padEnd(root.length, "_");
  return Buffer.from(message.toString("latin1").replaceAll(root, other), "latin1");
}

function setVariables(variables: NodeJS.Dict<string>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

/**
 * The secrets in what miniflare writes down of its configuration, as the message has them. Null if they are not there.
 */
function secretsIn(config: string): Secrets<Buffer> | null {
  // Both are named once. Buffers are written as their toJSON().
  const proxy = /"name": "MINIFLARE_PROXY_SECRET",\s+"data": \{\s+"type": "Buffer",\s+"data": (\[[\d,\s]+\])/.exec(
    config,
  );
  const loopback = new RegExp(`"name": "${LOOPBACK_HEADER}",\\s+"value": "([0-9a-f]+)"`).exec(config);
  if (proxy?.[1] === undefined || loopback?.[1] === undefined) return null;
  return { proxy: Buffer.from(JSON.parse(proxy[1]) as number[]), loopback: Buffer.from(loopback[1]) };
}

/** Null if it is not as expected, as another version of miniflare may write it. */
function describeMessage(
  message: Buffer,
  build: WorkerBuild,
  state: string,
  fresh: Record<NewVariable, string>,
  secret: Secrets<Buffer> | null,
): KeptMessage | null {
  if (secret?.proxy.length !== SECRET_BYTES.proxy || secret.loopback.length !== 2 * SECRET_BYTES.loopback) return null;
  const secrets = { proxy: message.indexOf(secret.proxy), loopback: message.indexOf(secret.loopback) };
  const root = join(state, "v3/");
  const folders: KeptMessage["folders"] = {};
  for (const { name, path } of foldersIn(message, root)) folders[name] = path.slice(root.length);
  for (const { name } of foldersIn(message, join(tmpdir(), "miniflare-"))) folders[name] = null;
  const places = Object.fromEntries(NEW_NAMES.map((name) => [name, message.indexOf(fresh[name])])) as Record<
    NewVariable,
    number
  >;
  const files = build.files
    .map((file) => ({ file, contents: readFileSync(join(build.folder, file)) }))
    .filter(({ contents }) => contents.length >= LARGE_BYTES)
    .map(({ file, contents }) => ({ file, at: message.indexOf(contents) }))
    .sort((a, b) => a.at - b.at);
  const all = [...files.map(({ at }) => at), ...Object.values(places), ...Object.values(secrets)];
  const isKnown = all.every((at) => at >= 0) && Object.values(folders).includes("d1");
  return isKnown ? { files, places, secrets, folders } : null;
}

/**
 * The services of workerd that are a folder below `root`. Cap'n Proto writes each as its name, two words (that it can
 * be written, and a pointer to the path), and the path. A text ends with a zero, and more zeros fill up its last word
 * of eight bytes: https://capnproto.org/encoding.html
 */
function foldersIn(message: Buffer, root: string): { name: string; path: string }[] {
  const found: { name: string; path: string }[] = [];
  for (let at = message.indexOf(root); at !== -1; at = message.indexOf(root, at + 1)) {
    const path = message.toString("latin1", at, message.indexOf(0, at));
    let end = at - 16;
    while (message[end - 1] === 0) end -= 1;
    found.push({ name: message.toString("latin1", message.lastIndexOf(0, end - 1) + 1, end), path });
  }
  return found;
}

function withoutFiles(message: Buffer, { files }: KeptMessage, folder: string): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (const { file, at } of files) {
    parts.push(message.subarray(from, at));
    from = at + statSync(join(folder, file)).size;
  }
  return Buffer.concat([...parts, message.subarray(from)]);
}

function readMessage({ files }: KeptMessage, folder: string): Buffer {
  const kept = readFileSync(messageOf(folder));
  const parts: Buffer[] = [];
  let from = 0;
  let length = 0;
  for (const { file, at } of files) {
    const before = kept.subarray(from, from + at - length);
    const contents = readFileSync(join(folder, file));
    parts.push(before, contents);
    from += before.length;
    length = at + contents.length;
  }
  return Buffer.concat([...parts, kept.subarray(from)]);
}

/**
 * Starts workerd with the kept message. Null if there is none, or if this start differs by more than the message
 * allows: by other variables, another network or more ledgers.
 */
export async function startKept(
  state: string,
  order: HostOrder,
  build: WorkerBuild,
  hasOwnNetwork: boolean,
): Promise<Started | null> {
  if (order.reads !== "ledger" || hasOwnNetwork || HAS_INSPECTOR || order.port !== 0) return null;
  if (Object.keys(build.ledger.d1Databases).length > 1 || !existsSync(placesOf(build.folder))) return null;
  const variables = variablesOf(state, order, NO_READERS);
  const isSame =
    Object.keys(variables).length === NEW_NAMES.length + Object.keys(SAME).length &&
    Object.entries(SAME).every(([name, value]) => variables[name] === value) &&
    NEW_NAMES.every((name) => variables[name]?.length === NEW[name]);
  if (!isSame) return null;
  const kept = JSON.parse(readFileSync(placesOf(build.folder), "utf8")) as KeptMessage;
  const message = readMessage(kept, build.folder);
  for (const name of NEW_NAMES) message.write(variables[name] ?? "", kept.places[name], "latin1");
  const loopback = randomBytes(SECRET_BYTES.loopback).toString("hex");
  message.write(loopback, kept.secrets.loopback, "latin1");
  message.set(randomBytes(SECRET_BYTES.proxy), kept.secrets.proxy);
  return runWorkerd(message, state, kept.folders, loopback);
}

async function runWorkerd(
  message: Buffer,
  state: string,
  folders: KeptMessage["folders"],
  secret: string,
): Promise<Started> {
  const temporary = mkdtempSync(join(tmpdir(), "orbweaver-"));
  const storage = Object.entries(folders).map(([name, folder]) => {
    const path = folder === null ? join(temporary, name.replaceAll(":", "-")) : join(state, "v3", folder);
    mkdirSync(path, { recursive: true });
    return `--directory-path=${name}=${path}`;
  });
  const machine = await serveDisk(state, secret);
  const child = spawn(
    process.env.MINIFLARE_WORKERD_PATH ?? workerdPath(),
    [
      "serve",
      "--binary",
      "--experimental",
      `--socket-addr=entry=${LOOPBACK}:0`,
      `--external-addr=loopback=${LOOPBACK}:${machine.port}`,
      ...storage,
      "--control-fd=3",
      "-",
    ],
    { stdio: ["pipe", "pipe", "pipe", "pipe"], env: { ...process.env, TZ: "UTC", FORCE_COLOR: "0" } },
  );
  const ended = once(child, "exit");
  for (const output of [child.stdout, child.stderr]) logLines(output);
  // A workerd that fails reads no more, and its end says so.
  child.stdin.on("error", () => undefined).end(message);
  const port = await Promise.race([listens(child.stdio[3] as Readable), ended.then(() => null)]);
  const dispose = async () => {
    child.kill("SIGKILL");
    await ended;
    machine.close();
    rmSync(temporary, { recursive: true, force: true });
  };
  if (port !== null) return { port, dispose };
  await dispose();
  throw new Error("workerd ended before it listened");
}

/** Answers what a Worker that only reads asks of this machine: what is free on the disk (DIAGNOSIS of src/env.d.ts). */
async function serveDisk(state: string, secret: string): Promise<{ port: number; close(): void }> {
  // An import of node:http also loads all of `fetch`.
  const { createServer } = process.getBuiltinModule("node:http");
  const server = createServer((request, response) => {
    if (request.headers[LOOPBACK_HEADER.toLowerCase()] !== secret) return response.writeHead(403).end();
    if (request.url !== "/disk") return response.writeHead(404).end();
    freeBytesOf(state).then(
      (freeBytes) => response.setHeader("content-type", "application/json").end(JSON.stringify({ freeBytes })),
      () => response.writeHead(500).end(),
    );
  });
  await once(server.listen(0, LOOPBACK), "listening");
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { port: (server.address() as AddressInfo).port, close };
}

/** Resolves with the port of the Worker. */
async function listens(control: Readable): Promise<number> {
  for await (const line of createInterface(control)) {
    const { event, socket, port } = JSON.parse(line) as { event: string; socket?: string; port: number };
    if (event === "listen" && socket === "entry") return port;
  }
  return new Promise(() => undefined);
}

/** workerd wraps what the Worker logs in JSON, and other lines are its own. */
function logLines(output: Readable): void {
  createInterface(output).on("line", (line) => {
    try {
      console.log((JSON.parse(line) as { message: string }).message);
    } catch {
      console.log(line);
    }
  });
}

import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { extraCertificates } from "./extra-certificates.ts";
import { KEPT_STARTS, type KeptStart } from "./host-order.ts";
import { configureMiniflare, workerdFlags } from "./load-miniflare.ts";
import { startWorker } from "./local-worker.ts";
import { LOOPBACK_HEADER } from "./machine-services.ts";
import { quote, writeScript } from "./shell-script.ts";
import type { WorkerBuild } from "./stored-build.ts";

/**
 * The messages by which miniflare starts workerd for most commands. They are always the same, but for some values and
 * the folders of workerd's storage. So the build keeps them, and such a command need not load miniflare, which takes a
 * third of its time (start-kept.ts).
 */

export interface KeptMessage {
  /** The large files of the build, in the order of the message. They are not kept a second time. */
  files: { file: string; at: number }[];
  /** Where the message has the values that are new at each start, in bytes. */
  places: Record<NewVariable, number>;
  /** Where it has the words by which the proxy for miniflare, and our answers, know who asks. */
  secrets: Secrets<number>;
  /** The names of workerd's storage with their folders in the state folder; null for a temporary one. */
  folders: Record<string, string | null>;
  /** The name of the service that is the fetcher process; null without one. */
  fetcher: string | null;
}

interface Secrets<T> {
  /** `ProxyServer` of miniflare takes operations on all bindings from whoever knows it. */
  proxy: T;
  /** workerd sends it with each request to this process. */
  loopback: T;
}

/** The variables that are new at each start, and how many characters each has. */
export const NEW = { API_TOKEN: 32, SESSION_KEY: 44, BOOT: 36, READERS: 8 };
type NewVariable = keyof typeof NEW;
export const NEW_NAMES = Object.keys(NEW) as NewVariable[];
/** The other variables. A start that has more, or others, is left to miniflare. */
export const SAME = { ALLOW_PRIVATE: "seeds" };
/** How many random bytes each has. The second one is sent in hexadecimal digits. */
export const SECRET_BYTES: Secrets<number> = { proxy: 16, loopback: 32 };

/** A smaller file stays in the message, for its text may stand there twice. */
const LARGE_BYTES = 10_000;
/** In place of the folder of the build, which may lie elsewhere later. */
const ROOT_OF_MODULES = "/orbweaver";

/** As a name of files, with the digest of all that is not filled in. */
function nameOf(start: KeptStart, { folder, files: [entry = ""] }: WorkerBuild): string {
  // What only reads asks no other machine, and has no flags.
  const own = start === "crawl" ? [workerdFlags(), ...extraCertificates()] : [];
  const digest = createHash("sha256").update(JSON.stringify(own));
  const miniflare = createRequire(import.meta.url).resolve("miniflare/package.json");
  for (const file of [miniflare, join(folder, "build.json"), join(folder, entry)]) digest.update(readFileSync(file));
  return `${start}-${digest.digest("hex").slice(0, 16)}`;
}

/** Keeps all messages in the folder of a build, for a package. */
export async function keepMessages(build: WorkerBuild): Promise<void> {
  for (const start of Object.keys(KEPT_STARTS) as KeptStart[]) await keepMessage(start, build, build.folder);
}

/** Keeps the message of a start in a folder. miniflare writes it to a script in the place of workerd. */
export async function keepMessage(start: KeptStart, build: WorkerBuild, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const name = nameOf(start, build);
  const partial = join(folder, `${name}.${process.pid}`);
  const state = mkdtempSync(join(tmpdir(), "orbweaver-message-"));
  const variables = { ...process.env };
  configureMiniflare(state);
  try {
    const script = join(state, "workerd");
    writeScript(script, [`cat > ${quote(partial)}`]);
    const config = join(state, "config.json");
    Object.assign(process.env, { MINIFLARE_WORKERD_PATH: script, MINIFLARE_WORKERD_CONFIG_DEBUG: config });
    const random = (length: number) => randomBytes(length).toString("hex").slice(0, length);
    const fresh = Object.fromEntries(NEW_NAMES.map((each) => [each, random(NEW[each])])) as Record<NewVariable, string>;
    const reader = { fetch: () => Promise.reject(new Error("no document is read")) };
    const worker = startWorker({
      state,
      order: { port: 0, ...KEPT_STARTS[start] },
      build,
      variables: { ...SAME, ...fresh },
      reader,
      fetcher: {
        ask: () => Promise.reject(new Error("no page is fetched")),
        dispose: () => Promise.resolve(),
        address: "unix:/fetcher",
      },
      hook: null,
      network: null,
      modulesRoot: ROOT_OF_MODULES,
    });
    // The script listens nowhere.
    await worker.ready.catch(() => undefined);
    await worker.dispose().catch(() => undefined);
    const message = withoutOwnPaths(readFileSync(partial));
    const kept = describeMessage(message, build, state, fresh, secretsIn(readFileSync(config, "utf8")));
    if (kept !== null) writeFileSync(partial, withoutFiles(message, kept, build.folder));
    const isWhole = kept !== null && joinFiles(partial, kept, build.folder).equals(message);
    renameSync(partial, join(folder, `${name}.bin`));
    writeFileSync(partial, JSON.stringify(isWhole ? kept : null));
    renameSync(partial, join(folder, `${name}.json`));
  } finally {
    resetVariables(variables);
    rmSync(state, { recursive: true, force: true });
  }
}

/** Comments in miniflare's scripts name where they stand on the machine that builds a package. The length must stay. */
function withoutOwnPaths(message: Buffer): Buffer {
  const root = fileURLToPath(new URL("..", import.meta.resolve("miniflare")));
  const other = "/".padEnd(root.length, "_");
  return Buffer.from(message.toString("latin1").replaceAll(root, other), "latin1");
}

function resetVariables(before: NodeJS.Dict<string>): void {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
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
  // A name ends with a zero byte.
  const fetcher = /core:builtin:\d+:\W*FETCHER_PROCESS(?=\0)/.exec(message.toString("latin1"))?.[0] ?? null;
  return isKnown ? { files, places, secrets, folders, fetcher } : null;
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

/** A message, and where it has what is new at each start. */
export interface ReadMessage {
  message: Buffer;
  kept: KeptMessage;
}

/** The message of a start that a folder has. Null if it cannot be kept, undefined if it was not. */
export function readMessage(start: KeptStart, build: WorkerBuild, folder: string): ReadMessage | null | undefined {
  const file = join(folder, nameOf(start, build));
  if (!existsSync(`${file}.json`)) return undefined;
  const kept = JSON.parse(readFileSync(`${file}.json`, "utf8")) as KeptMessage | null;
  return kept && { message: joinFiles(`${file}.bin`, kept, build.folder), kept };
}

function joinFiles(file: string, { files }: KeptMessage, folder: string): Buffer {
  const kept = readFileSync(file);
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

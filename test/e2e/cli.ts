import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RecordView } from "../../src/api/views.ts";
import type { Summary } from "../../src/cli/output/summary.ts";

/** Runs the command line like a user, in a separate process. */

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  /** Resolves with the whole output once it contains this text; rejects if the command ends without it. */
  printed(text: string): Promise<string>;
  ended: Promise<Ended>;
}

export const MAIN = join(import.meta.dirname, "..", "..", "src", "cli", "main.js");

/** Node's compile cache: compiling the sources and wrangler takes 0.3 s of CPU time at every start. */
const NODE_COMPILE_CACHE = join(tmpdir(), "orbweaver-test-compiled");

export function start(...args: string[]): Running {
  return startWith({}, args);
}

/** The same with environment variables. */
export function startWith(variables: Record<string, string>, args: string[]): Running {
  return startScript(MAIN, args, {
    env: { ...process.env, NODE_COMPILE_CACHE, ...variables },
  });
}

/** Runs a script, with the Node of this process if no other one is named. */
export function startScript(
  script: string,
  args: string[],
  { node = process.execPath, ...options }: { node?: string; cwd?: string; env: Record<string, string | undefined> },
): Running {
  const child = spawn(node, [script, ...args], { stdio: ["ignore", "pipe", "pipe"], ...options });
  let stdout = "";
  let stderr = "";
  const watchers = new Set<() => void>();
  const onData = (keep: (text: string) => void) => (data: Buffer) => {
    keep(data.toString());
    for (const check of watchers) check();
  };
  child.stdout.on(
    "data",
    onData((text) => {
      stdout += text;
    }),
  );
  child.stderr.on(
    "data",
    onData((text) => {
      stderr += text;
    }),
  );
  const ended = new Promise<Ended>((resolve) => child.once("close", (code) => resolve({ code, stdout, stderr })));
  return {
    child,
    ended,
    printed: (text) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!stdout.includes(text) && !stderr.includes(text)) return;
          watchers.delete(check);
          resolve(stdout + stderr);
        };
        watchers.add(check);
        check();
        void ended.then((end) => reject(new Error(`ended without "${text}": ${JSON.stringify(end)}`)));
      }),
  };
}

export async function run(...args: string[]): Promise<Ended> {
  return start(...args).ended;
}

export interface Served {
  /** The process of `orbweaver serve`. */
  pid: number;
  address: string;
  token: string;
  /** Options that send a command to this server. */
  remote: string[];
  close(): Promise<void>;
}

/** Starts `orbweaver serve` on a free port, and resolves when it answers. */
export async function serve(state: string, ...args: string[]): Promise<Served> {
  return serveWith({}, state, args);
}

/** The same with a clock that runs `speed` times as fast as real time, and shows `start` first. */
export async function serveFast(state: string, speed: number, start: Date = new Date()): Promise<Served> {
  return serveWith({ ORBWEAVER_CLOCK: `${start.toISOString()} ${speed} ${new Date().toISOString()}` }, state, []);
}

export async function serveWith(variables: Record<string, string>, state: string, args: string[]): Promise<Served> {
  copyLedgerTemplate(state);
  const { child, printed, ended } = startWith(variables, ["serve", "--port", "0", "--state", state, ...args]);
  const output = await printed("Token: ");
  const { address, token } = placeIn(output);
  await fetch(`${address}/health`);
  return {
    pid: child.pid ?? 0,
    address,
    token,
    remote: ["--remote", address, "--token", token],
    close: async () => {
      child.kill("SIGINT");
      await ended;
    },
  };
}

/** Where a `serve` with this output answers. */
export function placeIn(output: string): Pick<Served, "address" | "token"> {
  return { address: /listens on (\S+);/.exec(output)?.[1] ?? "", token: /Token: (\S+)/.exec(output)?.[1] ?? "" };
}

/** See ledger-template.ts. Outside vitest there is no template. */
export function copyLedgerTemplate(state: string): void {
  const { LEDGER_TEMPLATE } = process.env;
  if (LEDGER_TEMPLATE !== undefined && !existsSync(state)) cpSync(LEDGER_TEMPLATE, state, { recursive: true });
}

/** The arguments of the command that the output names to go on, and the token that it leaves out. */
export function commandIn(output: string, token: string): string[] {
  const command = /To go on: npm run orbweaver -- (.*)/.exec(output)?.[1] ?? "";
  return [...command.split(" "), "--token", token];
}

/** A temporary folder for one test. */
export function scratch(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "orbweaver-test-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export type OutRecord = RecordView & { markdownFile?: string | null };

/** Crawls with `--json --out`, and reads the output folder. */
export async function crawl(
  dir: string,
  ...args: string[]
): Promise<{ summary: Summary; records: OutRecord[]; byUrl: Map<string, OutRecord>; ended: Ended }> {
  const out = join(dir, "out");
  const state = join(dir, "state");
  // A folder of another crawl is refused.
  rmSync(out, { recursive: true, force: true });
  if (!args.includes("--remote")) copyLedgerTemplate(state);
  const ended = await run("crawl", ...args, "--json", "--out", out, "--state", state);
  if (!ended.stdout.startsWith("{")) throw new Error(`no summary: ${JSON.stringify(ended)}`);
  const records = readRecords(out);
  return {
    summary: JSON.parse(ended.stdout) as Summary,
    records,
    byUrl: new Map(records.map((record) => [record.url, record])),
    ended,
  };
}

export function readRecords(out: string): OutRecord[] {
  return readFileSync(join(out, "records.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as OutRecord);
}

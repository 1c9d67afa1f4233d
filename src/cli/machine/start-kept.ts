import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serveDiagnosis } from "../installation/diagnosis.ts";
import { type HostOrder, type KeptStart, keptStartOf } from "./host-order.ts";
import {
  type KeptMessage,
  keepMessage,
  NEW,
  NEW_NAMES,
  type ReadMessage,
  readMessage,
  SAME,
  SECRET_BYTES,
} from "./kept-message.ts";
import { type FetcherPlace, HAS_INSPECTOR, LOOPBACK } from "./local-worker.ts";
import { type MachineServices, serveMachine } from "./machine-services.ts";
import type { ReaderProcesses } from "./reader-processes.ts";
import { workerdPath } from "./reader-script.ts";
import { spawnWorkerd } from "./spawn-workerd.ts";
import type { WorkerBuild } from "./stored-build.ts";

/** Starts workerd without miniflare, with a message that the build keeps (kept-message.ts). */

/** A workerd that runs. */
export interface Started {
  port: number;
  dispose(): Promise<unknown>;
  /** Brings its ledgers up to date. Absent for one that has all migrations, and so is the next. */
  migrate?(): Promise<void>;
}

interface KeptOrder {
  state: string;
  order: HostOrder;
  build: WorkerBuild;
  /** Those of `variablesOf`. */
  variables: Record<string, string | undefined>;
  reader: Pick<ReaderProcesses, "fetch">;
  fetcher: FetcherPlace | null;
  /** The folder for a message that the build lacks: that of a clone is made when it is needed. */
  messages: () => string;
}

/**
 * Starts workerd with a message that was kept. Null if there is none, or if this start differs by more than the message
 * allows: by other variables, more ledgers, the console, a browser or a hook.
 */
export async function startKept(start: KeptOrder): Promise<Started | null> {
  const { state, order, build, reader, fetcher, messages } = start;
  const kind = keptStartOf(order);
  if (kind === null || HAS_INSPECTOR || Object.keys(build.ledger.d1Databases).length > 1) return null;
  const variables: KeptOrder["variables"] = {
    ...start.variables,
    READERS: start.variables.READERS?.padStart(NEW.READERS, "0"),
  };
  const isSame =
    Object.keys(variables).length === NEW_NAMES.length + Object.keys(SAME).length &&
    Object.entries(SAME).every(([name, value]) => variables[name] === value) &&
    NEW_NAMES.every((name) => variables[name]?.length === NEW[name]);
  if (!isSame) return null;
  const found = readMessage(kind, build, build.folder) ?? (await readOrKeep(kind, build, messages()));
  if (!found) return null;
  const { message, kept } = found;
  for (const name of NEW_NAMES) message.write(variables[name] ?? "", kept.places[name], "latin1");
  const loopback = randomBytes(SECRET_BYTES.loopback).toString("hex");
  message.write(loopback, kept.secrets.loopback, "latin1");
  message.set(randomBytes(SECRET_BYTES.proxy), kept.secrets.proxy);
  const services: MachineServices = {
    DIAGNOSIS: (request) => serveDiagnosis(request, state, fetcher),
    READER: (request) => reader.fetch(request),
  };
  return runWorkerd(message, state, kept, fetcher?.address ?? null, await serveMachine(services, loopback));
}

async function readOrKeep(start: KeptStart, build: WorkerBuild, folder: string): Promise<ReadMessage | null> {
  const found = readMessage(start, build, folder);
  if (found !== undefined) return found;
  try {
    await keepMessage(start, build, folder);
    return readMessage(start, build, folder) ?? null;
  } catch (error) {
    // miniflare can do without.
    console.error("keeping a message:", error);
    return null;
  }
}

async function runWorkerd(
  message: Buffer,
  state: string,
  { folders, fetcher }: KeptMessage,
  address: string | null,
  machine: Awaited<ReturnType<typeof serveMachine>>,
): Promise<Started> {
  const temporary = mkdtempSync(join(tmpdir(), "orbweaver-"));
  const storage = Object.entries(folders).map(([name, folder]) => {
    const path = folder === null ? join(temporary, name.replaceAll(":", "-")) : join(state, "v3", folder);
    mkdirSync(path, { recursive: true });
    return `--directory-path=${name}=${path}`;
  });
  const clear = () => {
    machine.close();
    rmSync(temporary, { recursive: true, force: true });
  };
  const args = [
    "--binary",
    "--experimental",
    `--socket-addr=entry=${LOOPBACK}:0`,
    `--external-addr=loopback=${LOOPBACK}:${machine.port}`,
    ...(fetcher === null || address === null ? [] : [`--external-addr=${fetcher}=${address}`]),
    ...storage,
    "-",
  ];
  const program = process.env.MINIFLARE_WORKERD_PATH ?? workerdPath();
  const { child, ended, port } = await spawnWorkerd(program, args, "entry", message).catch((error: unknown) => {
    clear();
    throw error;
  });
  const dispose = async () => {
    child.kill("SIGKILL");
    await ended;
    clear();
  };
  return { port, dispose };
}

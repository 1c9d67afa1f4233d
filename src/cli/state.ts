import { closeSync, openSync, readFileSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "./errors.ts";

/** The state folder: where the local ledger, mirror and gates are kept, and the lock that keeps a second workerd out of them. */

export interface StateFolder {
  path: string;
  /** Lets go of the lock. May be called twice. */
  release(): void;
}

/** A process that was told to end, or whose command was killed, is gone within this. */
const PATIENCE_MS = 3_000;
const RETRY_MS = 100;

/** The sentence for a state folder that cannot be used. */
export function unwritable(path: string, error: unknown): UserError {
  return new UserError(`The state folder ${path} cannot be written (${codeOf(error)}). Name another with --state DIR.`);
}

/** Takes the folder, which is there, for this process. Throws UserError when it cannot be written or another process goes on working in it. */
export async function takeState(path: string): Promise<StateFolder> {
  const lock = join(path, "lock");
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      const file = openSync(lock, "wx");
      writeSync(file, String(process.pid));
      closeSync(file);
      return { path, release: () => releaseLock(lock) };
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw unwritable(path, error);
      await waitForHolder(path, lock, deadline);
    }
  }
}

/** Returns when it is worth another try. */
async function waitForHolder(path: string, lock: string, deadline: number): Promise<void> {
  const holder = holderOf(lock);
  if (holder === null) return;
  if (!isAlive(holder)) {
    unlinkSync(lock);
  } else if (Date.now() < deadline) {
    await sleep(RETRY_MS);
  } else {
    throw new UserError(
      `Process ${holder} is working in ${path}. Wait for it, end it, or name another folder with --state DIR.`,
    );
  }
}

/** Null when it let go meanwhile. */
function holderOf(lock: string): number | null {
  try {
    return Number(readFileSync(lock, "utf8"));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}

function releaseLock(lock: string): void {
  if (holderOf(lock) === process.pid) unlinkSync(lock);
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

import { closeSync, openSync, readFileSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode, UserError } from "./errors.ts";

/** The state folder with the local ledger, mirror and gates, and the lock that keeps a second workerd out. */

interface StateFolder {
  path: string;
  /** Releases the lock. Can be called twice. */
  release(): void;
}

/** How long to wait for a process that is ending. */
const LOCK_TIMEOUT_MS = 3_000;
const RETRY_MS = 100;

/** The error for a state folder that cannot be written. */
export function unwritable(path: string, error: unknown): UserError {
  return new UserError(
    `The state folder ${path} cannot be written (${errorCode(error)}). Choose another with --state DIR.`,
  );
}

/**
 * Locks an existing folder for this process. Throws UserError if it cannot be written or another process keeps using
 * it.
 */
export async function lockState(path: string): Promise<StateFolder> {
  const lock = join(path, "lock");
  const deadline = Date.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    try {
      const file = openSync(lock, "wx");
      writeSync(file, String(process.pid));
      closeSync(file);
      return { path, release: () => releaseLock(lock) };
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw unwritable(path, error);
      await waitForHolder(path, lock, deadline);
    }
  }
}

/** Returns when the lock may be free. */
async function waitForHolder(path: string, lock: string, deadline: number): Promise<void> {
  const holder = readHolder(lock);
  if (holder === null) return;
  if (!isAlive(holder)) {
    unlinkSync(lock);
  } else if (Date.now() < deadline) {
    await sleep(RETRY_MS);
  } else {
    throw new UserError(
      `Process ${holder} is working in ${path}. Wait for it, end it, or choose another folder with --state DIR.`,
    );
  }
}

/** The process id in the lock. Null if the lock is gone. */
function readHolder(lock: string): number | null {
  try {
    return Number(readFileSync(lock, "utf8"));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

function releaseLock(lock: string): void {
  if (readHolder(lock) === process.pid) unlinkSync(lock);
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}

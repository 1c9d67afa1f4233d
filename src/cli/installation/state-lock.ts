import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tryLock } from "fs-native-extensions";
import { errorCode, StateInUse } from "../errors.ts";
import { unwritable } from "./state-folder.ts";

/** The lock of a state folder, which keeps a second workerd out. Only the host process loads this file. */

interface StateFolder {
  path: string;
  /** Says that commands can join this process from now on. */
  noteStarted(): void;
  /** Releases the lock. Can be called twice. */
  release(): void;
}

/** How long to wait for a process that is ending. */
const LOCK_TIMEOUT_MS = 3_000;
/** How long the processes of a killed holder may take to end. The kernel is already ending them. */
const ORPHANS_TIMEOUT_MS = 1_000;
const LOCK_RETRY_MS = 100;
const STARTING = "starting";

/**
 * Locks an existing folder for this process. Throws UserError if it cannot be written or another process keeps using
 * it.
 *
 * The kernel holds the lock, a lock of a whole file, and frees it when this process ends in any way. Nothing deletes
 * the file: a lock on a deleted file keeps nobody out. The file `lock` names the holder, for messages, and whether it
 * starts. `starts`: it calls `noteStarted` when it has.
 */
export async function lockState(path: string, { starts = false } = {}): Promise<StateFolder> {
  const holderFile = join(path, "lock");
  const deadline = Date.now() + LOCK_TIMEOUT_MS;
  let lock = tryLockFile(path);
  while (lock === null) {
    if (Date.now() >= deadline) throw inUse(path, readHolder(holderFile));
    await sleep(LOCK_RETRY_MS);
    lock = tryLockFile(path);
  }
  const held = lock;
  let isHeld = true;
  try {
    await waitForOrphans(readHolder(holderFile)?.process ?? null);
    writeFileSync(holderFile, starts ? `${process.pid} ${STARTING}` : String(process.pid));
  } catch (error) {
    closeSync(held);
    throw unwritable(path, error);
  }
  return {
    path,
    noteStarted: () => writeFileSync(holderFile, String(process.pid)),
    release: () => {
      if (!isHeld) return;
      isHeld = false;
      rmSync(holderFile, { force: true });
      closeSync(held);
    },
  };
}

/**
 * The descriptor of the file, whose end frees the lock. Null if another process has it. Versions up to 0.2.0 held an
 * exclusive transaction on this file by SQLite, whose locks and this one keep each other out on Linux.
 */
function tryLockFile(path: string): number | null {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(join(path, "lock.sqlite"), "a");
    if (tryLock(descriptor)) return descriptor;
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor);
    throw unwritable(path, error);
  }
  closeSync(descriptor);
  return null;
}

function inUse(path: string, holder: Holder | null): StateInUse {
  const who = holder === null ? "Another process" : `Process ${holder.process}`;
  const message = `${who} is working in ${path}. Wait for it, end it, or choose another folder with --state DIR.`;
  return new StateInUse(message, holder?.isStarting ?? false);
}

/**
 * Waits until the process group of a holder that was killed is empty: its workerd ends a moment after it (see
 * process-group.ts). A group that stays is not this holder's: the number belongs to another by now.
 */
async function waitForOrphans(holder: number | null): Promise<void> {
  const deadline = Date.now() + ORPHANS_TIMEOUT_MS;
  while (holder !== null && hasGroup(holder) && Date.now() < deadline) await sleep(LOCK_RETRY_MS / 10);
}

function hasGroup(leader: number): boolean {
  try {
    process.kill(-leader, 0);
    return true;
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}

interface Holder {
  /** Its number. */
  process: number;
  isStarting: boolean;
}

/** What stands in the file. Null if nothing does: the last holder released the lock itself. */
function readHolder(file: string): Holder | null {
  try {
    const [process, state] = readFileSync(file, "utf8").split(" ");
    const holder = Number(process);
    return Number.isInteger(holder) && holder > 1 ? { process: holder, isStarting: state === STARTING } : null;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

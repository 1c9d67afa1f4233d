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

/**
 * Locks an existing folder for this process. Throws UserError if it cannot be written or another process keeps using
 * it.
 *
 * The kernel holds the lock, a lock of a whole file, and frees it when this process ends in any way. Nothing deletes
 * the file: a lock on a deleted file keeps nobody out. The file `lock` names the holder, for messages, and the file
 * `starting` does while it starts. `starts`: it calls `noteStarted` when it has.
 */
export async function lockState(path: string, { starts = false } = {}): Promise<StateFolder> {
  const [holderFile, startingFile] = holderFilesOf(path);
  const deadline = Date.now() + LOCK_TIMEOUT_MS;
  let lock = tryLockFile(path);
  while (lock === null) {
    if (Date.now() >= deadline) throw inUse(path);
    await sleep(LOCK_RETRY_MS);
    lock = tryLockFile(path);
  }
  const held = lock;
  let isHeld = true;
  try {
    await waitForOrphans(readHolder(holderFile));
    if (starts) writeFileSync(startingFile, String(process.pid));
    writeFileSync(holderFile, String(process.pid));
  } catch (error) {
    closeSync(held);
    throw unwritable(path, error);
  }
  return {
    path,
    noteStarted: () => rmSync(startingFile, { force: true }),
    release: () => {
      if (!isHeld) return;
      isHeld = false;
      for (const file of [holderFile, startingFile]) rmSync(file, { force: true });
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

function holderFilesOf(path: string): [holder: string, starting: string] {
  return [join(path, "lock"), join(path, "starting")];
}

function inUse(path: string): StateInUse {
  const [holder = null, starting] = holderFilesOf(path).map(readHolder);
  const who = holder === null ? "Another process" : `Process ${holder}`;
  const message = `${who} is working in ${path}. Wait for it, end it, or choose another folder with --state DIR.`;
  // One that was killed has left its file.
  return new StateInUse(message, { holder, isStarting: holder !== null && holder === starting });
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

/** The process id in the file. Null if there is none: the last holder released the lock itself. */
function readHolder(file: string): number | null {
  try {
    const holder = Number(readFileSync(file, "utf8"));
    return Number.isInteger(holder) && holder > 1 ? holder : null;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

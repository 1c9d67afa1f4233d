import { closeSync, mkdirSync, openSync, readFileSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "./errors.ts";

/** The state folder: where the local ledger, mirror and gates are kept, and the lock that keeps a second workerd out of them. */

export interface StateFolder {
  path: string;
  /** Lets go of the lock. May be called twice. */
  release(): void;
}

/** Takes the folder for this process. Throws UserError when it cannot be written or another process works in it. */
export function takeState(path: string): StateFolder {
  const lock = join(path, "lock");
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw new UserError(`The state folder ${path} cannot be made (${codeOf(error)}). Name another with --state DIR.`);
  }
  for (let tries = 0; ; tries++) {
    try {
      const file = openSync(lock, "wx");
      writeSync(file, String(process.pid));
      closeSync(file);
      return { path, release: () => releaseLock(lock) };
    } catch (error) {
      if (codeOf(error) !== "EEXIST") {
        throw new UserError(
          `The state folder ${path} cannot be written (${codeOf(error)}). Name another with --state DIR.`,
        );
      }
      const holder = Number(readFileSync(lock, "utf8"));
      if (tries > 0 || isAlive(holder)) {
        throw new UserError(
          `Process ${holder} is working in ${path}. Wait for it, end it, or name another folder with --state DIR.`,
        );
      }
      unlinkSync(lock);
    }
  }
}

function releaseLock(lock: string): void {
  try {
    if (Number(readFileSync(lock, "utf8")) === process.pid) unlinkSync(lock);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
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

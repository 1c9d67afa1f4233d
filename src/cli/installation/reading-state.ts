import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import type { WhereOptions } from "./installation.ts";
import { DEFAULT_STATE, type Environment, readingState } from "./state-paths.ts";

/** Where a command works that reads a page and keeps nothing. */

/**
 * The installation of the command: where the current folder has no state, one folder for all such commands of this
 * user. So nothing is left in the current folder, and a host keeps its pace between two of them.
 */
export function whereToRead<T extends WhereOptions>(
  where: T,
  platform: string = process.platform,
  env: Environment = process.env,
): T {
  if (where.remote !== undefined || where.state !== DEFAULT_STATE || existsSync(where.state)) return where;
  const state = readingState(platform, env);
  // A user without a home, as in a container, has none of such folders.
  return isWritable(state) ? { ...where, state } : where;
}

/** The first folder, if it can be made and written, else the other one. */
export function writableOr(folder: string, other: string): string {
  return isWritable(folder) ? folder : other;
}

function isWritable(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

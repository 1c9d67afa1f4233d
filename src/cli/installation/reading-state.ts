import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { WhereOptions } from "./installation.ts";
import { DEFAULT_STATE } from "./state-paths.ts";

/** Where a command works that reads a page and keeps nothing. */

type Environment = Readonly<Record<string, string | undefined>>;

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

/** The state folder of all such commands. It may not be there yet. */
export function readingState(platform: string = process.platform, env: Environment = process.env): string {
  return join(cacheOf(platform, env), "orbweaver");
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

/** The folder for what programs may lose: by the XDG base directory specification, or Apple's. */
function cacheOf(platform: string, { XDG_CACHE_HOME: named = "", HOME: home = homedir() }: Environment): string {
  if (isAbsolute(named)) return named;
  return platform === "darwin" ? join(home, "Library", "Caches") : join(home, ".cache");
}

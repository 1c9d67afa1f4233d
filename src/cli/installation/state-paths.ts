import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** What lies where in a state folder. */

export const DEFAULT_STATE = ".orbweaver";

/** The folder of the logs: `workerd.log` of the host process, workerd and the Worker, and wrangler's, of a build. */
export function logsOf(state: string): string {
  return join(state, "logs");
}

/** The folder of the socket. state-folder.ts makes it for the user alone. */
export const SOCKET_FOLDER = "run";

/** The socket at which the process that works in the folder tells its address. */
export function stateSocketOf(state: string): string {
  return join(state, SOCKET_FOLDER, "serve.sock");
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The state folder of commands that keep nothing, where the current folder has none. It may not be there yet. */
export function readingState(platform: string = process.platform, env: Environment = process.env): string {
  return join(cacheOf(platform, env), "orbweaver");
}

/** The folder for what programs may lose: by the XDG base directory specification, or Apple's. */
function cacheOf(platform: string, { XDG_CACHE_HOME: named = "", HOME: home = homedir() }: Environment): string {
  if (isAbsolute(named)) return named;
  return platform === "darwin" ? join(home, "Library", "Caches") : join(home, ".cache");
}

import { join } from "node:path";

/** What lies where in a state folder. */

export const DEFAULT_STATE = ".orbweaver";

/** The folder of the logs: `workerd.log` of the host process, workerd and the Worker, and wrangler's, of a build. */
export function logsOf(state: string): string {
  return join(state, "logs");
}

/** The folder of the socket. state.ts makes it for the user alone. */
export const SOCKET_FOLDER = "run";

/** The socket at which a `serve` that has the folder tells its address. */
export function serveSocketOf(state: string): string {
  return join(state, SOCKET_FOLDER, "serve.sock");
}

import { join } from "node:path";

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

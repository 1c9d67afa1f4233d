import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { relative } from "node:path";
import { text } from "node:stream/consumers";
import { serveSocketOf } from "../installation/state-paths.ts";

/**
 * How a command finds the `serve` that has its state folder: `serve` tells its address and its token to whoever
 * connects to a socket in that folder. Only the user may open the folder of the socket, and no file holds the token.
 */

/** What `serve` tells. */
export interface ServeAddress {
  url: string;
  token: string;
}

/**
 * The system's bound for the path of a socket, on macOS; Linux has four bytes more
 * (https://nodejs.org/api/net.html#identifying-paths-for-ipc-connections).
 */
const MAX_PATH_BYTES = 103;
const TIMEOUT_MS = 2_000;

/**
 * Null where there can be no socket: the path is too long, or the system is Windows, whose named pipes are in no
 * folder, so that other users could read them.
 */
function socketOf(state: string): string | null {
  if (process.platform === "win32") return null;
  const path = serveSocketOf(state);
  const shortest = [path, relative(process.cwd(), path)].sort((a, b) => a.length - b.length)[0] ?? path;
  return Buffer.byteLength(shortest) <= MAX_PATH_BYTES ? shortest : null;
}

/**
 * Tells commands this address until the server is closed. The caller has the lock of the folder, so a socket that is
 * there belongs to nobody. Null where there can be no socket.
 */
export async function tellAddress(state: string, address: ServeAddress): Promise<Server | null> {
  const path = socketOf(state);
  if (path === null) return null;
  rmSync(path, { force: true });
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.end(JSON.stringify(address));
  });
  server.listen(path);
  await once(server, "listening");
  return server;
}

/** The address of the `serve` that has this folder. Null if there is none. */
export async function askAddress(state: string): Promise<ServeAddress | null> {
  const path = socketOf(state);
  if (path === null) return null;
  const socket = connect(path);
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error("no answer")));
  try {
    return JSON.parse(await text(socket)) as ServeAddress;
  } catch {
    // Nobody listens: there is no socket, or its `serve` was killed.
    return null;
  }
}

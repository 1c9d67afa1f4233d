import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { relative } from "node:path";
import { stateSocketOf } from "../installation/state-paths.ts";

/**
 * How commands on one state folder share the process that works there: it tells its address and its token to whoever
 * connects to a socket in that folder, and works as long as somebody stays connected. Only the user may open the folder
 * of the socket, and no file holds the token.
 */

/** What the process tells. */
export interface StateAddress {
  url: string;
  token: string;
  /** Whether it goes on when no command uses it, as `serve` does. */
  stays: boolean;
  hasBrowser: boolean;
}

/** A command that uses it. */
export interface Joined extends StateAddress {
  /** Number of commands that use it, this one included. */
  users: number;
  /** Lets the process end, unless others use it. */
  leave(): void;
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
  const path = stateSocketOf(state);
  const shortest = [path, relative(process.cwd(), path)].sort((a, b) => a.length - b.length)[0] ?? path;
  return Buffer.byteLength(shortest) <= MAX_PATH_BYTES ? shortest : null;
}

/** The end of the process that works. */
export class StateSocket {
  readonly #server: Server;
  readonly #guests = new Set<Socket>();
  #isEmpty: (() => void) | undefined;

  private constructor(server: Server) {
    this.#server = server;
  }

  /**
   * Tells commands this address until it is closed. The caller has the lock of the folder, so a socket that is there
   * belongs to nobody. `hasOwner`: whether the command is there that started this process. Null where there can be no
   * socket.
   */
  static async open(state: string, address: StateAddress, hasOwner = () => true): Promise<StateSocket | null> {
    const path = socketOf(state);
    if (path === null) return null;
    rmSync(path, { force: true });
    const server = createServer((socket) => own.#welcome(socket, address, hasOwner()));
    const own = new StateSocket(server);
    server.listen(path);
    await once(server, "listening");
    return own;
  }

  /** Number of commands that have joined. */
  get guests(): number {
    return this.#guests.size;
  }

  /** Resolves when no command that has joined is left. */
  async left(): Promise<void> {
    if (this.#guests.size > 0) await new Promise<void>((resolve) => (this.#isEmpty = resolve));
  }

  /** From now on nobody can join, and whoever has joined is let go. */
  close(): void {
    this.#server.close();
    for (const guest of this.#guests) guest.destroy();
  }

  #welcome(socket: Socket, address: StateAddress, hasOwner: boolean): void {
    this.#guests.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => {
      this.#guests.delete(socket);
      if (this.#guests.size === 0) this.#isEmpty?.();
    });
    // A guest says nothing. Its end is read.
    socket.resume();
    const users = this.#guests.size + (hasOwner ? 1 : 0);
    socket.write(`${JSON.stringify({ ...address, users })}\n`);
  }
}

/** Joins the process that works in this folder. Null if there is none. */
export async function joinState(state: string): Promise<Joined | null> {
  const path = socketOf(state);
  if (path === null) return null;
  const socket = connect(path);
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error("no answer")));
  try {
    const told = JSON.parse(await readLine(socket)) as StateAddress & { users: number };
    socket.setTimeout(0);
    // Whoever has told it may end first.
    socket.on("error", () => undefined).resume();
    socket.unref();
    return { ...told, leave: () => socket.destroy() };
  } catch {
    // Nobody listens: there is no socket, or its process was killed.
    socket.destroy();
    return null;
  }
}

async function readLine(socket: Socket): Promise<string> {
  let text = "";
  for await (const part of socket.iterator({ destroyOnReturn: false })) {
    text += String(part);
    if (text.endsWith("\n")) break;
  }
  return text;
}

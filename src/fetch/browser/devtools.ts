import type { CDPSession } from "@cloudflare/puppeteer";

/**
 * A connection to a browser by the DevTools protocol (https://chromedevtools.github.io/devtools-protocol/). The
 * library's own pages switch on domains that send this isolate each `data:` URL, console message and title of a page,
 * whole and without a bound. Here each message is weighed by its tab before it is parsed.
 */

/** Sends a command and resolves with its result. Rejects if it fails, and when the connection ends. */
export type Send = CDPSession["send"];

/** A DevTools session of a tab, as far as the connection knows it. */
export interface Receiver {
  /** Whether a message of so many characters may be parsed. An event tells what the page does; others answer us. */
  admit(characters: number, isEvent: boolean): boolean;
  receive(session: string, method: string, params: unknown): void;
}

interface Waiting {
  session: string | undefined;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

interface Message {
  id?: number;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { message: string };
}

/** Chrome writes the session last, so that a message need not be parsed to know whose it is. */
const SESSION = /,"sessionId":"([^"]+)"\}$/;
const SESSION_CHARACTERS = 100;

export class DevTools {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, Waiting>();
  readonly #sessions = new Map<string, Receiver>();
  readonly #ended = Promise.withResolvers<void>();
  #lastId = 0;
  isOpen = true;
  /** Hears the events of the browser itself. */
  onEvent: (method: string, params: unknown) => void = () => undefined;

  /** `socket`: accepted. */
  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.#receive(String(data)));
    for (const end of ["close", "error"] as const) socket.addEventListener(end, () => this.#end());
  }

  /** Resolves when the connection has ended, whoever has ended it. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  readonly send: Send = (method, params) => this.sendTo(undefined, method, params);

  /** Sends a command to a session; undefined for the browser itself. */
  sendTo<T extends Parameters<Send>[0]>(
    session: string | undefined,
    method: T,
    params: Parameters<typeof this.send<T>>[1],
  ): ReturnType<typeof this.send<T>> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const id = ++this.#lastId;
    this.#waiting.set(id, { session, resolve, reject });
    try {
      this.#socket.send(JSON.stringify({ id, method, params, sessionId: session }));
    } catch {
      // A socket that is closed throws.
      this.#end();
    }
    if (!this.isOpen) reject(new Error("the browser is gone"));
    return promise as ReturnType<typeof this.send<T>>;
  }

  /** `receiver` hears the events of the session from now on. */
  attach(session: string, receiver: Receiver): void {
    this.#sessions.set(session, receiver);
  }

  /** Its commands in flight fail, and what still comes from it is dropped unread. */
  detach(session: string, why: Error): void {
    this.#sessions.delete(session);
    for (const [id, waiting] of this.#waiting)
      if (waiting.session === session) {
        this.#waiting.delete(id);
        waiting.reject(why);
      }
  }

  close(): void {
    this.#end();
    this.#socket.close();
  }

  #receive(text: string): void {
    const session = SESSION.exec(text.slice(-SESSION_CHARACTERS))?.[1];
    const receiver = session === undefined ? undefined : this.#sessions.get(session);
    if (session !== undefined && receiver?.admit(text.length, text.startsWith('{"method"')) !== true) return;
    const { id, method, params, result, error } = JSON.parse(text) as Message;
    if (method !== undefined) {
      if (session === undefined) this.onEvent(method, params);
      else receiver?.receive(session, method, params);
    }
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || waiting === undefined) return;
    this.#waiting.delete(id);
    if (error === undefined) waiting.resolve(result);
    else waiting.reject(new Error(error.message));
  }

  #end(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    for (const { reject } of this.#waiting.values()) reject(new Error("the browser is gone"));
    this.#waiting.clear();
    this.#sessions.clear();
    this.#ended.resolve();
  }
}

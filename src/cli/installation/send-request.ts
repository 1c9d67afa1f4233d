import { once } from "node:events";
import type { Agent, IncomingMessage, RequestOptions } from "node:http";
import { Readable } from "node:stream";

/**
 * Sends a request of the API by node:http. `fetch` does the same, but loading it takes twice as long as Node takes to
 * start.
 */

export interface ApiRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Ends the request, and the reading of its answer. */
  signal?: AbortSignal;
}

/** What commands use of a `Response`. The body is read once, by one of these. */
export interface ApiAnswer {
  status: number;
  ok: boolean;
  /** By names in lower case. */
  headers: { get(name: string): string | null };
  readonly body: ReadableStream<Uint8Array>;
  bytes(): Promise<Uint8Array>;
  text(): Promise<string>;
  json(): Promise<unknown>;
  /** Leaves the body unread. */
  cancel(): void;
}

/** An answer of the MCP server; one that is no stream of events needs no body. */
export type McpAnswer = Pick<ApiAnswer, "headers" | "text"> & { body: ApiAnswer["body"] | null };

/** As long as `fetch` waits for the head of an answer, and for more of its body. */
const SILENCE_MS = 300_000;
/** workerd closes a connection after five seconds without a request. */
const IDLE_MS = 4_000;

type Http = Pick<typeof import("node:http"), "Agent">;
/** One for each protocol. */
const agents = new Map<Http, Agent>();

/** Resolves with the head of the answer; a redirect is one. Throws what Node says if there is none. */
export async function sendRequest(url: string, order: ApiRequest): Promise<ApiAnswer> {
  const { method = "GET", headers, body, signal } = order;
  const isEncrypted = url.startsWith("https:");
  // An import of either loads all of `fetch`, too.
  const http = process.getBuiltinModule(isEncrypted ? "node:https" : "node:http");
  const agent = agents.get(http) ?? makeAgent(http);
  const options: RequestOptions = {
    method,
    agent,
    timeout: SILENCE_MS,
    // On this machine compressing takes longer than sending.
    headers: { ...headers, ...(isEncrypted ? { "accept-encoding": "gzip" } : {}) },
    ...(signal === undefined ? {} : { signal }),
  };
  const sent = http.request(url, options);
  sent.on("timeout", () => sent.destroy(new Error(`nothing came for ${SILENCE_MS / 1000} s`)));
  // Whoever waits for the answer, or reads it, is told by that.
  sent.on("error", () => undefined);
  sent.end(body);
  try {
    const [message] = (await once(sent, "response")) as [IncomingMessage];
    return answerOf(message);
  } catch (error) {
    // The server has closed the connection meanwhile: https://nodejs.org/api/http.html#requestreusedsocket
    const isStale = sent.reusedSocket && (error as NodeJS.ErrnoException).code === "ECONNRESET";
    if (!isStale || method !== "GET" || signal?.aborted) throw error;
    return sendRequest(url, order);
  }
}

function makeAgent(http: Http): Agent {
  const { NODE_USE_ENV_PROXY } = process.env;
  const agent = new http.Agent({
    keepAlive: true,
    timeout: IDLE_MS,
    ...(NODE_USE_ENV_PROXY === "1" ? { proxyEnv: process.env } : {}),
  });
  agents.set(http, agent);
  return agent;
}

function answerOf(message: IncomingMessage): ApiAnswer {
  const status = message.statusCode ?? 0;
  // Whoever reads the body is told of an error. One of a body that nobody reads is of no interest.
  message.on("error", () => undefined);
  const content = message.headers["content-encoding"] === "gzip" ? decoded(message) : message;
  const bytes = async () => {
    const parts: Uint8Array[] = [];
    for await (const part of content) parts.push(part as Uint8Array);
    return new Uint8Array(Buffer.concat(parts));
  };
  const text = async () => new TextDecoder().decode(await bytes());
  return {
    status,
    ok: status >= 200 && status < 300,
    headers: {
      get: (name) => {
        const value = message.headers[name] ?? null;
        return Array.isArray(value) ? value.join(", ") : value;
      },
    },
    get body() {
      return Readable.toWeb(content) as ReadableStream<Uint8Array>;
    },
    bytes,
    text,
    json: async () => JSON.parse(await text()),
    cancel: () => void message.destroy(),
  };
}

function decoded(message: IncomingMessage): Readable {
  const gunzip = process.getBuiltinModule("node:zlib").createGunzip();
  return process.getBuiltinModule("node:stream").pipeline(message, gunzip, () => undefined);
}

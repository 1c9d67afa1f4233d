import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { LOOPBACK } from "./local-worker.ts";

/**
 * Answers what workerd asks of the host process where miniflare is not loaded: the bindings of local-worker.ts that are
 * functions, and what miniflare's own Workers have to say. miniflare does the same in `Miniflare#handleLoopback`.
 */

/** By the name of its binding. */
export type MachineServices = Record<string, (request: MachineRequest) => Promise<MachineAnswer>>;

/** As much of a Request as the services read. */
export interface MachineRequest {
  url: string;
  headers: { get(name: string): string | null };
  text(): Promise<string>;
  arrayBuffer(): Promise<ArrayBuffer>;
}

interface MachineAnswer {
  status: number;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** workerd sends it with each request, as the value of this header. */
export const LOOPBACK_HEADER = "MF-Loopback-Secret";
/** Has the number of the Worker, and its binding: `0/#DIAGNOSIS`. */
export const SERVICE_HEADER = "mf-custom-fetch-service";
const LEVEL_HEADER = "mf-log-level";
/** `LogLevel.WARN` of miniflare; errors are below. */
const WARN = 2;

/** Listens on a free port until `close`. `secret`: the value that LOOPBACK_HEADER must have. */
export async function serveMachine(
  services: MachineServices,
  secret: string,
): Promise<{ port: number; close(): void }> {
  // An import of node:http also loads all of `fetch`.
  const { createServer } = process.getBuiltinModule("node:http");
  const server = createServer((request, response) => {
    if (request.headers[LOOPBACK_HEADER.toLowerCase()] !== secret) return response.writeHead(403).end();
    answer(services, request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  // workerd keeps idle connections for as long as Node does by itself. One that ends as it is used loses a request.
  server.keepAliveTimeout = 0;
  await once(server.listen(0, LOOPBACK), "listening");
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { port: (server.address() as AddressInfo).port, close };
}

async function answer(services: MachineServices, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url = "/", headers } = request;
  const service = services[/#(\w+)$/.exec(String(headers[SERVICE_HEADER]))?.[1] ?? ""];
  if (service !== undefined) {
    const answered = await service(requestOf(request));
    const bytes = new Uint8Array(await answered.arrayBuffer());
    return void response.writeHead(answered.status).end(bytes);
  }
  const text = (await buffer(request)).toString();
  // An exception that the Worker did not catch, and what its simulators warn of.
  if (url === "/core/error") console.error(text);
  else if (url === "/core/log" && Number(headers[LEVEL_HEADER]) <= WARN) console.error(text);
  response.writeHead(url === "/core/log" ? 204 : url === "/core/error" ? 500 : 404).end();
}

function requestOf(message: IncomingMessage): MachineRequest {
  const bytes = async () => new Uint8Array(await buffer(message));
  return {
    url: `http://machine${message.url}`,
    headers: { get: (name) => message.headers[name]?.toString() ?? null },
    text: async () => new TextDecoder().decode(await bytes()),
    arrayBuffer: async () => (await bytes()).buffer,
  };
}

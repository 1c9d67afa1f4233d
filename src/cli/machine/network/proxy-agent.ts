import { type ClientRequest, Agent as HttpAgent, request } from "node:http";
import { Agent, type AgentOptions, request as requestTls } from "node:https";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";

/** Connects to https hosts through a proxy, by CONNECT (RFC 9110, section 9.3.6). */

/** The proxy has refused to connect, or cannot be reached. Its address may hold a password, and is not told. */
export class ProxyFailure extends Error {}

export class ProxyAgent extends Agent {
  readonly #proxy: URL;

  constructor(proxy: URL, options: AgentOptions) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(
    options: Parameters<Agent["createConnection"]>[0] & { rejectUnauthorized?: boolean },
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const { host, port } = options as { host: string; port: number | string };
    const target = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
    openTunnel(this.#proxy, target).then(
      (socket) => callback?.(null, connectTls({ ...(options as object), socket })),
      (error: Error) => callback?.(error, undefined as unknown as Duplex),
    );
    return undefined;
  }
}

/** A connection through the proxy to `target`, a host and port. Throws ProxyFailure. */
async function openTunnel(proxy: URL, target: string): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const asked = askProxy(proxy, { method: "CONNECT", path: target, headers: { host: target, ...logIn(proxy) } });
    asked.once("connect", ({ statusCode }, socket) => {
      if (statusCode !== undefined && statusCode >= 200 && statusCode < 300) return resolve(socket);
      socket.destroy();
      reject(new ProxyFailure(describeRefusal(statusCode ?? 0, target)));
    });
    asked.once("error", (error: NodeJS.ErrnoException) =>
      reject(new ProxyFailure(`the proxy cannot be reached (${error.code ?? error.message})`)),
    );
    asked.end();
  });
}

/** A request to the proxy itself. */
export function askProxy(
  proxy: URL,
  order: { method: string; path: string; headers: Record<string, string> | string[]; signal?: AbortSignal },
): ClientRequest {
  const send = proxy.protocol === "https:" ? requestTls : request;
  const host = proxy.hostname.replace(/^\[|\]$/g, "");
  const port = Number(proxy.port) || (proxy.protocol === "https:" ? 443 : 80);
  return send({ ...order, host, port, agent: proxy.protocol === "https:" ? undefined : new HttpAgent() });
}

/** The header with the name and password of the proxy's URL; empty if it has none. */
export function logIn({ username, password }: URL): Record<string, string> {
  if (username === "") return {};
  const words = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(words).toString("base64")}` };
}

export function describeRefusal(status: number, target: string): string {
  if (status === 407) return "the proxy asks for a log-in: give HTTPS_PROXY=http://NAME:PASSWORD@HOST:PORT";
  return `the proxy does not connect to ${target} (${status})`;
}

import { createExecutionContext, env } from "cloudflare:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach } from "vitest";
import { app } from "../../src/api/app.ts";

/** The official client of MCP, connected to /mcp of the app. */

const silent = { sendBatch: async () => undefined } as unknown as Queue;

/** Sends a request to the app. What it queues is lost. */
export function sendToApp(url: string | URL, init: RequestInit = {}, changes: Partial<Env> = {}): Promise<Response> {
  const bindings = { ...env, FRONTIER: silent, NOTICES: silent, ...changes };
  return Promise.resolve(app.request(String(url), init, bindings, createExecutionContext()));
}

export const VERSIONS = { "2025-11-25": "legacy", "2026-07-28": { pin: "2026-07-28" } } as const;
export type Version = keyof typeof VERSIONS;

/** Connects clients, which are closed after each test. */
export function useMcpClients(): (
  token: string,
  version?: Version,
  path?: string,
  changes?: Partial<Env>,
) => Promise<Client> {
  const clients: Client[] = [];
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
  });
  return async (token, version = "2026-07-28", path = "/mcp", changes = {}) => {
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: VERSIONS[version] } });
    const headers = { authorization: `Bearer ${token}` };
    const fetch = (url: string | URL, init?: RequestInit) => sendToApp(url, init, changes);
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`http://localhost${path}`), { fetch, requestInit: { headers } }),
    );
    clients.push(client);
    return client;
  };
}

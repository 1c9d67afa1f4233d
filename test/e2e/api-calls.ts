import { LOCAL_HEARTBEAT } from "../../src/core/local-heartbeat.ts";
import type { Served } from "./cli.ts";

/** Calls of the API. */

export async function callApi<T>(server: Served, method: string, path: string, body?: unknown): Promise<T> {
  const headers = { authorization: `Bearer ${server.token}` };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  return ((await (await fetch(server.address + path, init)).json()) as { result: T }).result;
}

/** POST with a body, GET without. */
export function getOrPost<T>(server: Served, path: string, body?: unknown): Promise<T> {
  return callApi(server, body === undefined ? "GET" : "POST", path, body);
}

/** Resolves at the end of the crawl, because then its events end. */
export async function waitForEnd(server: Served, id: string): Promise<void> {
  const headers = { authorization: `Bearer ${server.token}` };
  await (await fetch(`${server.address}/api/crawls/${id}/events`, { headers })).text();
}

/** Resolves when the server works on no page: after a pause, those in flight are settled. */
export async function untilIdle(server: Served): Promise<void> {
  const busy = async () => (await callApi<{ busy: number }>(server, "GET", "/api/health")).busy;
  while ((await busy()) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Sends a heartbeat, as the process that started the server does once a minute. */
export async function beat({ address, token }: Pick<Served, "address" | "token">): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const { ok, status } = await fetch(address + LOCAL_HEARTBEAT, { method: "POST", headers });
  if (!ok) throw new Error(`the heartbeat was answered with ${status}`);
}

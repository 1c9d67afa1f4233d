import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { sendRequest } from "../../../src/cli/installation/send-request.ts";

/** Requests of the API as `fetch` sends them, by real connections. */

let server: Server;
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

async function serve(answer: Parameters<typeof createServer>[1]): Promise<string> {
  server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test("the body is a text, bytes, JSON or a stream", async () => {
  const url = await serve((_, response) => response.end('{"ü":1}'));
  const bytes = new TextEncoder().encode('{"ü":1}');
  expect(await (await sendRequest(url, {})).text()).toBe('{"ü":1}');
  expect(await (await sendRequest(url, {})).bytes()).toEqual(bytes);
  expect(await (await sendRequest(url, {})).json()).toEqual({ ü: 1 });
  expect(await new Response((await sendRequest(url, {})).body).bytes()).toEqual(bytes);
});

test("method, headers and body are sent, and a redirect is an answer", async () => {
  const seen: unknown[] = [];
  const url = await serve((request, response) => {
    let body = "";
    request.on("data", (part) => (body += part));
    request.on("end", () => {
      seen.push([request.method, request.headers.authorization, body]);
      response.writeHead(307, { location: "/other" }).end();
    });
  });
  const { status, ok, headers } = await sendRequest(url, {
    method: "POST",
    headers: { authorization: "Bearer t" },
    body: "x",
  });
  expect([status, ok, headers.get("location"), headers.get("link")]).toEqual([307, false, "/other", null]);
  expect(seen).toEqual([["POST", "Bearer t", "x"]]);
});

test("a connection that the server has closed meanwhile costs no request that reads", async () => {
  const sockets = new Set<Socket>();
  const url = await serve((request, response) => {
    // The next request comes on this connection, and finds it closed.
    if (sockets.has(request.socket)) request.socket.resetAndDestroy();
    else response.end("ok");
    sockets.add(request.socket);
  });
  for (let requests = 0; requests < 3; requests++) expect(await (await sendRequest(url, {})).text()).toBe("ok");
  expect(sockets.size).toBeGreaterThan(1);
  const sent = sendRequest(url, { method: "POST", body: "x" });
  await expect(sent).rejects.toThrow(/ECONNRESET|socket hang up/);
});

test("a signal ends the request, and the reading of its answer", async () => {
  const url = await serve((request, response) => {
    if (request.url === "/begins") response.write("a part");
  });
  const waiting = new AbortController();
  const sent = sendRequest(url, { signal: waiting.signal });
  server.once("request", () => waiting.abort());
  await expect(sent).rejects.toThrow("abort");
  const reading = new AbortController();
  const answer = await sendRequest(`${url}begins`, { signal: reading.signal });
  const text = answer.text();
  reading.abort();
  await expect(text).rejects.toThrow("abort");
});

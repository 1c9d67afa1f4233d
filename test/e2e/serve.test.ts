import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Client } from "../../src/cli/installation/client.ts";
import { LOCAL_HEARTBEAT } from "../../src/core/local-heartbeat.ts";
import { type Pages, page, startHandmadeSite } from "../sites/handmade-site.ts";
import { type Running, scratch, startWith } from "./cli.ts";

/** Authentication and headers of `serve` over HTTP. test/workerd/door.test.ts tests the same inside workerd. */

const dir = scratch();
let server: Running;
let base: string;

beforeAll(async () => {
  const tokens = ["--token", "new old", "--read-token", "reader"];
  const hook = ["--hook", join(import.meta.dirname, "..", "..", "examples", "hook.ts")];
  const args = ["serve", "--port", "0", ...tokens, ...hook, "--state", join(dir.path, "state")];
  server = startWith({}, args);
  base = /http:\/\/[\d.:]+/.exec(await server.printed("Try:"))?.[0] ?? "";
});

afterAll(async () => {
  server.child.kill("SIGINT");
  await server.ended;
  dir.remove();
});

async function ask(token: string, method: string, body?: BodyInit): Promise<Response> {
  const init: RequestInit = { method, headers: { authorization: `Bearer ${token}` }, ...(body ? { body } : {}) };
  const response = await fetch(`${base}/api/crawls`, init);
  await response.arrayBuffer();
  return response;
}

test.each([
  ["new", 200, 400],
  ["old", 200, 400],
  ["reader", 200, 403],
  ["other", 401, 401],
])("token %s", async (token, reading, writing) => {
  expect((await ask(token, "GET")).status).toBe(reading);
  expect((await ask(token, "POST", "{}")).status).toBe(writing);
});

test("there is no rate limit on this machine", async () => {
  const statuses = await Promise.all(Array.from({ length: 30 }, async () => (await ask("guess", "GET")).status));
  expect(new Set(statuses)).toEqual(new Set([401]));
  expect((await ask("new", "GET")).status).toBe(200);
});

test("a body over 1 MiB is refused", async () => {
  // On a connection of its own: workerd closes it, for it has not read the body.
  const init = { method: "POST", headers: { authorization: "Bearer new" }, agent: false } as const;
  const status = await new Promise((resolve, reject) => {
    const sending = request(`${base}/api/crawls`, init, (response) => resolve(response.resume().statusCode));
    sending.on("error", reject).end("x".repeat(1024 * 1024 + 1));
  });
  expect(status).toBe(413);
});

test("a hook refuses URLs, drops pages, and adds fields and links", async () => {
  const long = "words of a page that says more than forty characters";
  const pages: Pages = {
    "/": page(`Home, ${long}`, "/news/1", "/print/1", "/short"),
    "/print/1": page("To print"),
    "/short": "<p>short</p>",
    "/source": `<p>${long}</p>`,
  };
  const site = await startHandmadeSite(pages);
  pages["/news/1"] = `<title>A draft</title><p>${long}. Source: ${site.origin}/source</p>`;
  const client = new Client(base, "new");
  const crawl = { url: `${site.origin}/`, source: "links", politeness: { minDelayMs: 0 } };
  const { id } = await client.start(crawl);
  await expect.poll(async () => (await client.crawl(id)).status).toBe("completed");
  const { counts, refused } = await client.crawl(id);
  expect(counts).toMatchObject({ completed: 3, skipped: 1 });
  expect(refused).toMatchObject([{ reason: "hook", count: 1, examples: [`${site.origin}/print/1`] }]);
  await site.close();
});

test("answers have the security headers, and no server banner", async () => {
  const { headers } = await ask("new", "GET");
  expect(headers.get("cache-control")).toBe("no-store");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  for (const name of ["server", "x-powered-by"]) expect(headers.get(name)).toBeNull();
});

test("nobody sends a heartbeat without a token", async () => {
  const post = (headers: Record<string, string>) => fetch(base + LOCAL_HEARTBEAT, { method: "POST", headers });
  expect((await post({})).status).toBe(401);
  expect((await post({ authorization: "Bearer reader" })).status).toBe(403);
  expect((await post({ authorization: "Bearer old" })).status).toBe(204);
  // What miniflare could do without one is off.
  expect((await fetch(`${base}/cdn-cgi/local/scheduled`)).status).toBe(401);
});

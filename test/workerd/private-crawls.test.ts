import { createExecutionContext, env } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { ON_BEHALF } from "../../src/api/access/private-crawls.ts";
import { app } from "../../src/api/app.ts";
import { OPERATIONS } from "../../src/api/operations.ts";
import { fillPath } from "../../src/api/requests/operation.ts";
import "./silence-log.ts";
import { WATCH } from "./rows.ts";
import { World } from "./world.ts";

/**
 * Who sees what was read with a session: by each route, for a token that only reads and for an agent with all rights.
 * A webhook is granted by its owner, who alone can name one.
 */

const SEED = "https://wiki.test/";
const silent = { send: async () => undefined, sendBatch: async () => undefined } as never;
let privates: string[] = [];
let shared = "";

/** Who asks, and their headers. */
const GUESTS: [string, Record<string, string>][] = [
  ["a token that only reads", { authorization: "Bearer reading-token" }],
  ["an agent with all rights", { authorization: "Bearer test-token", [ON_BEHALF]: "mcp" }],
];
const OWNER = { authorization: "Bearer test-token" };

beforeAll(async () => {
  const world = new World(() => ({ links: [] }));
  const session = { session: "wiki" };
  const running = await world.start([SEED], session);
  const watch = await world.start([SEED], { ...session, watch: WATCH });
  privates = [running, watch];
  shared = await world.start([SEED], { ...session, shared: true, watch: WATCH });
});

async function ask(path: string, headers: Record<string, string>, method = "GET", body?: unknown) {
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const bindings = { ...env, FRONTIER: silent, NOTICES: silent };
  const answer = await app.request(path, init, bindings, createExecutionContext());
  return { status: answer.status, text: await answer.text() };
}

const LISTS = [
  "/api/crawls?all=true",
  "/v2/crawl/active",
  "/v2/monitor",
  `/api/versions?url=${SEED}`,
  "/api/search?q=wiki",
];

describe.each(GUESTS)("%s", (_, headers) => {
  test.each(LISTS)("finds no private crawl in %s", async (path) => {
    const { status, text } = await ask(path, headers);
    expect(status).toBe(200);
    for (const id of privates) expect(text).not.toContain(id);
  });

  const routes = OPERATIONS.filter(
    ({ method, path }) => method === "get" && /^\/(api\/crawls|v[12]|client)\/.*:id/.test(path),
  );
  test.each(routes.map((route) => [route.path, route] as const))(
    "is told at %s that there is none",
    async (path, { query, example }) => {
      const given = (id: string) => fillPath(path, (name) => (name === "id" ? id : "0"));
      const names = Object.keys(query?.shape ?? {});
      const asked = { ...(names.includes("url") ? { url: SEED } : {}), ...example?.query };
      for (const id of privates)
        expect((await ask(`${given(id)}?${new URLSearchParams(asked)}`, headers)).status, path).toBe(404);
    },
  );
});

test("the owner, and guests of a shared crawl, find them", async () => {
  for (const path of ["/api/crawls?all=true", "/v2/crawl/active"]) {
    const { text } = await ask(path, OWNER);
    for (const id of privates) expect([path, text]).toEqual([path, expect.stringContaining(id)]);
  }
  for (const [, headers] of GUESTS) {
    expect((await ask("/v2/crawl/active", headers)).text).toContain(shared);
    expect((await ask(`/api/crawls/${shared}`, headers)).status).toBe(200);
  }
});

const HOOK = { url: "https://receiver.test/", digest: "daily" };

test.each(GUESTS)("%s names no webhook, with a digest or without, at a private crawl", async (_, headers) => {
  for (const id of privates) {
    const { status } = await ask(`/api/crawls/${id}/webhooks`, headers, "POST", HOOK);
    expect([403, 404]).toContain(status);
    expect((await ask(`/api/crawls/${id}/webhooks`, OWNER)).text).not.toContain("receiver.test");
  }
});

test("the owner's webhook and digest are the grant, and there is no feed", async () => {
  const [, watch = ""] = privates;
  expect((await ask(`/api/crawls/${watch}/webhooks`, OWNER, "POST", HOOK)).status).toBe(201);
  expect((await ask(`/api/crawls/${watch}/feed`, OWNER, "POST")).status).toBe(409);
});

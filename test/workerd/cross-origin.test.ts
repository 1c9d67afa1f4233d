import { createExecutionContext, env } from "cloudflare:test";
import { expect, test } from "vitest";
import { app } from "../../src/api/app.ts";

/** Pages of other origins may call the API where the operator names these origins, and nowhere else. */

const NAMED = "https://app.example";
const ORIGINS = `https://first.example ${NAMED}/`;

async function ask(method: string, origin: string, changes: Partial<Env> = { CORS_ORIGINS: ORIGINS }, token?: string) {
  const headers = {
    origin,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(method === "OPTIONS"
      ? { "access-control-request-method": "POST", "access-control-request-headers": "authorization,content-type" }
      : {}),
  };
  const path = "http://localhost/api/crawls";
  return app.request(path, { method, headers }, { ...env, ...changes }, createExecutionContext());
}

test("a preflight request of a named origin is answered without a token", async () => {
  const { status, headers } = await ask("OPTIONS", NAMED);
  expect([status, headers.get("access-control-allow-origin")]).toEqual([204, NAMED]);
  expect(headers.get("access-control-allow-headers")).toContain("authorization");
  expect(headers.get("access-control-allow-methods")).toContain("DELETE");
  expect(headers.get("access-control-allow-credentials")).toBeNull();
  expect(headers.get("vary")).toContain("Origin");
});

test("a request of a named origin needs a token, and can read the answer, refusals included", async () => {
  for (const [token, status] of [
    ["test-token", 200],
    ["wrong", 401],
  ] as const) {
    const response = await ask("GET", NAMED, { CORS_ORIGINS: ORIGINS }, token);
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([status, NAMED]);
    const exposed = response.headers.get("access-control-expose-headers");
    for (const name of ["link", "x-file-path", "x-file-links"]) expect(exposed?.split(",")).toContain(name);
  }
});

test.each([
  ["https://other.example", { CORS_ORIGINS: ORIGINS }],
  ["https://app.example.evil.example", { CORS_ORIGINS: ORIGINS }],
  ["http://app.example", { CORS_ORIGINS: ORIGINS }],
  ["null", { CORS_ORIGINS: ORIGINS }],
  [NAMED, {}],
])("%s is not named: it gets no such header (%j)", async (origin, changes) => {
  expect((await ask("OPTIONS", origin, changes)).status).toBe(401);
  const { headers } = await ask("GET", origin, changes, "test-token");
  expect(headers.get("access-control-allow-origin")).toBeNull();
});

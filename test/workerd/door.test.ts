import { createExecutionContext, env } from "cloudflare:test";
import { afterEach, describe, expect, test, vi } from "vitest";
import SECURITY from "../../SECURITY.md?raw";
import { app } from "../../src/api/app.ts";
import { isFirecrawlPath } from "../../src/api/firecrawl/firecrawl-failure.ts";
import { fillPath } from "../../src/api/requests/operation.ts";
import { site } from "../../src/console/site.tsx";
import { LOCAL_HEARTBEAT } from "../../src/core/local-heartbeat.ts";
import { Mirror } from "../../src/store/mirror/mirror.ts";

/** For every route: its callers, its rate limits, the size of its body, and what its answers and the log may reveal. */

interface Route {
  reads?: true;
  /** Needs no token. */
  open?: true;
  /** The status for an authorized request. The crawl in it does not exist. */
  status: number;
  query?: string;
  body?: unknown;
}

const CRAWL = { url: "https://a.test/" };
/** Not on the crawl's host, so that no gate is asked. */
const OFF_HOST = "https://b.test/";
const CLOUDFLARE = "/client/v4/accounts/:account";

const MONITOR = { name: "a", schedule: { text: "daily" }, targets: [{ type: "scrape", urls: [CRAWL.url] }] };

const ROUTES: Record<string, Route> = {
  "GET /health": { open: true, reads: true, status: 200 },
  "GET /openapi.json": { open: true, reads: true, status: 200 },
  "GET /indexnow": { open: true, reads: true, status: 202, query: `?url=${OFF_HOST}&key=01234567` },
  "POST /indexnow": { open: true, status: 202, body: { host: "b.test", key: "01234567", urlList: [OFF_HOST] } },
  // The tests' installation has no key.
  "GET /.well-known/http-message-signatures-directory": { open: true, reads: true, status: 404 },
  "GET /api/health": { reads: true, status: 200 },
  "GET /api/crawls": { reads: true, status: 200 },
  "POST /api/crawls": { status: 201, body: CRAWL },
  "GET /api/crawls/:id": { reads: true, status: 404 },
  "GET /api/crawls/:id/events": { reads: true, status: 404 },
  "GET /api/crawls/:id/records": { reads: true, status: 404 },
  "GET /api/crawls/:id/records/finished": { reads: true, status: 404 },
  "GET /api/crawls/:id/export": { reads: true, status: 404, query: "?format=csv" },
  "GET /api/crawls/:id/report": { reads: true, status: 404 },
  "GET /api/crawls/:id/visits": { reads: true, status: 404 },
  "GET /api/crawls/:id/month": { reads: true, status: 404 },
  "GET /api/crawls/:id/passes": { reads: true, status: 404 },
  "GET /api/crawls/:id/topic": { reads: true, status: 404 },
  "GET /api/crawls/:id/sections": { reads: true, status: 404 },
  "GET /api/crawls/:id/passes/reindex-price": { reads: true, status: 404 },
  "GET /api/crawls/:id/inlinks": { reads: true, status: 404, query: `?url=${CRAWL.url}` },
  "GET /api/crawls/:id/findings": { reads: true, status: 404 },
  "GET /api/crawls/:id/findings/file": { reads: true, status: 404, query: "?format=csv" },
  "GET /api/crawls/:id/ignored": { reads: true, status: 404 },
  "POST /api/crawls/:id/ignored": { status: 404, body: { list: "* /old/** # they are old" } },
  "GET /api/crawls/:id/record": { reads: true, status: 404, query: `?url=${CRAWL.url}` },
  "GET /api/crawls/:id/tree": { reads: true, status: 404 },
  "GET /api/crawls/:id/robots": { reads: true, status: 404 },
  "GET /replay/:id/timemap/:format/:url{.+}": { reads: true, status: 404 },
  "GET /replay/:id/:time{\\d+}/:url{.+}": { reads: true, status: 404 },
  "GET /replay/:id/:url{.+}": { reads: true, status: 404 },
  "GET /api/crawls/:id/page": { reads: true, status: 404, query: `?url=${CRAWL.url}` },
  "GET /api/crawls/:id/screenshot": { reads: true, status: 404, query: `?url=${CRAWL.url}` },
  "GET /api/crawls/:id/hosts": { reads: true, status: 404 },
  "GET /api/crawls/:id/explain": { reads: true, status: 404, query: `?url=${OFF_HOST}` },
  "PATCH /api/crawls/:id": { status: 404, body: { limit: 5 } },
  "DELETE /api/crawls/:id": { status: 404 },
  "POST /api/crawls/:id/pause": { status: 404 },
  "POST /api/crawls/:id/resume": { status: 404 },
  "POST /api/crawls/:id/urls": { status: 404, body: { urls: [CRAWL.url] } },
  "POST /api/crawls/:id/retry": { status: 404, body: {} },
  "POST /api/crawls/:id/cancel": { status: 404 },
  // It is told to owners alone, though it reads.
  "GET /api/sessions": { status: 200 },
  "POST /api/sessions": { status: 201, body: { name: "a", hosts: ["a.test"], headers: [{ name: "x", value: "y" }] } },
  "POST /api/sessions/:session/check": { status: 404, body: {} },
  "DELETE /api/sessions/:session": { status: 404 },
  "GET /api/versions": { reads: true, status: 200, query: `?url=${CRAWL.url}` },
  "GET /api/crawls/:id/webhooks": { reads: true, status: 404 },
  "POST /api/crawls/:id/webhooks": { status: 404, body: { url: "https://receiver.test/" } },
  "PATCH /api/crawls/:id/webhooks/:webhook": { status: 404, body: { events: null } },
  "DELETE /api/crawls/:id/webhooks/:webhook": { status: 404 },
  "POST /api/crawls/:id/webhooks/:webhook/test": { status: 404 },
  "GET /api/crawls/:id/deliveries": { reads: true, status: 404 },
  "POST /api/crawls/:id/deliveries/:delivery/redeliver": { status: 404 },
  "POST /api/crawls/:id/passes": { status: 404 },
  "GET /api/crawls/:id/exports": { reads: true, status: 404 },
  "POST /api/crawls/:id/exports": { status: 404, body: { format: "markdown" } },
  "GET /api/crawls/:id/exports/:export/file": { reads: true, status: 404 },
  "GET /api/crawls/:id/topics": { reads: true, status: 404 },
  "POST /api/crawls/:id/topics": { status: 404 },
  "GET /api/crawls/:id/classification": { reads: true, status: 404 },
  "POST /api/crawls/:id/classification": { status: 404 },
  "GET /api/crawls/:id/marks": { reads: true, status: 404 },
  "POST /api/crawls/:id/marks": { status: 404, body: { urls: [CRAWL.url], label: "right" } },
  "POST /api/crawls/:id/watch": { status: 404, body: { everyS: 3_600 } },
  "POST /api/crawls/:id/visits": { status: 404 },
  "GET /api/crawls/:id/changes": { reads: true, status: 404 },
  "GET /api/crawls/:id/newest-changes": { reads: true, status: 404 },
  "GET /api/crawls/:id/delta": { reads: true, status: 404 },
  "GET /api/crawls/:id/diff": { reads: true, status: 404, query: `?url=${CRAWL.url}` },
  "GET /api/crawls/:id/feed": { reads: true, status: 404 },
  "POST /api/crawls/:id/feed": { status: 404 },
  // It needs a feed key, which no token is.
  "GET /feeds/:file": { open: true, reads: true, status: 404 },
  // Its host's gate has no name to ask: OWN_HOSTS lists it.
  "GET /api/ownership": { reads: true, status: 200, query: `?url=${CRAWL.url}` },
  "GET /api/search": { reads: true, status: 200, query: "?q=word" },
  "POST /api/imports": {
    status: 201,
    body: { archive: "0".repeat(64), name: "a.warc", urls: [CRAWL.url], answers: 0 },
  },
  "POST /api/imports/:id/records": { status: 404 },
  "POST /api/imports/:id/end": { status: 404, body: {} },
  "GET /api/schedules": { reads: true, status: 200 },
  "POST /api/schedules": { status: 201, body: { cron: "0 3 * * *", crawl: CRAWL } },
  "DELETE /api/schedules/:id": { status: 404 },
  "POST /api/explain": { reads: true, status: 200, body: { url: OFF_HOST, crawl: CRAWL } },
  "POST /api/fields": { status: 200, body: { url: OFF_HOST } },
  "POST /api/crawls/:id/fields": { reads: true, status: 404, body: { fields: { title: {} } } },
  "POST /api/extract": { status: 200, body: { url: OFF_HOST, prompt: "the price" } },
  "POST /api/crawls/:id/extract": { status: 404, body: { prompt: "the price" } },
  "GET /api/crawls/:id/extraction": { reads: true, status: 404 },
  "POST /api/crawls/:id/extraction": { status: 404 },
  "POST /mcp": { reads: true, status: 200, body: { jsonrpc: "2.0", id: 1, method: "ping" } },
  "GET /mcp": { reads: true, status: 405 },
  "POST /v2/scrape": { status: 404, body: { ...CRAWL, lockdown: true } },
  "POST /v1/scrape": { status: 404, body: { ...CRAWL, lockdown: true } },
  "POST /v2/map": { status: 408, body: { url: "https://map.test/", sitemap: "skip", timeout: 100 } },
  "POST /v1/map": { status: 408, body: { url: "https://map.test/", ignoreSitemap: true, timeout: 100 } },
  "POST /v2/search": { reads: true, status: 200, body: { query: "word" } },
  "POST /v2/monitor": { status: 200, body: MONITOR },
  "GET /v2/monitor": { reads: true, status: 200 },
  "GET /v2/monitor/:id": { reads: true, status: 404 },
  "PATCH /v2/monitor/:id": { status: 404, body: { name: "Prices" } },
  "DELETE /v2/monitor/:id": { status: 404 },
  "POST /v2/monitor/:id/run": { status: 404 },
  "GET /v2/monitor/:id/checks": { reads: true, status: 404 },
  "GET /v2/monitor/:id/checks/:check": { reads: true, status: 404 },
  "POST /v2/crawl": { status: 200, body: CRAWL },
  "POST /v1/crawl": { status: 200, body: CRAWL },
  "POST /v2/extract": { status: 200, body: { urls: [CRAWL.url], prompt: "the price" } },
  "POST /v1/extract": { status: 200, body: { urls: [CRAWL.url], prompt: "the price" } },
  "GET /v2/extract/:id": { reads: true, status: 404 },
  "GET /v1/extract/:id": { reads: true, status: 404 },
  // Its body is no form.
  "POST /v2/parse": { status: 400 },
  "GET /v2/crawl/active": { reads: true, status: 200 },
  "POST /v2/batch/scrape": { status: 200, body: { urls: [CRAWL.url] } },
  ...Object.fromEntries(
    ["/v2/crawl", "/v2/batch/scrape", "/v1/crawl"].flatMap((path): [string, Route][] => [
      [`GET ${path}/:id`, { reads: true, status: 404 }],
      [`GET ${path}/:id/errors`, { reads: true, status: 404 }],
      [`DELETE ${path}/:id`, { status: 404 }],
    ]),
  ),
  ...Object.fromEntries(
    ["browser-rendering", "browser-run"].flatMap((product): [string, Route][] => [
      [`POST ${CLOUDFLARE}/${product}/crawl`, { status: 200, body: CRAWL }],
      [`GET ${CLOUDFLARE}/${product}/crawl/:id`, { reads: true, status: 404 }],
      [`DELETE ${CLOUDFLARE}/${product}/crawl/:id`, { status: 404 }],
    ]),
  ),
};

const WRITING = "Bearer test-token";
const READING = "Bearer reading-token";
const silent = { sendBatch: async () => undefined } as unknown as Queue;

interface Ask {
  token?: string | undefined;
  headers?: Record<string, string>;
  body?: BodyInit;
  env?: Partial<Env>;
}

async function ask(method: string, path: string, { token, headers = {}, body, env: changes }: Ask = {}) {
  const init = {
    method,
    headers: { ...headers, ...(token === undefined ? {} : { authorization: token }) },
    ...(body === undefined ? {} : { body }),
  };
  return app.request(path, init, { ...env, FRONTIER: silent, NOTICES: silent, ...changes }, createExecutionContext());
}

function askRoute(route: string, { token, env: changes, id = "none" }: Ask & { id?: string } = {}) {
  const [method = "", pattern = ""] = route.split(" ");
  const { query = "", body } = ROUTES[route] as Route;
  const path =
    fillPath(
      pattern,
      (name) => ({ id, account: "me", time: "2026", format: "link", url: OFF_HOST })[name] ?? `:${name}`,
    ) + query;
  return ask(method, path, {
    token,
    ...(body ? { body: JSON.stringify(body) } : {}),
    ...(changes ? { env: changes } : {}),
  });
}

async function codeOf(response: Response): Promise<string | number | undefined> {
  const answer = (await response.json()) as { errors?: { code: string | number }[]; code?: string };
  return answer.code?.toLowerCase() ?? answer.errors?.[0]?.code;
}

async function startCrawl(body: unknown = CRAWL): Promise<string> {
  const response = await ask("POST", "/api/crawls", { token: WRITING, body: JSON.stringify(body) });
  return ((await response.json()) as { result: { id: string } }).result.id;
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe("every route", () => {
  test("has a row in ROUTES", () => {
    const routes = app.routes.filter(({ method }) => method !== "ALL");
    expect(new Set(routes.map(({ method, path }) => `${method} ${path}`))).toEqual(new Set(Object.keys(ROUTES)));
  });

  test("is that of a deployed Worker: only one on this machine takes heartbeats", async () => {
    const post = (changes: Partial<Env>) => ask("POST", LOCAL_HEARTBEAT, { token: WRITING, env: changes });
    expect((await post({})).status).toBe(404);
    expect((await post({ BOOT: "a" })).status).toBe(204);
    expect((await ask("GET", LOCAL_HEARTBEAT, { token: WRITING, env: { BOOT: "a" } })).status).toBe(404);
  });

  const CALLERS: [who: string, token: string | undefined, may: "none" | "read" | "all"][] = [
    ["no token", undefined, "none"],
    ["a wrong token", "Bearer wrong", "none"],
    ["an empty token", "Bearer ", "none"],
    ["another scheme", "Basic test-token", "none"],
    ["no scheme", "test-token", "none"],
    ["two tokens at once", "Bearer test-token older-token", "none"],
    ["the beginning of a token", "Bearer test-toke", "none"],
    ["a read-only token", READING, "read"],
    ["the older read-only token", "Bearer older-reading-token", "read"],
    ["a token", WRITING, "all"],
    ["the older of two tokens", "Bearer older-token", "all"],
  ];

  test.each(CALLERS)("checks the rights of a caller with %s", async (_, token, may) => {
    for (const [route, { reads = false, open = false, status }] of Object.entries(ROUTES)) {
      const answer = await askRoute(route, { token });
      const isLetIn = open || may === "all" || (may === "read" && reads);
      const expected = isLetIn ? status : may === "none" ? 401 : 403;
      expect([route, answer.status]).toEqual([route, expected]);
      if (isLetIn) continue;
      const code = may === "none" ? "unauthorized" : "forbidden";
      expect(await codeOf(answer)).toBe(route.includes(CLOUDFLARE) ? 10_000 : code);
      expect(answer.headers.get("www-authenticate")).toBe(may === "none" ? "Bearer" : null);
    }
  });

  test("a path without a route needs a token too", async () => {
    expect((await ask("GET", "/anything")).status).toBe(401);
    expect((await ask("GET", "/anything", { token: READING })).status).toBe(404);
    expect((await ask("OPTIONS", "/api/crawls", { token: READING })).status).toBe(403);
    expect((await ask("HEAD", "/api/crawls", { token: READING })).status).toBe(200);
    expect((await ask("HEAD", "/api/crawls")).status).toBe(401);
  });

  test.each([
    ["test-token", 404],
    ["reading-token", 404],
    ["wrong", 401],
    ["test-token, reading-token", 401],
    ["", 401],
  ])("a watcher sends its token %j as the subprotocol of a WebSocket: %s", async (protocol, status) => {
    const headers = { upgrade: "websocket", "sec-websocket-protocol": protocol };
    expect((await ask("GET", "/v2/crawl/none", { headers })).status).toBe(status);
    // Nowhere else, and in no other request.
    expect((await ask("GET", "/api/crawls", { headers })).status).toBe(401);
    expect((await ask("GET", "/v2/crawl/none", { headers: { "sec-websocket-protocol": protocol } })).status).toBe(401);
  });

  test("a refused request changes nothing", async () => {
    const id = await startCrawl();
    for (const token of [undefined, READING])
      for (const action of ["pause", "cancel"]) await ask("POST", `/api/crawls/${id}/${action}`, { token });
    const { result } = (await (await ask("GET", `/api/crawls/${id}`, { token: READING })).json()) as {
      result: { status: string };
    };
    expect(result.status).toBe("running");
  });
});

/** The routes that need neither a token nor a session, as callers find them: those of the API, and of the console. */
async function openRoutes(): Promise<Set<string>> {
  const open = new Set(Object.keys(ROUTES).filter((route) => ROUTES[route]?.open));
  const ofConsole = site.routes.filter(({ method, path }) => method !== "ALL" && !path.startsWith("/replay"));
  for (const { method, path } of ofConsole) {
    const init = { method, headers: SAME_ORIGIN, ...(method === "POST" ? { body: new URLSearchParams({}) } : {}) };
    const answer = await site.request(
      fillPath(path, () => "x"),
      init,
      env,
      createExecutionContext(),
    );
    await answer.body?.cancel();
    const isSentAway = answer.headers.get("location")?.startsWith("/sign-in") === true && path !== "/sign-out";
    if (!isSentAway && answer.status !== 401) open.add(`${method} ${path}`);
  }
  return open;
}

test("SECURITY.md lists the routes that need no token, and no others", async () => {
  const listed = [...SECURITY.matchAll(/^\| ((?:`(?:GET|POST) [^`]+`,? ?)+)\|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, route = ""]) => route),
  );
  expect(new Set(listed)).toEqual(await openRoutes());
});

/** The cookie of a browser after signing in with this token. */
async function signIn(token: string, { env: changes = {}, origin = "http://localhost" } = {}) {
  const body = new URLSearchParams({ token, to: "/crawls" });
  const init = { method: "POST", body, headers: { "sec-fetch-site": "same-origin", "cf-connecting-ip": "192.0.2.77" } };
  const context = createExecutionContext();
  const answer = await site.request(`${origin}/sign-in`, init, { ...env, ...changes }, context);
  return { status: answer.status, setCookie: answer.headers.get("set-cookie") ?? "", text: await answer.text() };
}

const pairOf = (setCookie: string) => setCookie.split(";", 1)[0] ?? "";
const SAME_ORIGIN = { "sec-fetch-site": "same-origin" };

describe("a session", () => {
  const askWith = async (cookie: string, method: string, path: string, headers: Record<string, string>) =>
    (await ask(method, path, { headers: { cookie, ...headers }, ...(method === "POST" ? { body: "{}" } : {}) })).status;
  const START = ["POST", "/api/crawls"] as const;
  const LIST = ["GET", "/api/crawls"] as const;

  test.each<[token: string, may: "read" | "all"]>([
    ["reading-token", "read"],
    ["test-token", "all"],
    ["older-token", "all"],
  ])("of %s gives the right to %s, on pages of the console", async (token, may) => {
    const cookie = pairOf((await signIn(token)).setCookie);
    for (const [route, { reads = false, open = false, status, body, query = "" }] of Object.entries(ROUTES)) {
      const [method = "", pattern = ""] = route.split(" ");
      const path =
        fillPath(
          pattern,
          (name) => ({ id: "none", account: "me", time: "2026", format: "link", url: OFF_HOST })[name] ?? `:${name}`,
        ) + query;
      const answer = await ask(method, path, {
        headers: { cookie, ...SAME_ORIGIN },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      expect([route, answer.status]).toEqual([route, open || reads || may === "all" ? status : 403]);
      await answer.body?.cancel();
    }
  });

  test.each<[who: string, headers: Record<string, string>, reading: number, writing: number]>([
    ["a page of the console", SAME_ORIGIN, 200, 400],
    ["a page of the console, in a browser that sends only the origin", { origin: "http://localhost" }, 200, 400],
    ["the address bar", { "sec-fetch-site": "none" }, 200, 401],
    ["another site", { "sec-fetch-site": "cross-site" }, 401, 401],
    ["another port or subdomain", { "sec-fetch-site": "same-site" }, 401, 401],
    ["another site, with its origin", { origin: "https://evil.test" }, 401, 401],
    [
      "another site, with our origin",
      { ...SAME_ORIGIN, "sec-fetch-site": "cross-site", origin: "http://localhost" },
      401,
      401,
    ],
    ["a page in a sandbox", { origin: "null" }, 401, 401],
    ["a browser that sends neither header", {}, 200, 401],
  ])("in a request from %s: reading answers %3$i, writing answers %4$i", async (_, headers, reading, writing) => {
    const cookie = pairOf((await signIn("test-token")).setCookie);
    expect([await askWith(cookie, ...LIST, headers), await askWith(cookie, ...START, headers)]).toEqual([
      reading,
      writing,
    ]);
  });

  test("is in an HttpOnly cookie for a month, without the token", async () => {
    const { status, setCookie } = await signIn("test-token");
    expect(status).toBe(303);
    expect(setCookie).toMatch(/^orbweaver-=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/);
    const secure = (await signIn("test-token", { origin: "https://o.test" })).setCookie;
    expect(secure).toMatch(/^__Host-orbweaver=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
    expect(setCookie + secure).not.toContain("test-token");
  });

  test("ends when it expires, or when its token is removed", async () => {
    const cookie = pairOf((await signIn("test-token")).setCookie);
    const read = async (changes: Partial<Env> = {}) =>
      (await ask(...LIST, { headers: { cookie, ...SAME_ORIGIN }, env: changes })).status;
    expect(await read()).toBe(200);
    expect(await read({ API_TOKEN: "older-token" })).toBe(401);
    expect(await read({ API_TOKEN: "", READ_TOKEN: "test-token" })).toBe(200);
    vi.spyOn(Date, "now").mockReturnValue(Date.now() + 2_592_001_000);
    expect(await read()).toBe(401);
  });

  test("cannot be forged, extended or swapped", async () => {
    const [name = "", value = ""] = pairOf((await signIn("test-token")).setCookie).split("=");
    const [expiry = "", nonce = "", signature = ""] = value.split(".");
    const reading = pairOf((await signIn("reading-token")).setCookie).split(/[=.]/);
    for (const forged of [
      "",
      "test-token",
      `${expiry}.${nonce}`,
      `${expiry}.${nonce}.`,
      `${expiry}.${nonce}.${"0".repeat(64)}`,
      `${expiry}.${nonce}.${signature}0`,
      `${Number(expiry) + 1}.${nonce}.${signature}`,
      `${expiry}.${crypto.randomUUID()}.${signature}`,
      `${expiry}.${nonce}.${reading[3]}`,
    ])
      expect([forged, await askWith(`${name}=${forged}`, ...LIST, SAME_ORIGIN)]).toEqual([forged, 401]);
    expect(await askWith(`__Host-${name}=${value}`, ...LIST, SAME_ORIGIN)).toBe(401);
  });

  test("of a read-only token gets no rights from a second token, and a wrong token does not fall back to it", async () => {
    const cookie = pairOf((await signIn("test-token")).setCookie);
    const both = (token: string) => ask(...START, { token, headers: { cookie, ...SAME_ORIGIN }, body: "{}" });
    expect((await both(READING)).status).toBe(403);
    expect((await both("Bearer wrong")).status).toBe(401);
  });
});

describe("a body without an end", () => {
  const CHUNK = new Uint8Array(64 * 1024).fill(0x61);
  const MOST = 16 * 1024 * 1024;
  /** The longest that is read, and what streams hold besides. */
  const LIMIT = 1024 * 1024 + 3 * CHUNK.length;

  /** Sends chunks as long as somebody takes them. */
  async function pour(route: string, headers: Record<string, string>) {
    const [method = "", pattern = ""] = route.split(" ");
    let taken = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        taken += CHUNK.length;
        if (taken > MOST) controller.close();
        else controller.enqueue(CHUNK);
      },
    });
    const path = fillPath(pattern, (name) => ({ id: "none", account: "me" })[name] ?? "x");
    const init = { method, headers, body } as RequestInit;
    const answer = await site.request(
      path,
      init,
      { ...env, FRONTIER: silent, NOTICES: silent },
      createExecutionContext(),
    );
    await answer.body?.cancel();
    return { status: answer.status, taken };
  }

  const writing = [...new Set(site.routes.concat(app.routes).map(({ method, path }) => `${method} ${path}`))].filter(
    (route) => !/^(?:ALL|GET|HEAD|OPTIONS) /.test(route),
  );
  const isOfConsole = (route: string) => !ROUTES[route];

  test("is read by no route beyond its limit", async () => {
    expect(writing.filter(isOfConsole).length).toBeGreaterThan(10);
    const cookie = pairOf((await signIn("test-token")).setCookie);
    for (const route of writing) {
      const json = { "content-type": "application/json", authorization: WRITING };
      const form = { "content-type": "application/x-www-form-urlencoded", cookie, ...SAME_ORIGIN };
      const { status, taken } = await pour(route, isOfConsole(route) ? form : json);
      expect([route, taken <= LIMIT], `${taken} bytes`).toEqual([route, true]);
      // The body of an import's answers is read only if there is such an import (imports.test.ts).
      const others: Record<string, number> = {
        "POST /indexnow": 400,
        "POST /api/imports/:id/records": 404,
        // Only a form is read (firecrawl-model.long.test.ts).
        "POST /v2/parse": 400,
      };
      if (route !== "POST /sign-out") expect([route, status]).toEqual([route, others[route] ?? 413]);
    }
  });

  test("is not read from strangers, but for the form to sign in and what owners submit", async () => {
    for (const type of ["application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a"])
      for (const route of writing) {
        const { taken } = await pour(route, { "content-type": type, ...SAME_ORIGIN });
        const most = (route === "POST /indexnow" ? 5 : 3) * CHUNK.length;
        expect([type, route, taken <= most], `${taken} bytes`).toEqual([type, route, true]);
      }
  });
});

describe("signing in", () => {
  test.each(["wrong", "", "test-toke", "test-token older-token"])("fails with %j", async (token) => {
    const { status, setCookie } = await signIn(token);
    expect([status, setCookie]).toEqual([token === "" ? 400 : 401, ""]);
  });

  test("fails with the right token after too many wrong ones", async () => {
    const changes = { RATE_LIMITS: "", GUESS_LIMIT: limitOf(2) };
    for (let i = 0; i < 2; i++) expect((await signIn(`guess-${i}`, { env: changes })).status).toBe(401);
    expect((await signIn("guess", { env: changes })).status).toBe(429);
    const refused = await signIn("test-token", { env: changes });
    expect([refused.status, refused.setCookie]).toEqual([429, ""]);
    expect(refused.text).toContain("Too many wrong tokens came from this address.");
    vi.spyOn(Date, "now").mockReturnValue(Date.now() + 61_000);
    expect((await signIn("test-token", { env: changes })).status).toBe(303);
  });

  test.each([
    ["POST", "/sign-in", { token: "test-token" }],
    ["POST", "/sign-out", {}],
  ])("%s %s from another site does nothing", async (method, path, fields) => {
    const senders: Record<string, string>[] = [
      { "sec-fetch-site": "cross-site" },
      { origin: "https://evil.test" },
      { origin: "null" },
    ];
    for (const headers of senders) {
      const init = { method, headers, body: new URLSearchParams(fields) };
      const answer = await site.request(path, init, env, createExecutionContext());
      expect([answer.status, answer.headers.get("set-cookie")]).toEqual([403, null]);
    }
  });

  test.each(["https://evil.test/", "//evil.test", "/\\evil.test", "javascript:alert(1)", "crawls"])(
    "does not redirect to another site: %s",
    async (to) => {
      const init = { method: "POST", headers: SAME_ORIGIN, body: new URLSearchParams({ token: "test-token", to }) };
      const answer = await site.request("/sign-in", init, env, createExecutionContext());
      expect(answer.headers.get("location")).toBe("/");
    },
  );
});

describe("a page of the console", () => {
  /** The status without a session. All other pages redirect to the sign-in page. */
  const OPEN: Record<string, number> = { "/sign-in": 200, "/console/console.css": 200, "/console/none": 404 };
  const PATHS = [...Object.keys(OPEN), "/", "/crawls", "/crawls/x", "/crawls/x/pause", "/crawls/new"];

  test.each(PATHS)("%s: needs a session, and has safe headers", async (path) => {
    const answer = await site.request(path, {}, env, createExecutionContext());
    expect(answer.status).toBe(OPEN[path] ?? 303);
    if (OPEN[path] === undefined) expect(answer.headers.get("location")).toMatch(/^\/sign-in(?:\?to=|$)/);
    const policy = answer.headers.get("content-security-policy") ?? "";
    for (const part of ["default-src 'none'", "script-src 'self'", "form-action 'self'", "frame-ancestors 'none'"])
      expect(policy.split("; ")).toContain(part);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("refuses forms from other sites", async () => {
    const cookie = pairOf((await signIn("test-token")).setCookie);
    const headers = { cookie, origin: "https://evil.test" };
    for (const path of ["/crawls", "/crawls/x/cancel"]) {
      const answer = await site.request(path, { method: "POST", headers }, env, createExecutionContext());
      expect(answer.status).toBe(403);
    }
  });
});

describe("the secrets", () => {
  test.each<[string, Partial<Env>, string, number]>([
    ["without secrets, nobody has access", { API_TOKEN: " ", READ_TOKEN: "" }, "Bearer ", 503],
    ["with only a read token, that token can read", { API_TOKEN: "", READ_TOKEN: "r" }, "Bearer r", 200],
    ["a token in both secrets can read and write", { API_TOKEN: "t", READ_TOKEN: "t" }, "Bearer t", 200],
  ])("%s", async (_, secrets, token, status) => {
    expect((await askRoute("GET /api/crawls", { token, env: secrets })).status).toBe(status);
    expect((await ask("GET", "/health", { env: secrets })).status).toBe(200);
    const writes = (await askRoute("POST /api/crawls", { token, env: secrets })).status;
    expect(writes).toBe(status !== 200 ? status : secrets.API_TOKEN === "t" ? 201 : 403);
  });
});

/** Allows each key `most` times. */
function limitOf(most: number): RateLimit & { keys: string[] } {
  const keys: string[] = [];
  return {
    keys,
    limit: async ({ key }) => {
      keys.push(key);
      return { success: keys.filter((each) => each === key).length <= most };
    },
  };
}

describe("rate limits", () => {
  const on = { RATE_LIMITS: "" };

  test("each token has its own limit", async () => {
    const limits = { ...on, TOKEN_LIMIT: limitOf(3) };
    for (let i = 0; i < 3; i++)
      expect((await askRoute("GET /api/crawls", { token: WRITING, env: limits })).status).toBe(200);
    const refused = await askRoute("GET /api/crawls", { token: WRITING, env: limits });
    expect([refused.status, refused.headers.get("retry-after"), await codeOf(refused)]).toEqual([
      429,
      "60",
      "rate-limited",
    ]);
    expect((await askRoute("GET /api/crawls", { token: READING, env: limits })).status).toBe(200);
    expect((await ask("GET", "/health", { env: limits })).status).toBe(200);
    expect(limits.TOKEN_LIMIT.keys.join()).not.toContain("token");
  });

  test("after too many wrong tokens, an address is refused for a minute, even with the right one", async () => {
    const now = vi.spyOn(Date, "now").mockReturnValue(1_000_000);
    const limits = { ...on, GUESS_LIMIT: limitOf(3) };
    const from = (address: string, token?: string) =>
      ask("GET", "/api/schedules", { token, headers: { "cf-connecting-ip": address }, env: limits });
    for (let i = 0; i < 3; i++) expect((await from("192.0.2.1", `Bearer guess-${i}`)).status).toBe(401);
    expect((await from("192.0.2.1", "Bearer guess")).status).toBe(429);
    now.mockReturnValue(1_020_500);
    const refused = await from("192.0.2.1", WRITING);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "40"]);
    expect(await refused.json()).toMatchObject({
      errors: [{ code: "rate-limited", message: "Too many wrong tokens came from this address. Try again in 40 s." }],
    });
    expect((await from("192.0.2.2", WRITING)).status).toBe(200);
    now.mockReturnValue(1_060_000);
    expect((await from("192.0.2.1", WRITING)).status).toBe(200);
  });

  test("all addresses of an IPv6 /64 network count as one", async () => {
    const limits = { ...on, GUESS_LIMIT: limitOf(1) };
    const from = async (address: string, token: string) =>
      (await ask("GET", "/health/x", { token, headers: { "cf-connecting-ip": address }, env: limits })).status;
    expect(await from("2001:db8::1", "Bearer a")).toBe(401);
    expect(await from("2001:db8:0:0:ffff::2", "Bearer b")).toBe(429);
    expect(await from("2001:db8:0:1::1", "Bearer c")).toBe(401);
    expect(new Set(limits.GUESS_LIMIT.keys)).toEqual(new Set(["2001:db8:0:0", "2001:db8:0:1"]));
  });

  test("a request without a token does not count as a wrong token", async () => {
    const limits = { ...on, GUESS_LIMIT: limitOf(0) };
    const headers = { "cf-connecting-ip": "192.0.2.9" };
    expect((await ask("GET", "/api/crawls", { headers, env: limits })).status).toBe(401);
    expect((await ask("GET", "/api/crawls", { token: WRITING, headers, env: limits })).status).toBe(200);
  });

  test.each<[string, Partial<Record<keyof Env, unknown>>]>([
    ["off", { RATE_LIMITS: "off", TOKEN_LIMIT: limitOf(0), GUESS_LIMIT: limitOf(0) }],
    ["removed", { ...on, TOKEN_LIMIT: undefined, GUESS_LIMIT: undefined }],
  ])("limits that are %s refuse no request", async (_, limits) => {
    const changes = limits as Partial<Env>;
    expect((await askRoute("GET /api/crawls", { token: WRITING, env: changes })).status).toBe(200);
    expect((await askRoute("GET /api/crawls", { token: "Bearer x", env: changes })).status).toBe(401);
  });

  test("the local binding counts like the deployed one", async () => {
    const key = crypto.randomUUID();
    // One more than the limit of two minutes, because a minute may end during the test.
    const answers: boolean[] = [];
    for (let i = 0; i < 41; i++) answers.push((await env.GUESS_LIMIT.limit({ key })).success);
    expect(answers.slice(0, 20)).not.toContain(false);
    expect(answers).toContain(false);
  });
});

describe("a body", () => {
  const MIB = 1024 * 1024;
  const padded = (bytes: number) => {
    const json = JSON.stringify(CRAWL);
    return json + " ".repeat(bytes - json.length);
  };
  const streamed = (text: string) => new Response(text).body as ReadableStream;

  test.each<[string, () => BodyInit, number]>([
    ["of the maximum size", () => padded(MIB), 201],
    ["with one byte more", () => padded(MIB + 1), 413],
    ["without a Content-Length", () => streamed(padded(MIB)), 201],
    ["without a Content-Length, and with one byte more", () => streamed(padded(MIB + 1)), 413],
    ["that is empty", () => "", 400],
    ["that is null", () => "null", 400],
    ["nested deeply in an unknown field", () => `{"url":"https://a.test/","x":${nested(200_000)}}`, 400],
    ["nested deeply in a known field", () => `{"urls":${nested(200_000)}}`, 400],
    ["with a line break in a header", () => JSON.stringify({ ...CRAWL, headers: { a: "b\r\nc: d" } }), 400],
  ])("%s is answered %3$i", async (_, body, status) => {
    const answer = await ask("POST", "/api/crawls", { token: WRITING, body: body() });
    expect(answer.status).toBe(status);
    if (status === 413) {
      const message = "The body of a request may have at most 1048576 bytes.";
      expect(await answer.json()).toMatchObject({ errors: [{ code: "too-large", message }] });
    }
  });

  test("is refused because of its Content-Length, without being read", async () => {
    const body = streamed(padded(MIB));
    const headers = { "content-length": String(MIB + 1) };
    expect((await ask("POST", "/api/crawls", { token: WRITING, body, headers })).status).toBe(413);
    expect(body.locked).toBe(false);
  });

  test("is not read before the token is checked", async () => {
    const body = streamed(padded(MIB + 1));
    expect((await ask("POST", "/api/crawls", { body })).status).toBe(401);
    expect((await ask("POST", "/api/crawls", { token: READING, body })).status).toBe(403);
    expect(body.locked).toBe(false);
  });

  test.each([["application/x-www-form-urlencoded"], ["text/plain"], ["multipart/form-data; boundary=x"], [undefined]])(
    "of type %s is read as JSON",
    async (type) => {
      const body = new TextEncoder().encode(JSON.stringify(CRAWL));
      const headers: Record<string, string> = type === undefined ? {} : { "content-type": type };
      expect((await ask("POST", "/api/crawls", { token: WRITING, body, headers })).status).toBe(201);
    },
  );

  test("with thousands of mistakes gets a short answer", async () => {
    const body = JSON.stringify({ ...CRAWL, preferPatterns: Array.from({ length: 50_000 }, () => "") });
    const answer = await ask("POST", "/api/crawls", { token: WRITING, body });
    expect(answer.status).toBe(400);
    expect((await answer.text()).length).toBeLessThan(2_000);
  });

  function nested(depth: number): string {
    return "[".repeat(depth) + "]".repeat(depth);
  }
});

describe("headers of an answer", () => {
  const NONE = "default-src 'none'; frame-ancestors 'none'";
  const broken = { LEDGER: failing("x") } as unknown as Partial<Env>;
  const ANSWERS: [string, number, (origin: string) => Promise<Response>][] = [
    ["of a public route", 200, (at) => ask("GET", `${at}/health`)],
    ["with a result", 200, (at) => ask("GET", `${at}/api/crawls`, { token: READING })],
    ["without a token", 401, (at) => ask("GET", `${at}/api/crawls`)],
    ["with a read-only token", 403, (at) => ask("POST", `${at}/api/crawls`, { token: READING })],
    ["for an unknown path", 404, (at) => ask("GET", `${at}/x`, { token: READING })],
    ["for an invalid body", 400, (at) => ask("POST", `${at}/api/crawls`, { token: WRITING, body: "{" })],
    ["after a failure", 500, (at) => ask("GET", `${at}/api/crawls`, { token: READING, env: broken })],
  ];

  test.each(ANSWERS)("%s: %i", async (_, status, get) => {
    vi.spyOn(console, "error").mockReturnValue();
    for (const origin of ["http://o.test", "https://o.test"]) {
      const { headers, ...answer } = await get(origin).then((each) => ({ headers: each.headers, status: each.status }));
      expect(answer.status).toBe(status);
      expect(Object.fromEntries(headers)).toMatchObject({
        "cache-control": "no-store",
        "content-security-policy": NONE,
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
      });
      expect(headers.get("strict-transport-security")).toBe(origin.startsWith("https") ? "max-age=31536000" : null);
      for (const banner of ["server", "x-powered-by"]) expect(headers.has(banner)).toBe(false);
    }
  });

  test("a mirrored page keeps its sandbox", async () => {
    const made = (await (await ask("POST", "/api/crawls", { token: WRITING, body: JSON.stringify(CRAWL) })).json()) as {
      result: { id: string };
    };
    const crawl = made.result.id;
    const page = { crawl, url: CRAWL.url, body: new Uint8Array(1), contentType: "text/html", httpStatus: 200 };
    await new Mirror(env.MIRROR).put({ ...page, sha256: "00", headers: [], fetchedAt: 1 });
    const { headers } = await ask("GET", `/api/crawls/${crawl}/page?url=${CRAWL.url}`, { token: READING });
    expect(Object.fromEntries(headers)).toMatchObject({
      "cache-control": "no-store",
      "content-security-policy": expect.stringMatching(/^sandbox; default-src 'none';/),
      "x-content-type-options": "nosniff",
    });
  });
});

/** A binding whose calls all fail, with a message that must not reach a client. */
function failing(words: string): object {
  const call = () => {
    throw new Error(words);
  };
  return new Proxy({}, { get: () => call });
}

const INTERNAL_MESSAGE =
  "D1_ERROR: no such table: crawls in SELECT * FROM crawls at LEDGER (src/store/ledger/ledger.ts:12)";
const failingGate = (): object => ({ idFromName: () => "id", get: () => failing(INTERNAL_MESSAGE) });

/** Everything that was logged, as text. */
function recordLogs(): () => string {
  const logged: unknown[] = [];
  for (const level of ["log", "info", "warn", "error", "debug"] as const) {
    vi.spyOn(console, level).mockImplementation((...args) => void logged.push(...args));
  }
  return () =>
    logged.map((each) => (each instanceof Error ? `${each.stack} ${each.message}` : JSON.stringify(each))).join("\n");
}

describe("failures", () => {
  /** Of themselves they ask no binding: mcp.test.ts has a tool that fails. */
  const MCP = ["POST /mcp", "GET /mcp", "POST /v2/parse"];

  test.each(Object.keys(ROUTES).filter((route) => !ROUTES[route]?.open && !MCP.includes(route)))(
    "%s does not reveal internal details",
    async (route) => {
      const log = recordLogs();
      const inScope = { url: CRAWL.url, crawl: CRAWL };
      const changes = {
        LEDGER: failing(INTERNAL_MESSAGE),
        MIRROR: failing(INTERNAL_MESSAGE),
        HOST_GATE: failingGate(),
      } as unknown as Partial<Env>;
      const answer =
        route === "POST /api/explain"
          ? await ask("POST", "/api/explain", { token: WRITING, body: JSON.stringify(inScope), env: changes })
          : await askRoute(route, { token: WRITING, env: changes });
      if (isFirecrawlPath(route.split(" ")[1] ?? "")) await expectInternalAsTheirs(answer);
      else await expectInternal(answer, route.includes(CLOUDFLARE) ? 500 : "internal");
      expect(log()).toContain(INTERNAL_MESSAGE);
    },
  );

  test.each(["hosts", `explain?url=${CRAWL.url}`])("a gate that fails during %s is an internal error", async (what) => {
    recordLogs();
    const changes = { HOST_GATE: failingGate() } as unknown as Partial<Env>;
    const id = await startCrawl();
    await expectInternal(await ask("GET", `/api/crawls/${id}/${what}`, { token: READING, env: changes }));
  });

  async function expectInternalAsTheirs(answer: Response): Promise<void> {
    const error = "An internal error. The Worker's log has the details.";
    const requestId = answer.headers.get("x-request-id");
    expect([answer.status, await answer.json()]).toEqual([500, { success: false, code: "INTERNAL", error, requestId }]);
  }

  async function expectInternal(answer: Response, code: string | number = "internal"): Promise<void> {
    expect(answer.status).toBe(500);
    const message = "An internal error. The Worker's log has the details.";
    expect(await answer.json()).toEqual({
      success: false,
      result: null,
      errors: [{ code, message }],
      messages: [],
      requestId: answer.headers.get("x-request-id"),
    });
  }
});

describe("secrets", () => {
  const HIDDEN = "custom-header-value";
  /** The secret of a webhook, as its user gives it. */
  const SIGNING = "c2VjcmV0IG9mIGEgd2ViaG9vaywgaGlkZGVu";
  const webhook = { url: "https://receiver.test/", secret: `whsec_${SIGNING}` };
  const body = { ...CRAWL, headers: { authorization: HIDDEN }, webhook };

  test("are never logged, even if a request is refused or fails", async () => {
    const log = recordLogs();
    const changes = {
      LEDGER: failing(INTERNAL_MESSAGE),
      MIRROR: failing(INTERNAL_MESSAGE),
      HOST_GATE: failingGate(),
    } as unknown as Partial<Env>;
    const wrong = "Bearer wrong-token";
    for (const token of [WRITING, READING, wrong, "Basic odd-token"]) {
      for (const route of Object.keys(ROUTES)) await askRoute(route, { token, env: changes });
      for (const sent of [
        JSON.stringify(body),
        JSON.stringify(body).slice(0, -1),
        JSON.stringify({ ...body, limit: 0 }),
      ])
        await ask("POST", "/api/crawls", { token, body: sent, env: changes });
      await ask("POST", "/api/schedules", { token, body: JSON.stringify({ cron: "@", crawl: body }), env: changes });
    }
    expect(log()).toContain(INTERNAL_MESSAGE);
    for (const secret of ["test-token", "reading-token", "wrong-token", "odd-token", "Bearer", HIDDEN, SIGNING])
      expect(log()).not.toContain(secret);
  });

  test("no route shows a crawl's headers, nor the secret of a webhook after the answer that made it", async () => {
    const id = await startCrawl(body);
    const schedule = await ask("POST", "/api/schedules", {
      token: WRITING,
      body: JSON.stringify({ cron: "0 3 * * *", crawl: body }),
    });
    const created = await schedule.text();
    expect(created).not.toContain(HIDDEN);
    expect(created.split(SIGNING)).toHaveLength(2);
    const explained = { url: OFF_HOST, crawl: body };
    const texts = [
      await (await ask("POST", "/api/explain", { token: READING, body: JSON.stringify(explained) })).text(),
    ];
    // In this order: the crawl is shown, paused and resumed before it is cancelled.
    const rows = Object.keys(ROUTES).filter((route) => route.includes(":id") || ROUTES[route]?.reads);
    for (const route of rows) texts.push(await textOf(await askRoute(route, { token: WRITING, id })));
    expect(texts.join()).toContain(id);
    expect(texts.join()).not.toContain(HIDDEN);
    expect(texts.join()).toContain(webhook.url);
    expect(texts.join()).not.toContain(SIGNING);
    await ask("DELETE", `/api/schedules/${JSON.parse(created).result.id}`, { token: WRITING });
  });

  /** Reads the first event only: the stream stays open until the crawl ends. */
  async function textOf(answer: Response): Promise<string> {
    if (answer.headers.get("content-type") !== "text/event-stream") return answer.text();
    const reader = answer.body?.getReader();
    const first = await reader?.read();
    await reader?.cancel();
    return new TextDecoder().decode(first?.value);
  }
});

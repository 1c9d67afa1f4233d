import { createExecutionContext, env } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import type { CrawlDetail } from "../../src/api/views.ts";
import { DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import { Ledger } from "../../src/store/ledger/ledger.ts";
import { emptyCommit } from "../../src/store/ledger/ledger-commit.ts";
import { Mirror } from "../../src/store/mirror/mirror.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { discovered } from "./rows.ts";

/** The API with real bindings. Its queue drops all messages, so nothing is crawled during a test. */

const silent = { sendBatch: async () => undefined } as unknown as Queue;
const TOKEN = { authorization: "Bearer test-token" };

interface Envelope<T = never> {
  success: boolean;
  result: T;
  messages?: string[];
  errors?: { code: string; message: string }[];
}

async function call<T>(
  method: string,
  path: string,
  body?: unknown,
  { headers = TOKEN as Record<string, string>, ...changes }: Partial<Env> & { headers?: Record<string, string> } = {},
): Promise<{ status: number; json: Envelope<T> }> {
  const init = {
    method,
    headers,
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  };
  const response = await app.request(path, init, { ...env, FRONTIER: silent, ...changes }, createExecutionContext());
  return { status: response.status, json: await response.json() };
}

async function startCrawl(body: Record<string, unknown> = {}): Promise<string> {
  const { json } = await call<{ id: string }>("POST", "/api/crawls", { url: "https://a.test/", ...body });
  return json.result.id;
}

describe("a second watch of the same seeds", () => {
  const watch = { everyS: 86_400 };
  const start = (body: Record<string, unknown>, query = "") =>
    call<{ id: string }>("POST", `/api/crawls${query}`, { watch, ...body });
  const besideOf = async (id: string) =>
    (await call<CrawlDetail>("GET", `/api/crawls/${id}`)).json.result.watchesBeside;

  test("starts, and both name the other one until it ends", async () => {
    const first = await start({ urls: ["https://a.test/", "https://b.test/"] });
    const second = await start({ urls: ["https://b.test/", "https://a.test/"] });
    expect([first.json.messages, second.json.messages]).toEqual([
      [],
      [expect.stringContaining(`The watch ${first.json.result.id} has the same seeds`)],
    ]);
    const [one, two] = [first.json.result.id, second.json.result.id];
    expect([await besideOf(one), await besideOf(two)]).toEqual([[two], [one]]);
    await call("POST", `/api/crawls/${one}/cancel`);
    expect([await besideOf(one), await besideOf(two)]).toEqual([[], []]);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ["another seed", { url: "https://d.test/" }, ""],
    ["one seed more", { urls: ["https://a.test/", "https://c.test/"] }, ""],
    ["no watch", { url: "https://a.test/", watch: null }, ""],
    ["a list that begins with it", { url: "https://a.test/" }, "?list=0123456789abcdef"],
  ])("is not one with %s", async (_, body, query) => {
    await start({ url: "https://a.test/" });
    const { status, json } = await start(body, query);
    expect([status, json.messages, await besideOf(json.result.id)]).toEqual([201, [], []]);
  });
});

const LOG_IN = "https://me:secret@a.test/";

describe("starting a crawl", () => {
  test.each([
    ["no URL", {}, "invalid-request", "name a URL"],
    ["no JSON", "{", "invalid-json", "not JSON"],
    ["a URL of another scheme", { url: "ftp://a.test/" }, "invalid-url", "ftp://a.test/"],
    ["a limit of zero", { url: "https://a.test/", limit: 0 }, "invalid-request", "limit"],
    ["a depth that is a word", { url: "https://a.test/", depth: "deep" }, "invalid-request", "depth"],
    ["an unknown source", { url: "https://a.test/", source: "maps" }, "invalid-request", "source"],
  ])("the API refuses %s and explains why", async (_, body, code, words) => {
    const { status, json } = await call("POST", "/api/crawls", body);
    expect([status, json.success, json.errors?.[0]?.code]).toEqual([400, false, code]);
    expect(json.errors?.[0]?.message).toContain(words);
  });

  test.each<[string, string, Record<string, unknown>]>([
    ["/api/crawls", "url", { url: LOG_IN }],
    ["/api/crawls", "urls.1", { urls: ["https://a.test/", LOG_IN] }],
    ["/api/crawls", "sitemaps.0", { url: "https://a.test/", sitemaps: [LOG_IN] }],
    ["/api/crawls", "like.0", { url: "https://a.test/", like: [LOG_IN] }],
    ["/api/fields", "url", { url: LOG_IN, fields: [{ fields: { a: { selector: "b" } } }] }],
    ["/api/schedules", "url", { cron: "0 3 * * *", crawl: { url: LOG_IN } }],
    ["/v2/scrape", "", { url: LOG_IN }],
    ["/v2/map", "", { url: LOG_IN }],
    ["/api/sessions/none/check", "", { url: LOG_IN }],
    ["/api/sessions", "", { name: "s", hosts: ["a.test"], login: { steps: [{ open: LOG_IN }], secrets: {} } }],
  ])("%s refuses a log-in in %s: no request would send it", async (path, at, body) => {
    const { status, json } = await call("POST", path, body);
    expect(status).toBe(400);
    expect(JSON.stringify(json)).toMatch(/password in a URL are not sent.*Authorization/);
    expect(JSON.stringify(json)).not.toContain("secret");
    if (at !== "") expect(json.errors?.[0]).toMatchObject({ code: "invalid-url", path: at });
  });

  test.each([
    ["http://127.0.0.1/"],
    ["http://2130706433/"],
    ["http://[::1]/"],
    ["http://localhost:8787/"],
    ["http://10.1.2.3/"],
    ["http://printer.local/"],
  ])("%s is private, so the API refuses it unless the operator allows it", async (url) => {
    expect((await call("POST", "/api/crawls", { url }, { ALLOW_PRIVATE: "" })).json.errors?.[0]?.code).toBe(
      "private-address",
    );
    expect((await call("POST", "/api/crawls", { url }, { BOOT: "b" })).status).toBe(201);
  });

  test("the API canonicalizes and counts seeds", async () => {
    const id = await startCrawl({ urls: ["https://A.test/#top", "https://a.test/?utm_source=x", "https://a.test/b"] });
    await expectCountersExact(id);
    const { json } = await call<{ total: number; counts: { queued: number }; urls: string[] }>(
      "GET",
      `/api/crawls/${id}`,
    );
    expect(json.result).toMatchObject({
      total: 2,
      counts: { queued: 2 },
      urls: ["https://a.test/", "https://a.test/b"],
    });
  });
});

describe("unknown keys", () => {
  const url = "https://a.test/";
  test.each<[method: string, path: string, body: unknown, message: string, at: string]>([
    ["POST", "/api/crawls", { url, limt: 5 }, "there is no limt (did you mean limit?)", "limt"],
    ["POST", "/api/crawls", { url, colour: 5 }, "there is no colour", "colour"],
    [
      "POST",
      "/api/crawls",
      { url, excludePatterns: [], minDelay: 1 },
      "there is no excludePatterns (did you mean options.excludePatterns?), no minDelay (did you mean politeness.minDelayMs?)",
      "excludePatterns",
    ],
    [
      "POST",
      "/api/crawls",
      { url, politeness: { minDelay: 1 } },
      "politeness: there is no minDelay (did you mean minDelayMs?)",
      "politeness.minDelay",
    ],
    [
      "POST",
      "/api/schedules",
      { cron: "0 3 * * *", crawl: { url, dept: 1 } },
      "crawl: there is no dept (did you mean depth?)",
      "crawl.dept",
    ],
    ["POST", "/api/explain", { url, crawl: { url }, crwal: 1 }, "there is no crwal (did you mean crawl?)", "crwal"],
    ["GET", "/api/search?q=a&limt=5", undefined, "there is no limt (did you mean limit?)", "limt"],
  ])("%s %s refuses them, with the nearest name: %j", async (method, path, body, message, at) => {
    const { status, json } = await call(method, path, body);
    expect([status, json.errors]).toEqual([400, [{ code: "invalid-request", message, path: at }]]);
  });

  test("a crawl's records, its limits and its retry refuse them", async () => {
    const id = await startCrawl();
    for (const [method, path, body] of [
      ["GET", "records?stauts=errored", undefined],
      ["PATCH", "", { limits: 5 }],
      ["POST", "retry", { reson: "limit" }],
    ] as const) {
      const { status, json } = await call(method, `/api/crawls/${id}/${path}`.replace(/\/$/, ""), body);
      expect([path, status, json.errors?.[0]?.message]).toEqual([path, 400, expect.stringContaining("did you mean")]);
    }
  });

  test("Cloudflare's paths ignore them", async () => {
    const body = { url, colour: 5, options: { colour: 5 } };
    expect((await call("POST", "/client/v4/accounts/me/browser-run/crawl", body)).status).toBe(200);
  });
});

test("latest leads to the newest crawl by its id, and deletes nothing", async () => {
  await startCrawl();
  await startCrawl();
  const [newest] = (await call<{ id: string }[]>("GET", "/api/crawls")).json.result;
  const redirect = async (method: string, path: string) => {
    const init = { method, headers: TOKEN };
    const answer = await app.request(
      `/api/crawls/latest${path}`,
      init,
      { ...env, FRONTIER: silent },
      createExecutionContext(),
    );
    return [answer.status, answer.headers.get("location")];
  };
  expect(await redirect("GET", "")).toEqual([307, `/api/crawls/${newest?.id}`]);
  const query = "/records?limit=5&formats=text";
  expect(await redirect("GET", query)).toEqual([307, `/api/crawls/${newest?.id}${query}`]);
  expect(await redirect("POST", "/pause")).toEqual([307, `/api/crawls/${newest?.id}/pause`]);
  expect((await call("DELETE", "/api/crawls/latest?force=true")).status).toBe(400);
  const versions = async (crawl?: string) =>
    (await call("GET", `/api/versions?url=https://a.test/&crawl=${crawl}`)).json;
  expect(await versions("latest")).toEqual(await versions(newest?.id));
  expect((await versions("latest")).success).toBe(true);
});

describe("the beginning of an id", () => {
  test("names the crawl that no other shares it with", async () => {
    const id = await startCrawl();
    const start = id.slice(0, 8);
    expect((await call<{ id: string }>("GET", `/api/crawls/${start}`)).json.result.id).toBe(id);
    expect((await call("GET", `/api/crawls/${start}/records`)).status).toBe(200);
    expect((await call("GET", `/api/search?q=a&crawl=${start}`)).status).toBe(200);
    expect((await call<{ id: string }>("POST", `/api/crawls/${start}/pause`)).json.result.id).toBe(id);
    const deletion = await call<{ id: string }>("DELETE", `/api/crawls/${start}?force=true`);
    expect([deletion.status, deletion.json.result.id]).toEqual([202, id]);
    expect((await call("GET", `/api/crawls/${start}`)).status).toBe(404);
  });

  test("that several crawls share, or that is short, names none", async () => {
    const ids = ["aaaa1111-0000-4000-8000-000000000001", "aaaa1111-0000-4000-8000-000000000002"];
    const options = JSON.stringify({ ...DEFAULT_OPTIONS, urls: ["https://a.test/"], userAgent: "Test/1" });
    for (const id of ids) {
      await env.LEDGER.prepare(
        `INSERT INTO crawls (id, status, options, hosts, created_at, updated_at, wake_at, page_limit, max_queued)
         VALUES (?1, 'paused', ?2, '[]', 1, 1, 1, 1, 1)`,
      )
        .bind(id, options)
        .run();
    }
    for (const method of ["GET", "DELETE"]) {
      const { status, json } = await call(method, "/api/crawls/aaaa1111");
      expect([status, json.errors?.[0]?.message]).toEqual([
        404,
        `The ids of several crawls begin with aaaa1111, such as ${ids.join(", ")}.`,
      ]);
    }
    expect((await call("GET", "/api/crawls/aaa")).status).toBe(404);
    expect((await call("GET", `/api/crawls/${ids[0]}`)).status).toBe(200);
  });

  test("names a schedule", async () => {
    const body = { cron: "30 3 * * *", crawl: { url: "https://a.test/" } };
    const { id } = (await call<{ id: string }>("POST", "/api/schedules", body)).json.result;
    const removed = await call<{ id: string }>("DELETE", `/api/schedules/${id.slice(0, 8)}`);
    expect([removed.status, removed.json.result.id]).toEqual([200, id]);
  });
});

test("a list of crawls goes on where the last one ended, newest first, each crawl once", async () => {
  const started = await Promise.all(Array.from({ length: 5 }, () => startCrawl()));
  const listed: { id: string; createdAt: string }[] = [];
  for (let path: string | undefined = "/api/crawls?limit=2"; path !== undefined; ) {
    const response = await app.request(path, { headers: TOKEN }, env, createExecutionContext());
    const { result } = (await response.json()) as { result: typeof listed };
    listed.push(...result);
    path = /^<(.*)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1];
  }
  const ids = listed.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining(started));
  const times = listed.map(({ createdAt }) => createdAt);
  expect(times).toEqual(times.toSorted().reverse());
  const all = (await call<typeof listed>("GET", "/api/crawls")).json.result;
  expect(all.map(({ id }) => id)).toEqual(ids);
  expect((await call("GET", "/api/crawls?cursor=nonsense")).status).toBe(400);
});

describe("a crawl", () => {
  let id = "";
  beforeEach(async () => {
    id = await startCrawl();
  });

  test("can be paused, resumed and cancelled, and then cannot be resumed", async () => {
    const act = (action: string) => call<{ status: string }>("POST", `/api/crawls/${id}/${action}`);
    expect((await act("pause")).json.result.status).toBe("paused");
    expect((await act("pause")).status).toBe(409);
    expect((await act("resume")).json.result.status).toBe("running");
    expect((await act("cancel")).json.result.status).toBe("cancelled_by_user");
    expect((await act("resume")).json.errors?.[0]).toEqual({
      code: "conflict",
      message: "This crawl is cancelled by user, so it cannot be resumed.",
    });
    await expectCountersExact(id);
  });

  test("a cursor returns all records in order, each once", async () => {
    const urls = Array.from({ length: 25 }, (_, i) => `https://a.test/${String(i).padStart(2, "0")}`);
    const discoveries = urls.map((url) => discovered(url));
    await new Ledger(env.LEDGER).commit([{ ...emptyCommit(id), discoveries }], 1);
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const query = new URLSearchParams({ limit: "10", cursor });
      const page = await call<{ records: { url: string }[]; cursor: string | null }>(
        "GET",
        `/api/crawls/${id}/records?${query}`,
      );
      seen.push(...page.json.result.records.map(({ url }) => url));
      cursor = page.json.result.cursor;
    }
    expect(seen).toEqual(["https://a.test/", ...urls]);
  });

  test("a mirrored page is served with a sandbox", async () => {
    const body = new TextEncoder().encode("<script>alert(1)</script>");
    const page = {
      crawl: id,
      url: "https://a.test/",
      body,
      contentType: "text/html",
      httpStatus: 200,
      sha256: "00",
      headers: [],
      fetchedAt: 1,
    };
    await new Mirror(env.MIRROR).put(page);
    const response = await app.request(
      `/api/crawls/${id}/page?url=https://a.test/`,
      { headers: TOKEN },
      env,
      createExecutionContext(),
    );
    expect(await response.text()).toBe("<script>alert(1)</script>");
    expect(response.headers.get("content-security-policy")).toContain("sandbox");
  });

  test("a crawl that does not exist is not found", async () => {
    expect((await call("GET", "/api/crawls/nope")).json.errors?.[0]).toEqual({
      code: "not-found",
      message: "There is no crawl nope.",
    });
  });
});

describe("Cloudflare's paths", () => {
  test.each([["browser-rendering"], ["browser-run"]])("%s starts, shows and cancels a crawl", async (product) => {
    const base = `/client/v4/accounts/me/${product}/crawl`;
    const { json } = await call<string>("POST", base, {
      url: "https://a.test/",
      limit: 50,
      options: { includeSubdomains: true },
    });
    expect(json).toMatchObject({ success: true, result: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    const shown = await call("GET", `${base}/${json.result}`);
    expect(shown.json.result).toMatchObject({
      id: json.result,
      status: "running",
      total: 1,
      finished: 0,
      browserSecondsUsed: 0,
      records: [{ url: "https://a.test/", status: "queued" }],
    });
    const gone = await call("DELETE", `${base}/${json.result}`);
    expect(gone.json.result).toMatchObject({ job_id: json.result });
    expect((await call<{ status: string }>("GET", `${base}/${json.result}`)).json.result.status).toBe(
      "cancelled_by_user",
    );
  });
});

describe("schedules", () => {
  test("are created, listed and removed", async () => {
    const created = await call<{ id: string; nextAt: string }>("POST", "/api/schedules", {
      cron: "30 3 * * *",
      crawl: { url: "https://a.test/" },
    });
    expect(created.status).toBe(201);
    expect(created.json.result.nextAt).toMatch(/T03:30:00\.000Z$/);
    const list = await call<{ id: string }[]>("GET", "/api/schedules");
    expect(list.json.result.map(({ id }) => id)).toContain(created.json.result.id);
    expect((await call("DELETE", `/api/schedules/${created.json.result.id}`)).status).toBe(200);
    expect((await call("DELETE", `/api/schedules/${created.json.result.id}`)).status).toBe(404);
  });

  test("set the crawl's modifiedSince", async () => {
    const body = { cron: "30 3 * * *", crawl: { url: "https://a.test/" }, modifiedWithinS: 604_800 };
    const { json } = await call<{ id: string; modifiedWithinS: number }>("POST", "/api/schedules", body);
    expect(json.result.modifiedWithinS).toBe(604_800);
    await call("DELETE", `/api/schedules/${json.result.id}`);
  });

  test.each([["every day"], ["61 * * * *"], ["0 0 31 2 *"]])("%s is not a valid schedule", async (cron) => {
    const { status, json } = await call("POST", "/api/schedules", { cron, crawl: { url: "https://a.test/" } });
    expect([status, json.errors?.[0]?.code]).toEqual([400, "invalid-cron"]);
  });
});

describe("deleting", () => {
  type Deletion = { id: string; done: boolean; waitsUntil: string | null; costUsd: number | null };
  const remove = (id: string, query = "") => call<Deletion>("DELETE", `/api/crawls/${id}${query}`);

  test("the API refuses to delete a running crawl and says what to do", async () => {
    const id = await startCrawl();
    const answers = [await remove(id), await remove(id, "?force=false")];
    for (const { status, json } of answers) {
      expect([status, json.errors?.[0]?.message]).toEqual([409, expect.stringContaining("cancel it first")]);
    }
    expect((await remove(id, "?force=maybe")).status).toBe(400);
    expect((await call("GET", `/api/crawls/${id}`)).status).toBe(200);
  });

  test("with force, the crawl disappears at once, even if pages may be in flight", async () => {
    const id = await startCrawl();
    const page = `/page?url=${encodeURIComponent("https://a.test/")}`;
    await new Mirror(env.MIRROR).put({
      crawl: id,
      url: "https://a.test/",
      body: new Uint8Array(1),
      contentType: "text/html",
      httpStatus: 200,
      sha256: "00",
      headers: [],
      fetchedAt: 1,
    });
    expect(
      (await app.request(`/api/crawls/${id}${page}`, { headers: TOKEN }, env, createExecutionContext())).status,
    ).toBe(200);
    for (let time = 0; time < 2; time++) {
      const { status, json } = await remove(id, "?force=true");
      expect([status, json.result]).toEqual([
        202,
        { id, done: false, waitsUntil: expect.any(String), costUsd: time === 0 ? 1.04e-6 : null },
      ]);
    }
    for (const path of ["", "/records", page, "/hosts", "/explain?url=https://a.test/"]) {
      expect([path, (await call("GET", `/api/crawls/${id}${path}`)).status]).toEqual([path, 404]);
    }
    for (const action of ["pause", "resume", "cancel"]) {
      expect((await call("POST", `/api/crawls/${id}/${action}`)).status).toBe(404);
    }
    for (const method of ["GET", "DELETE"])
      expect((await call(method, `/client/v4/accounts/me/browser-run/crawl/${id}`)).status).toBe(404);
    const { json } = await call<{ id: string }[]>("GET", "/api/crawls");
    expect(json.result.map((crawl) => crawl.id)).not.toContain(id);
  });

  test.each([
    ["ends at once locally, where nothing is in flight", { BOOT: "b" }, true],
    ["waits on the edge, where pages may be in flight", {}, false],
  ])("%s", async (_, changes, done) => {
    const id = await startCrawl();
    const { status, json } = await call<Deletion>("DELETE", `/api/crawls/${id}?force=true`, undefined, changes);
    expect([status, json.result.done]).toEqual([202, done]);
    expect((await remove(id)).status).toBe(done ? 404 : 202);
  });

  test("a crawl that does not exist is not found", async () => {
    expect((await remove("none")).status).toBe(404);
  });

  test.each([[-1], [3_651], [0.5]])("the API refuses a retention of %d days", async (retentionDays) => {
    expect((await call("POST", "/api/crawls", { url: "https://a.test/", retentionDays })).status).toBe(400);
  });
});

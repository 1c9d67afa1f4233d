import { createExecutionContext, env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import { Ledger } from "../../src/store/ledger/ledger.ts";
import { emptyCommit } from "../../src/store/ledger/ledger-commit.ts";
import { Mirror } from "../../src/store/mirror/mirror.ts";
import { discovered } from "./rows.ts";

/**
 * Cloudflare's paths with real bindings. The queue drops all messages, and the tests write a crawl's outcomes to the
 * ledger.
 */

const silent = { sendBatch: async () => undefined } as unknown as Queue;
const BASE = "/client/v4/accounts/me/browser-rendering/crawl";
const SEED = "https://a.test/";

interface Job {
  total: number;
  finished: number;
  skipped: number;
  status: string;
  records: { url: string; status: string; html?: string; markdown?: string; metadata?: Record<string, unknown> }[];
  cursor?: string;
}

interface Answer<T> {
  success: boolean;
  result: T;
  errors: { code: number; message: string }[];
  messages: { code: number; message: string }[];
}

async function call<T>(method: string, path: string, body?: unknown): Promise<Answer<T> & { httpStatus: number }> {
  const init = {
    method,
    headers: { authorization: "Bearer test-token" },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  };
  const response = await app.request(BASE + path, init, { ...env, FRONTIER: silent }, createExecutionContext());
  return { httpStatus: response.status, ...(await response.json<Answer<T>>()) };
}

async function startCrawl(body: Record<string, unknown> = {}): Promise<string> {
  return (await call<string>("POST", "", { url: SEED, ...body })).result;
}

async function jobOf(id: string, query: Record<string, string> = {}): Promise<Job> {
  return (await call<Job>("GET", `/${id}?${new URLSearchParams(query)}`)).result;
}

/** Starts a crawl with the seed and these URLs, discovered in this order. */
async function startWithUrls(urls: string[], body: Record<string, unknown> = {}): Promise<string> {
  const id = await startCrawl({ limit: 100_000, ...body });
  await discover(id, urls);
  return id;
}

async function discover(crawl: string, urls: string[]): Promise<void> {
  const discoveries = urls.map((url) => discovered(url, { via: SEED }));
  await new Ledger(env.LEDGER).commit([{ ...emptyCommit(crawl), discoveries }], 1);
}

const COMPLETED = { status: "completed", reason: null, detail: null, httpStatus: 200, title: "T" } as const;
const REDIRECTED = { status: "skipped", reason: "redirected", detail: "x", httpStatus: 302, title: null } as const;
const DISALLOWED = { status: "disallowed", reason: "robots", detail: "x", httpStatus: null, title: null } as const;

async function settle(crawl: string, url: string, as: typeof COMPLETED | typeof REDIRECTED | typeof DISALLOWED) {
  const outcome = {
    url,
    contentType: null,
    bytes: 5,
    sha256: url,
    fetchedAt: 1,
    durationMs: null,
    truncated: null,
    packed: null,
    etag: null,
    lastModified: null,
    ...as,
  };
  await new Ledger(env.LEDGER).commit([{ ...emptyCommit(crawl), outcomes: [outcome] }], 2);
}

async function storePage(crawl: string, url: string, html: string): Promise<void> {
  const body = new TextEncoder().encode(html);
  const page = { crawl, url, body, contentType: "text/html", httpStatus: 200, sha256: "00", headers: [], fetchedAt: 1 };
  await new Mirror(env.MIRROR).put(page);
}

/** All records. Sends the cursor as a number, as Cloudflare's client does. */
async function listAll(id: string, query: Record<string, string>): Promise<string[]> {
  const urls: string[] = [];
  for (let cursor = 0; ; ) {
    const job = await jobOf(id, { ...query, cursor: String(cursor) });
    urls.push(...job.records.map(({ url }) => url));
    if (job.cursor === undefined) return urls;
    cursor = Number(job.cursor);
  }
}

describe("a job", () => {
  test("counts skipped URLs separately, and lists them among the records", async () => {
    const [done, redirect, open] = [`${SEED}done`, `${SEED}redirect`, `${SEED}open`];
    const id = await startWithUrls([done, redirect, open]);
    await settle(id, done, COMPLETED);
    await settle(id, redirect, REDIRECTED);
    await settle(id, SEED, DISALLOWED);
    const job = await jobOf(id);
    expect(job).toMatchObject({ id, status: "running", total: 3, finished: 2, skipped: 1, browserSecondsUsed: 0 });
    expect(job.records.map(({ url, status, metadata }) => [url, status, metadata])).toEqual([
      [SEED, "disallowed", undefined],
      [done, "completed", { status: 200, url: done, title: "T" }],
      [open, "queued", undefined],
      [redirect, "skipped", { status: 302, url: redirect }],
    ]);
    expect(job).not.toHaveProperty("cursor");
  });

  test("is running while it is paused", async () => {
    const id = await startCrawl();
    await new Ledger(env.LEDGER).pause(id, 3);
    expect((await jobOf(id)).status).toBe("running");
  });

  test("can be cancelled, and the answer says if it had already ended", async () => {
    const id = await startCrawl();
    const cancelled = { job_id: id, message: "Crawl job cancelled." };
    expect(await call("DELETE", `/${id}`)).toMatchObject({ httpStatus: 200, success: true, result: cancelled });
    const again = { job_id: id, message: "Crawl job had ended already: cancelled_by_user." };
    expect(await call("DELETE", `/${id}`)).toMatchObject({ httpStatus: 200, success: true, result: again });
    expect((await jobOf(id)).records[0]?.status).toBe("cancelled");
  });
});

describe("paging", () => {
  const urls = Array.from({ length: 25 }, (_, i) => `${SEED}${String((i * 7) % 25).padStart(2, "0")}`);

  test("returns each record once, even if URLs are discovered meanwhile", async () => {
    const id = await startWithUrls(urls);
    const first = await jobOf(id, { limit: "20" });
    await discover(id, [`${SEED}!`, `${SEED}99`]);
    const rest = await jobOf(id, { limit: "20", cursor: first.cursor ?? "" });
    const seen = [...first.records, ...rest.records].map(({ url }) => url);
    expect(seen).toEqual([SEED, ...urls.toSorted(), `${SEED}99`]);
    expect(rest.cursor).toBeUndefined();
    expect(await listAll(id, { limit: "1" })).toEqual([SEED, `${SEED}!`, ...urls.toSorted(), `${SEED}99`]);
  });

  test("refuses a cursor of another crawl", async () => {
    const { httpStatus, errors } = await call("GET", `/${await startCrawl()}?cursor=77`);
    expect([httpStatus, errors[0]?.message]).toEqual([400, "cursor: no answer about this crawl had the cursor 77."]);
  });

  test("returns records of one status", async () => {
    const id = await startWithUrls(urls);
    for (const url of urls.slice(0, 9)) await settle(id, url, COMPLETED);
    expect(await listAll(id, { limit: "2", status: "completed" })).toEqual(urls.slice(0, 9).toSorted());
    expect(await listAll(id, { limit: "7", status: "queued" })).toEqual([SEED, ...urls.slice(9).toSorted()]);
    expect(await listAll(id, { status: "errored" })).toEqual([]);
  });

  test("accepts a limit that is too high", async () => {
    const id = await startWithUrls(urls);
    expect((await jobOf(id, { limit: "5000" })).records).toHaveLength(26);
  });

  test.each<Record<string, string>>([
    { cursor: "https://a.test/" },
    { cursor: "-1" },
    { limit: "0" },
    { status: "pending" },
  ])("%j is refused", async (query) => {
    const { httpStatus, errors } = await call("GET", `/${await startCrawl()}?${new URLSearchParams(query)}`);
    expect([httpStatus, errors[0]?.code, errors[0]?.message]).toEqual([
      400,
      400,
      expect.stringContaining(String(Object.keys(query)[0])),
    ]);
  });

  test("ends an answer at 10 MB, with a cursor for the rest", async () => {
    const id = await startWithUrls(urls.slice(0, 5), { formats: ["rawHtml"] });
    for (const url of urls.slice(0, 5)) {
      await settle(id, url, COMPLETED);
      await storePage(id, url, "x".repeat(3_000_000));
    }
    const job = await jobOf(id, { status: "completed" });
    expect(job.records).toHaveLength(3);
    expect(await listAll(id, { status: "completed" })).toEqual(urls.slice(0, 5).toSorted());
  });
});

describe("records", () => {
  test("have the crawl's formats for stored pages", async () => {
    const id = await startWithUrls([`${SEED}a`], { formats: ["rawHtml", "headers"] });
    await settle(id, `${SEED}a`, COMPLETED);
    await storePage(id, `${SEED}a`, "<p>Hello</p>");
    const [seed, page] = (await jobOf(id)).records;
    expect(seed).toEqual({ url: SEED, status: "queued" });
    expect(page).toMatchObject({ rawHtml: "<p>Hello</p>", headers: {} });
    expect(page).not.toHaveProperty("html");
  });

  test("a message names a page that is missing from the mirror", async () => {
    const id = await startWithUrls([`${SEED}a`]);
    await settle(id, `${SEED}a`, COMPLETED);
    const { messages, result } = await call<Job>("GET", `/${id}?status=completed`);
    expect(result.records).toHaveLength(1);
    expect(messages[0]?.message).toBe(`${SEED}a comes without its content: it is not in the mirror.`);
  });
});

test.each([
  ["no URL", {}, 400, "name a URL"],
  ["no JSON", "{", 400, "not JSON"],
  ["no object", "null", 400, "expected object"],
  ["a mode of rendering", { url: SEED, render: "always" }, 400, "render"],
  ["another scheme", { url: "ftp://a.test/" }, 400, "ftp://a.test/"],
])("%s is refused with a code and a message", async (_, body, status, words) => {
  const answer = await call("POST", "", body);
  expect(answer).toMatchObject({ httpStatus: status, success: false, result: null, messages: [] });
  expect(answer.errors).toEqual([expect.objectContaining({ code: status, message: expect.stringContaining(words) })]);
});

test("a job that does not exist is not found", async () => {
  const { httpStatus, errors } = await call("GET", "/nope");
  expect([httpStatus, errors]).toEqual([404, [{ code: 404, message: "There is no crawl nope." }]]);
});

test("the answer to a start has messages about the body", async () => {
  const { result, messages } = await call<string>("POST", "", { url: SEED, waitForTimeout: 5, colour: 1 });
  expect(result).toMatch(/^[0-9a-f-]{36}$/);
  expect(messages.map(({ code }) => code)).toEqual([1001, 1002, 1003, 1005]);
});

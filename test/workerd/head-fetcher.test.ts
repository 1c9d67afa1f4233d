import { env } from "cloudflare:test";
import { afterEach, expect, test, vi } from "vitest";
import { fetchHead } from "../../src/fetch/head-fetcher.ts";
import { isDeadName } from "../../src/fetch/transport/dead-name.ts";
import { REQUEST } from "./page-request.ts";

/** Whether a URL exists: a GET without its body, and what DNS says of a name. */

const ENV = { ...env, ALLOW_PRIVATE: "true", BOOT: "b" };

afterEach(() => vi.unstubAllGlobals());

test("a GET is sent, and its body is cancelled when the head has come", async () => {
  let isCancelled = false;
  const body = new ReadableStream({
    cancel: () => {
      isCancelled = true;
    },
  });
  const sent: RequestInit[] = [];
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
    sent.push(init);
    return new Response(body);
  });
  expect(await fetchHead({ ...REQUEST, url: "https://b.test/" }, ENV)).toMatchObject({ kind: "head", httpStatus: 200 });
  expect([sent.map(({ method = "GET" }) => method), isCancelled]).toEqual([["GET"], true]);
});

test.each([
  [404, { kind: "rejected", reason: "http-status", httpStatus: 404 }],
  [429, { kind: "rejected", reason: "http-status", httpStatus: 429, hostFailed: true }],
  [301, { kind: "redirect", target: "https://b.test/new" }],
])("status %i is told as it is", async (status, result) => {
  vi.stubGlobal("fetch", async () => new Response("x", { status, headers: { location: "/new" } }));
  expect(await fetchHead({ ...REQUEST, url: "https://b.test/" }, ENV)).toMatchObject(result);
});

const NXDOMAIN = 3;
const SERVFAIL = 2;

test.each([
  ["dead.example", { Status: NXDOMAIN }, true],
  ["no-address.example", { Status: 0 }, true],
  ["alive.example", { Status: 0, Answer: [{ type: 1, TTL: 60, data: "8.8.8.8" }] }, false],
  ["unknown.example", { Status: SERVFAIL }, false],
])("%s: whether DNS says that it does not exist", async (name, reply, isDead) => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (url: string) => {
    asked.push(new URL(url).hostname);
    return Response.json(reply);
  });
  expect(await isDeadName(name, ENV)).toBe(isDead);
  expect(new Set(asked)).toEqual(new Set(["cloudflare-dns.com"]));
});

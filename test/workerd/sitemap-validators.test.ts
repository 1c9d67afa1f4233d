import { env } from "cloudflare:test";
import { afterEach, expect, test, vi } from "vitest";
import { NO_SECRETS } from "../../src/fetch/answer/answer.ts";
import { fetchSitemap } from "../../src/fetch/sitemap-fetcher.ts";
import { REQUEST } from "./page-request.ts";

/** A sitemap that is read again is asked for with the validators of its last answer. */

afterEach(() => void vi.unstubAllGlobals());

const ETAG = '"v1"';
const DATE = "Wed, 21 Oct 2015 07:28:00 GMT";
const URL = "https://a.test/sitemap.txt";
const ask = (validators: { etag: string | null; lastModified: string | null } | null) =>
  fetchSitemap({ ...REQUEST, url: URL, validators }, NO_SECRETS, { ...env, ALLOW_PRIVATE: "true" });

test("an answer brings its validators, and they go with the next request", async () => {
  const sent: Headers[] = [];
  vi.stubGlobal("fetch", async (_: string, { headers }: RequestInit) => {
    sent.push(new Headers(headers));
    const isKnown = sent.at(-1)?.get("if-none-match") === ETAG;
    const answer = { headers: { etag: ETAG, "last-modified": DATE } };
    return isKnown ? new Response(null, { ...answer, status: 304 }) : new Response("https://a.test/1\n", answer);
  });
  const first = await ask(null);
  expect(first).toMatchObject({ kind: "sitemap", validators: { etag: ETAG, lastModified: DATE } });
  expect(await ask({ etag: ETAG, lastModified: DATE })).toMatchObject({ kind: "rejected", reason: "not-modified" });
  expect(sent.map((headers) => [headers.get("if-none-match"), headers.get("if-modified-since")])).toEqual([
    [null, null],
    [ETAG, DATE],
  ]);
});

test("a 304 to an unconditional request is an error of the server", async () => {
  vi.stubGlobal("fetch", async () => new Response(null, { status: 304 }));
  expect(await ask(null)).toMatchObject({ kind: "rejected", reason: "http-status" });
});

import { env } from "cloudflare:test";
import { afterEach, describe, expect, test, vi } from "vitest";
import { postNotice } from "../../src/fetch/request/post-notice.ts";
import { PRIVATE_HOSTS } from "../unit/url/private-hosts.ts";

/** One POST of a notice, and the addresses that get none. */

const REQUEST = { url: "https://receiver.test/hook", headers: { "webhook-id": "msg_1" }, body: "{}" };
/** BOOT: on one's own machine, where public addresses can be fetched. */
const DENYING = { ...env, ALLOW_PRIVATE: "", BOOT: "b" };

let asked: { url: string; init: RequestInit }[] = [];

function answerWith(answer: (init: RequestInit) => Response | Promise<Response>): void {
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    asked.push({ url, init });
    return answer(init);
  });
}

afterEach(() => {
  vi.unstubAllGlobals();
  asked = [];
});

test.each(Object.values(PRIVATE_HOSTS).flat())("%s gets no request", async (host) => {
  answerWith(() => new Response(null, { status: 204 }));
  const answer = await postNotice({ ...REQUEST, url: `http://${host}/hook` }, DENYING);
  expect(answer).toMatchObject({ status: null, detail: expect.stringContaining("private address") });
  expect(asked).toEqual([]);
});

test("a private address gets one if the operator allows it", async () => {
  answerWith(() => new Response(null, { status: 204 }));
  expect(await postNotice({ ...REQUEST, url: "http://127.0.0.1/" }, { ...DENYING, ALLOW_PRIVATE: "true" })).toEqual({
    status: 204,
    retryAfterMs: null,
    detail: null,
  });
});

test("on Cloudflare an IP address gets none", async () => {
  answerWith(() => new Response());
  const { BOOT: _, ...edge } = DENYING;
  expect((await postNotice({ ...REQUEST, url: "http://1.1.1.1/" }, edge)).detail).toContain("IP address");
  expect(asked).toEqual([]);
});

describe("an answer", () => {
  test("is asked for without following redirects", async () => {
    const headers = { location: "http://127.0.0.1/inside" };
    answerWith(() => new Response(null, { status: 302, headers }));
    expect(await postNotice(REQUEST, DENYING)).toMatchObject({
      status: 302,
      detail: "it answered 302, and redirects are not followed",
    });
    expect(asked).toMatchObject([{ url: REQUEST.url, init: { method: "POST", redirect: "manual", body: "{}" } }]);
  });

  test("has a status and Retry-After", async () => {
    answerWith(() => new Response("busy", { status: 503, headers: { "retry-after": "120" } }));
    expect(await postNotice(REQUEST, DENYING)).toEqual({
      status: 503,
      retryAfterMs: 120_000,
      detail: "it answered 503",
    });
  });

  test("that never ends is read to a bound", async () => {
    let chunks = 0;
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        chunks += 1;
        controller.enqueue(new Uint8Array(16 * 1024));
      },
      cancel() {
        isCancelled = true;
      },
    });
    answerWith(() => new Response(body));
    expect(await postNotice(REQUEST, DENYING)).toMatchObject({ status: 200, detail: null });
    expect(chunks).toBeLessThan(10);
    expect(isCancelled).toBe(true);
  });

  test("whose body breaks off counts by its status", async () => {
    const body = new ReadableStream<Uint8Array>({
      pull: () => Promise.reject(new Error("reset")),
    });
    answerWith(() => new Response(body));
    expect((await postNotice(REQUEST, DENYING)).detail).toBeNull();
  });
});

test("a receiver that cannot be reached is no answer", async () => {
  answerWith(() => Promise.reject(new Error("Network connection lost.")));
  expect(await postNotice(REQUEST, DENYING)).toEqual({
    status: null,
    retryAfterMs: null,
    detail: "Network connection lost.",
  });
});

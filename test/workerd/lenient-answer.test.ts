import { createExecutionContext, env } from "cloudflare:test";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { FetchResult } from "../../src/crawl/page/outcome.ts";
import { NO_SECRETS } from "../../src/fetch/answer/answer.ts";
import { PageFetcher } from "../../src/fetch/page-fetcher.ts";
import type { PageRequest } from "../../src/fetch/request/page-request.ts";
import { fetchRobots, type RobotsRead } from "../../src/host/robots-file.ts";
import { PAGE_REQUEST, REQUEST } from "./page-request.ts";

/** What the Worker makes of the answers of the diagnosis service, which reads leniently. */

const HTML = ["content-type", "text/html"];
const PAGE = "<title>shown</title>";

/** The service, which answers each request for an answer with this, and diagnoses nothing. */
function diagnosisOf(head: object, body: string | Uint8Array = "") {
  const asked: string[] = [];
  const fetchAnswer = async (url: string) => {
    asked.push(url);
    if (url.endsWith("/location")) return new Response("/robots-%E9.txt");
    if (!url.endsWith("/answer")) return Response.json(null);
    const answer = { status: 200, statusText: "OK", headers: [HTML], broken: null, fault: null, ...head };
    return new Response(new Blob([`${JSON.stringify(answer)}\n`, body]));
  };
  return { asked, DIAGNOSIS: { fetch: fetchAnswer } as unknown as Fetcher };
}

const OURS = { ...env, ALLOW_PRIVATE: "true", BOOT: "b" };

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("a page", () => {
  const fetchPage = (head: object, body?: string | Uint8Array, changes: Partial<PageRequest> = {}) => {
    const { DIAGNOSIS } = diagnosisOf(head, body);
    const fetcher = new PageFetcher(createExecutionContext(), { ...OURS, DIAGNOSIS });
    return fetcher.fetchPage({ ...PAGE_REQUEST, url: "https://a.test/", isLenient: true, ...changes }, NO_SECRETS);
  };

  test.each<[name: string, result: () => Promise<FetchResult>, expected: object]>([
    ["is read", () => fetchPage({}, PAGE), { kind: "page", title: "shown" }],
    [
      "in a coding is decoded",
      () => fetchPage({ headers: [HTML, ["content-encoding", "GZIP"]] }, gzipSync(PAGE)),
      { kind: "page", title: "shown" },
    ],
    ["of status 205 is empty", () => fetchPage({ status: 205 }, PAGE), { reason: "empty", httpStatus: 205 }],
    [
      "that breaks off is tried again",
      () => fetchPage({ broken: "its Content-Length is 99" }, PAGE),
      { reason: "connection", httpStatus: 200, retryable: true },
    ],
    [
      "that breaks off is kept at the last try",
      () => fetchPage({ broken: "its Content-Length is 99" }, PAGE, { keepBroken: true }),
      { kind: "page", title: "shown", truncated: "disconnect" },
    ],
    [
      "without an answer is tried again",
      () => fetchPage({ unreadable: "dropped", detail: "it hung up" }),
      { reason: "connection", retryable: true, dropped: true, unexplained: false },
    ],
    [
      "of a host that refuses the connection is tried again, and its host rests",
      () => fetchPage({ unreadable: "connection", detail: "refused" }),
      { reason: "connection", retryable: true, dropped: false, hostFailed: true },
    ],
    [
      "whose answer nobody can read is final",
      () => fetchPage({ unreadable: "parse", detail: "the answer has two Content-Lengths: 1 and 2" }),
      { reason: "parse", retryable: false, dropped: false, hostFailed: false },
    ],
    [
      "whose body is not in its coding is tried again",
      () => fetchPage({ headers: [HTML, ["content-encoding", "gzip"]] }, "\u0000no"),
      { reason: "parse", retryable: true },
    ],
  ])("%s", async (_, result, expected) => expect(await result()).toMatchObject(expected));

  test("at a private address is not asked for", async () => {
    const { asked, DIAGNOSIS } = diagnosisOf({}, PAGE);
    const fetcher = new PageFetcher(createExecutionContext(), { ...OURS, ALLOW_PRIVATE: "", DIAGNOSIS });
    const result = await fetcher.fetchPage({ ...PAGE_REQUEST, url: "http://10.0.0.1/", isLenient: true }, NO_SECRETS);
    expect([result, asked]).toMatchObject([{ reason: "private-address" }, []]);
  });
});

describe("robots.txt", () => {
  const fetchFile = (head: object, body = ""): Promise<RobotsRead> => {
    const { DIAGNOSIS } = diagnosisOf(head, body);
    const holdHost = async () => ({ release: async () => undefined });
    const request = { ...REQUEST, privateHosts: [], answeredBefore: false, holdHost };
    return fetchRobots("https://a.test", request, undefined, { ...OURS, DIAGNOSIS });
  };
  const refuse = () =>
    vi.stubGlobal("fetch", async () => {
      throw new Error("Network connection lost.");
    });

  test("of status 205 allows all, like an empty file", async () => {
    refuse();
    expect((await fetchFile({ status: 205 }, "x")).file.state).toBe("read");
  });

  test("that breaks off forbids for now", async () => {
    refuse();
    const { file } = await fetchFile({ broken: "a chunk of it is cut" }, "User-agent: *\n");
    expect(file).toMatchObject({ state: "silent", detail: expect.stringContaining("broke off") });
  });

  test("is looked for where the bytes of a Location lead", async () => {
    const asked: string[] = [];
    vi.stubGlobal("fetch", async (url: string) => {
      asked.push(url);
      const headers = { location: "/robots-\ufffd.txt" };
      return asked.length === 1 ? new Response(null, { status: 301, headers }) : new Response("");
    });
    await fetchFile({});
    expect(asked).toEqual(["https://a.test/robots.txt", "https://a.test/robots-%E9.txt"]);
  });
});

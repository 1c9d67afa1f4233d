import { env } from "cloudflare:test";
import { afterEach, expect, test, vi } from "vitest";
import { NO_SECRETS } from "../../src/fetch/answer/answer.ts";
import { fetchMedia, type MediaProgress, type MediaRequest } from "../../src/fetch/media-fetcher.ts";
import { MAX_RANGES, RANGE_BYTES } from "../../src/media/sound-and-picture/media-source.ts";
import { REQUEST } from "./page-request.ts";

/** One range of a media file, whatever a server answers. test/e2e/media.long.test.ts has real files and a server. */

const ENV = { ...env, ALLOW_PRIVATE: "true", BOOT: "b" };
const URL = "https://a.test/a.mp4";

afterEach(() => vi.unstubAllGlobals());

/** The boxes of a file whose description stands further back than all ranges reach. */
const SIZE = 100_000_000;
const START = new Uint8Array(RANGE_BYTES);
new DataView(START.buffer).setUint32(0, 16);
START.set(new TextEncoder().encode("ftypisom"), 4);
new DataView(START.buffer).setUint32(16, 50_000_000);
START.set(new TextEncoder().encode("mdat"), 20);

const KNOWN: MediaProgress = {
  chunks: [{ offset: 0, bytes: START }],
  next: 50_000_016,
  size: SIZE,
  etag: null,
  lastModified: null,
  contentType: "video/mp4",
  httpStatus: 206,
  date: 1_000,
  hasRanges: true,
};

const sent: string[] = [];

async function ask(response: Response | Error, changes: Partial<MediaRequest> = {}) {
  sent.length = 0;
  vi.stubGlobal("fetch", async (_: string, { headers }: { headers: Headers }) => {
    sent.push(`${headers.get("range")} ${headers.get("accept-encoding")}`);
    if (response instanceof Error) throw response;
    return response;
  });
  const request = { ...REQUEST, url: URL, known: null, stopped: null, search: true, capture: null, ...changes };
  return fetchMedia(request, NO_SECRETS, ENV);
}

const partial = (contentRange: string | null, body: Uint8Array = START, headers: Record<string, string> = {}) =>
  new Response(body, {
    status: 206,
    headers: {
      "content-type": "video/mp4",
      ...headers,
      ...(contentRange === null ? {} : { "content-range": contentRange }),
    },
  });

test("the first range asks for 64 KiB as they are, and names the next one", async () => {
  const result = await ask(partial(`bytes 0-65535/${SIZE}`));
  expect(sent).toEqual(["bytes=0-65535 identity"]);
  expect(result).toMatchObject({ kind: "range", httpStatus: 206, bodyBytes: RANGE_BYTES });
  expect(result).toMatchObject({ progress: { next: 50_000_016, size: SIZE, hasRanges: true } });
});

test("a longer answer is cut", async () => {
  const result = await ask(partial(`bytes 0-199999/${SIZE}`, new Uint8Array(200_000).fill(1).with(0, 0)));
  const chunks = result.kind === "range" ? result.progress.chunks : [];
  expect(chunks.every(({ bytes }) => bytes.byteLength <= RANGE_BYTES)).toBe(true);
});

test.each([
  ["another range", partial(`bytes 7-65542/${SIZE}`), "parse", "not the range"],
  ["no range", partial(null), "parse", "not the range"],
  ["a negative range", partial("bytes 5-2/10"), "parse", "not the range"],
  ["more than there is", partial("bytes 0-65535/10"), "parse", "not the range"],
  ["nothing", partial(`bytes 0-65535/${SIZE}`, new Uint8Array(0)), "empty", "206"],
  ["no media", new Response("<p>", { headers: { "content-type": "text/html" } }), "parse", "no sound, film or picture"],
  ["416", new Response(null, { status: 416 }), "http-status", "416"],
])("a first answer with %s rejects the file", async (_, response, reason, detail) => {
  expect(await ask(response)).toMatchObject({ kind: "rejected", reason, detail: expect.stringContaining(detail) });
});

test.each([
  ["of another total", partial(`bytes 50000016-50065551/${SIZE + 1}`), "changed in between"],
  ["of another state", partial(`bytes 50000016-50065551/${SIZE}`, START, { etag: '"2"' }), "changed in between"],
  ["of another place", partial(`bytes 0-65535/${SIZE}`), "sent another range"],
  ["of the whole file", new Response(START), "sent no range"],
  ["of nothing", partial(`bytes 50000016-50065551/${SIZE}`, new Uint8Array(0)), "was empty"],
  ["416", new Response(null, { status: 416 }), "416"],
  ["that redirects", new Response(null, { status: 302, headers: { location: "/b" } }), "it redirects to /b"],
])("a later answer %s leaves the facts so far", async (_, response, why) => {
  const result = await ask(response, { known: KNOWN });
  expect(sent).toEqual(["bytes=50000016-50065551 identity"]);
  expect(result).toMatchObject({
    kind: "page",
    bytes: SIZE,
    sha256: null,
    httpStatus: 206,
    media: { type: "video/mp4" },
  });
  expect(result).toMatchObject({ leftOut: { problem: expect.stringContaining(why) } });
});

test.each([
  [
    new Response(null, { status: 503, headers: { "retry-after": "7" } }),
    { reason: "http-status", retryAfterMs: 7_000, hostFailed: true },
  ],
  [new Error("Network connection lost."), { reason: "connection", retryable: true }],
])("a host that fails in between is tried again later: %#", async (response, expected) => {
  expect(await ask(response, { known: KNOWN })).toMatchObject({ kind: "rejected", ...expected });
});

test("no more than six ranges are asked for, and the rest is said", async () => {
  // What comes there leads on, as a file of nothing but boxes does.
  const leadingOn = START.slice();
  new DataView(leadingOn.buffer).setUint32(0, 20_000_000);
  const known = { ...KNOWN, chunks: Array.from({ length: MAX_RANGES - 1 }, () => ({ offset: 0, bytes: START })) };
  const result = await ask(partial(`bytes 50000016-50065551/${SIZE}`, leadingOn), { known });
  expect(result).toMatchObject({ kind: "page", leftOut: { problem: expect.stringContaining("in 6 ranges") } });
});

test("a stopped file is read as far as it came, without a request", async () => {
  const result = await ask(new Error("no request is sent"), { known: KNOWN, stopped: "the lane ended" });
  expect(sent).toEqual([]);
  expect(result).toMatchObject({ kind: "page", durationMs: 0, leftOut: { problem: "the lane ended" } });
});

test("a server without ranges is left after 64 KiB", async () => {
  let isCancelled = false;
  const body = new ReadableStream({
    type: "bytes",
    pull: (controller) => controller.enqueue(START.slice()),
    cancel: () => {
      isCancelled = true;
    },
  });
  const headers = { "content-type": "video/mp4", "content-length": String(SIZE) };
  const result = await ask(new Response(body, { headers }));
  expect(result).toMatchObject({ kind: "page", bytes: SIZE, httpStatus: 200 });
  expect(result).toMatchObject({ leftOut: { problem: expect.stringContaining("sends no ranges") } });
  expect(isCancelled).toBe(true);
});

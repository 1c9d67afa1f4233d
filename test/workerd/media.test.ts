import { createExecutionContext, env } from "cloudflare:test";
import { expect, test } from "vitest";
import { site } from "../../src/console/site.tsx";
import { type CrawlOptions, DEFAULT_POLITENESS } from "../../src/crawl/crawl-options.ts";
import type { PageFetched } from "../../src/crawl/page/outcome.ts";
import type { MediaRequest, MediaResult } from "../../src/fetch/media-fetcher.ts";
import { emptyFacts } from "../../src/media/sound-and-picture/media-facts.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { World } from "./world.ts";

/** A crawl with the option `media` describes the media of its pages: range after range, each at the host's pace. */

useModelLedger();

const HOME = "https://a.test/";
const SIZE = 1_000_000_000;
const RANGES = 4;
const NONE = { count: 0, examples: [] };

/** A file of so many ranges. `fail`: throws for a range. */
function answer(request: MediaRequest, ranges: number, fail: (range: number) => void): MediaResult {
  const { known, stopped } = request;
  const chunks = [...(known?.chunks ?? []), { offset: 0, bytes: new Uint8Array(1) }];
  const base = { httpStatus: 206, durationMs: 5, retryAfterMs: null };
  if (stopped === null) fail(chunks.length);
  if (stopped === null && chunks.length < ranges) {
    const first = { size: SIZE, etag: null, lastModified: null, contentType: "audio/mpeg", httpStatus: 206, date: 1 };
    return { ...base, kind: "range", progress: { ...first, chunks, next: 0, hasRanges: true } };
  }
  const page: PageFetched = {
    ...base,
    kind: "page",
    body: new Uint8Array(0),
    bytes: SIZE,
    sha256: null,
    contentType: "audio/mpeg",
    truncated: null,
    encoding: "",
    title: "A song",
    links: [],
    sitemaps: [],
    feeds: [],
    nofollow: NONE,
    assets: [],
    leftOut: { links: NONE, requisites: NONE, problem: stopped },
    headers: [],
    content: null,
    text: null,
    version: null,
    said: null,
    noindex: null,
    notModified: null,
    capture: null,
    media: { ...emptyFacts("audio/mpeg"), title: "A song" },
  };
  return page;
}

async function runCrawl(
  home: string[] | { redirect: string },
  changes: Partial<CrawlOptions>,
  fail: (range: number, url: string) => void = () => undefined,
) {
  const world = new World((url) => {
    if (url !== HOME) return { links: [] };
    return "redirect" in home ? home : { links: home };
  });
  const starts: number[] = [];
  world.deps.fetchMedia = async (request) => {
    if (request.stopped === null) {
      starts.push(world.now);
      world.now += 5;
    }
    return answer(request, RANGES, (range) => fail(range, request.url));
  };
  const id = await world.start([HOME], { media: true, ...changes });
  for (let turn = 0; turn < 500 && (await world.deps.ledger.crawl(id))?.status === "running"; turn++) {
    await world.turn();
    await expectCountersExact(id);
  }
  const state = await world.deps.ledger.crawl(id);
  if (state === null) throw new Error("no crawl");
  const records = await world.deps.records.list(id, { cursor: "", limit: 1_000 });
  return { world, state, starts, files: records.filter(({ kind }) => kind === "asset") };
}

const SONGS = ["https://a.test/1.mp3", "https://a.test/2.mp3", "https://a.test/3.mp3"];

test.each(["files", "warc"] as const)(
  "a linked file is described, beyond the page limit, and not stored: %s",
  async (store) => {
    const { state, files, starts } = await runCrawl([...SONGS, "https://a.test/a"], { limit: 2, store });
    expect(files).toMatchObject(
      SONGS.map((url) => ({ url, status: "completed", bytes: SIZE, sha256: null, title: "A song", detail: null })),
    );
    expect(files.map(({ media }) => JSON.parse(media ?? "{}").title)).toEqual(["A song", "A song", "A song"]);
    expect(state).toMatchObject({ status: "completed", counters: { completed: 5 }, assets: { completed: 3 } });
    expect(starts.length).toBe(SONGS.length * RANGES);
    // The size of a file that nobody keeps is none of the crawl's.
    expect(state.bytes).toBeLessThan(1_000);
  },
);

test.each(["files", "warc"] as const)("a file to which a seed redirects is described: %s", async (store) => {
  const [song = ""] = SONGS;
  const { state, files } = await runCrawl({ redirect: song }, { store });
  expect(files).toMatchObject([{ url: song, status: "completed", depth: 0 }]);
  expect(state.lastFailure).toBeNull();
});

test("without the option a file is refused for its extension", async () => {
  const { world, state, files } = await runCrawl(SONGS, { media: false });
  expect(files).toEqual([]);
  expect(await world.deps.ledger.refusals(state.id)).toMatchObject([{ reason: "extension", count: 3 }]);
});

test("scope holds for a linked file: another host, an exclude pattern", async () => {
  const links = ["https://b.test/1.mp3", "https://a.test/no/2.mp3"];
  const { world, state, files } = await runCrawl(links, { excludePatterns: ["**/no/**"] });
  expect(files).toEqual([]);
  const refused = await world.deps.ledger.refusals(state.id);
  expect(refused.map(({ reason }) => reason).sort()).toEqual(["excluded", "off-host"]);
});

test.each([1_000, 4_000, 30_000])("ranges are a pace of %i ms apart, and every file ends", async (paceMs) => {
  const politeness = { ...DEFAULT_POLITENESS, minDelayMs: paceMs, maxDelayMs: paceMs };
  const { files, starts, state } = await runCrawl(SONGS, { politeness });
  expect(state.status).toBe("completed");
  expect(files.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
  const gaps = starts.slice(1).map((start, i) => start - (starts[i] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(paceMs);
  // A host on which a lane has time for two ranges: each file stands as far as it came, and says so.
  if (paceMs === 30_000) expect(files.every(({ detail }) => detail?.includes("too slowly"))).toBe(true);
});

test("a range that ends its fetcher costs that file's ranges alone", async () => {
  let deaths = 0;
  const { files } = await runCrawl(SONGS, {}, (range, url) => {
    if (url !== SONGS[1] || range !== 3 || deaths > 0) return;
    deaths += 1;
    throw new Error("out of memory");
  });
  expect(files.map(({ status, attempts }) => [status, attempts])).toEqual([
    ["completed", 1],
    ["completed", 2],
    ["completed", 1],
  ]);
});

test("a file that always ends its fetcher is errored", async () => {
  const { files } = await runCrawl(SONGS, { maxAttempts: 2 }, (_, url) => {
    if (url === SONGS[0]) throw new Error("out of memory");
  });
  expect(files.map(({ reason, status }) => reason ?? status)).toEqual(["parse", "completed", "completed"]);
});

test("the console shows the facts of a file, and no tab for what is not stored", async () => {
  const { state } = await runCrawl(SONGS, { store: "warc" });
  const queue = { sendBatch: async () => undefined } as unknown as Queue;
  const send = (path: string, init: RequestInit) =>
    site.request(
      `http://localhost${path}`,
      { redirect: "manual", ...init },
      { ...env, FRONTIER: queue, NOTICES: queue },
      createExecutionContext(),
    );
  const sameOrigin = { "sec-fetch-site": "same-origin" };
  const form = new URLSearchParams({ token: "test-token", to: "/crawls" });
  const signedIn = await send("/sign-in", { method: "POST", body: form, headers: sameOrigin });
  const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
  const query = new URLSearchParams({ url: SONGS[0] ?? "" });
  const page = await send(`/crawls/${state.id}/record?${query}`, { headers: { ...sameOrigin, cookie } });
  const html = await page.text();
  expect([page.status, html]).toEqual([200, expect.stringContaining("What the file says about itself")]);
  expect(html).toContain("A song");
  expect(html).toContain("It is not stored");
  expect(html).not.toContain("tab=page");
  expect(html).toContain("tab=metadata");
});

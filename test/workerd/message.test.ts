import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_MESSAGE_URLS } from "../../src/crawl/bounds/batch-size.ts";
import { type Dispatch, dispatch, type FrontierMessage, type Hint, hintsOf } from "../../src/frontier/batch/message.ts";
import { MAX_URL_LENGTH } from "../../src/url/canonicalize.ts";

type Sent = { body: FrontierMessage; delaySeconds?: number };

async function sent(dispatches: Dispatch[], speed = 1): Promise<Sent[][]> {
  const batches: Sent[][] = [];
  const queue = { sendBatch: async (messages: Iterable<Sent>) => void batches.push([...messages]) };
  await dispatch({ frontier: queue as unknown as Queue<FrontierMessage>, clock: { speed } }, dispatches);
  return batches;
}

const hint = (url: string, of: Partial<Hint> = {}): Omit<Hint, "failures"> => ({
  crawl: "c",
  epoch: 1,
  sitemap: false,
  visit: null,
  ...of,
  url,
});

const HOST = "https://0.test/";

test("only URLs that are due at the same time share a message", async () => {
  const batches = await sent([
    { ...hint("https://a/1"), delayMs: 0 },
    { ...hint("https://a/far"), delayMs: 60_400 },
    { ...hint("https://b/2"), delayMs: 1_999 },
    { ...hint("https://a/3"), delayMs: 2_000 },
    { ...hint("https://a/sitemap.xml", { sitemap: true }), delayMs: 60_400 },
    { ...hint("https://a/1", { crawl: "d" }), delayMs: 0 },
    { ...hint("https://c/sitemap.xml", { crawl: "d", epoch: 4, sitemap: true }), delayMs: 0 },
    { ...hint("https://a/1", { epoch: 2 }), delayMs: 0 },
    { ...hint("https://a/4"), failures: 2, delayMs: 0 },
    { ...hint("https://a/5", { visit: 3 }), delayMs: 0 },
    { ...hint("https://b/6", { visit: 0 }), delayMs: 0 },
  ]);
  expect(batches).toEqual([
    [
      { body: { v: 2, crawl: "c", epoch: 1, urls: ["https://a/1", "https://b/2"] }, delaySeconds: 0 },
      { body: { v: 2, crawl: "c", epoch: 1, urls: ["https://a/3"] }, delaySeconds: 2 },
      {
        body: { v: 3, crawl: "c", epoch: 1, urls: ["https://a/far", "https://a/sitemap.xml"], sitemapsAt: [1] },
        delaySeconds: 61,
      },
      { body: { v: 2, crawl: "d", epoch: 1, urls: ["https://a/1"] }, delaySeconds: 0 },
      { body: { v: 2, crawl: "d", epoch: 4, urls: ["https://c/sitemap.xml"], sitemap: true }, delaySeconds: 0 },
      { body: { v: 2, crawl: "c", epoch: 2, urls: ["https://a/1"] }, delaySeconds: 0 },
      { body: { v: 2, crawl: "c", epoch: 1, urls: ["https://a/4"], failures: 2 }, delaySeconds: 0 },
      {
        body: { v: 2, crawl: "c", epoch: 1, urls: ["https://a/5", "https://b/6"], visits: [3, 0] },
        delaySeconds: 0,
      },
    ],
  ]);
});

test("URLs that one host takes at the same time share a message", async () => {
  const urls = ["a".repeat(7), "b".repeat(6), "cd"]
    .join("")
    .split("")
    .map((host, i) => `https://${host}/${i}`);
  const batches = await sent(urls.map((url) => ({ ...hint(url), delayMs: 0 })));
  expect(batches.flat().map(({ body }) => body.urls.map((url) => new URL(url).host).join(""))).toEqual([
    "aaaaaaa",
    "bbbbbbcd",
  ]);
});

test("a message has twelve URLs, or fewer with long ones", async () => {
  const sizesOf = async (urls: string[], of: Partial<Hint>) => {
    const batches = await sent(urls.map((url, i) => ({ ...hint(url, { ...of, visit: of.visit && i }), delayMs: 0 })));
    return batches.flat().map(({ body }) => body.urls.length);
  };
  const many = (count: number, path = "") => Array.from({ length: count }, (_, i) => `${HOST}${i}${path}`);
  for (const of of [{}, { visit: 1 }, { sitemap: true }]) {
    expect(await sizesOf(many(30), of)).toEqual([12, 12, 6]);
    expect(await sizesOf(many(12, "x".repeat(1_000)), of)).toEqual([10, 2]);
    expect(await sizesOf(many(6, "x".repeat(MAX_URL_LENGTH - HOST.length - 1)), of)).toEqual([5, 1]);
    expect(
      await sizesOf(
        Array.from({ length: 14 }, (_, i) => `https://${i}.test/`),
        of,
      ),
    ).toEqual([12, 2]);
  }
});

test("a URL about which the hook is asked alone has a message of its own", async () => {
  const alone = (url: string) => ({ ...hint(url, { askAlone: true }), delayMs: 0 });
  const together = (url: string) => ({ ...hint(url), delayMs: 0 });
  const [batch = []] = await sent(
    ["/a", "/b"].map((path) => together(HOST + path)).concat(["/c", "/d"].map((path) => alone(HOST + path))),
  );
  expect(batch.map(({ body }) => [body.urls, body.askAlone])).toEqual([
    [[`${HOST}/a`, `${HOST}/b`], undefined],
    [[`${HOST}/c`], true],
    [[`${HOST}/d`], true],
  ]);
  const hints = batch.flatMap(({ body }) => hintsOf(body) ?? []);
  expect(hints.map(({ askAlone }) => askAlone)).toEqual([undefined, undefined, true, true]);
});

test("on a faster clock the queue delays a message by less real time, in whole seconds", async () => {
  const batches = await sent([{ ...hint("https://a/1"), delayMs: 29_999 }], 10);
  expect(batches.flat().map(({ delaySeconds }) => delaySeconds)).toEqual([3]);
});

test("dispatch() makes no call without URLs", async () => {
  expect(await sent([])).toEqual([]);
});

test("dispatch() sends every hint once, at most a second late, less than three seconds early, within the platform's limits", async () => {
  const dispatches = fc.array(
    fc.record({
      crawl: fc.constantFrom("a", "b"),
      epoch: fc.constantFrom(1, 2),
      // Characters of one, two and three bytes, a lone surrogate, and characters that JSON escapes.
      url: fc
        .oneof(
          fc.string({
            unit: fc.constantFrom("a", "/", "é", "網", '"', "\\", "\u0001", "\ud800"),
            maxLength: MAX_URL_LENGTH - HOST.length,
            size: "max",
          }),
          fc.constantFrom("a", "網", "\u0001").map((char) => char.repeat(MAX_URL_LENGTH - HOST.length)),
        )
        .map((path) => `https://${path.length % 3}.test/${path}`),
      sitemap: fc.boolean(),
      visit: fc.option(fc.nat()),
      failures: fc.nat({ max: 2 }),
      delayMs: fc.oneof(fc.constant(0), fc.nat({ max: 20_000 }), fc.nat({ max: 200_000_000 })),
    }),
    { maxLength: 700, size: "max" },
  );
  await fc.assert(
    fc.asyncProperty(dispatches, async (all) => {
      const batches = await sent(all);
      for (const batch of batches) {
        expect(batch.length).toBeLessThanOrEqual(100);
        const sizes = batch.map(({ body }) => new TextEncoder().encode(JSON.stringify(body)).byteLength + 100);
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(240_000);
        expect(Math.max(...sizes)).toBeLessThan(128_000);
      }
      const key = ({ crawl, epoch, sitemap, visit, url, failures }: Hint) =>
        JSON.stringify([crawl, epoch, sitemap, visit, url, failures]);
      const delays = Map.groupBy(all, key);
      let count = 0;
      for (const { body, delaySeconds = 0 } of batches.flat()) {
        const hints = hintsOf(structuredClone(body)) ?? [];
        expect(hints.length).toBeGreaterThan(0);
        expect(hints.length).toBeLessThanOrEqual(MAX_MESSAGE_URLS);
        for (const one of hints) {
          count += 1;
          const wanted = delays.get(key(one))?.map(({ delayMs }) => Math.min(delayMs, 86_400_000)) ?? [];
          expect(wanted.some((ms) => delaySeconds * 1000 < ms + 1_000 && ms < delaySeconds * 1000 + 3_000)).toBe(true);
        }
      }
      expect(count).toBe(all.length);
    }),
    { numRuns: 50 },
  );
});

test.each([
  [
    "of version 1 has its URL",
    { v: 1, crawl: "c", url: "https://a/", epoch: 3, sitemap: true },
    [hint("https://a/", { epoch: 3, sitemap: true })],
  ],
  [
    "of version 2 has its URLs",
    { v: 2, crawl: "c", urls: ["https://a/", "https://b/"], epoch: 3 },
    [hint("https://a/", { epoch: 3 }), hint("https://b/", { epoch: 3 })],
  ],
  [
    "with visits has their numbers",
    { v: 2, crawl: "c", urls: ["https://a/", "https://b/"], visits: [0, 7], epoch: 3 },
    [hint("https://a/", { epoch: 3, visit: 0 }), hint("https://b/", { epoch: 3, visit: 7 })],
  ],
  [
    "of version 3 has pages and sitemaps",
    { v: 3, crawl: "c", urls: ["https://a/", "https://a/s.xml"], sitemapsAt: [1], epoch: 3 },
    [hint("https://a/", { epoch: 3 }), hint("https://a/s.xml", { epoch: 3, sitemap: true })],
  ],
  ["of a later version is unknown", { v: 4, crawl: "c", urls: ["https://a/"], epoch: 3 }, null],
  ["without URLs is unknown", { v: 2, crawl: "c", epoch: 3 }, null],
  ["with a URL that is not a string is unknown", { v: 2, crawl: "c", urls: ["https://a/", null], epoch: 3 }, null],
  ["without an epoch is unknown", { v: 2, crawl: "c", urls: ["https://a/"] }, null],
  ["that is undefined is unknown", undefined, null],
])("a message %s", (_, body, hints) => {
  expect(hintsOf(body)).toEqual(hints?.map((one) => ({ ...one, failures: 0 })) ?? null);
});

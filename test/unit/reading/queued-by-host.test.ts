import { expect, test } from "vitest";
import type { Counters } from "../../../src/crawl/crawl.ts";
import { MOST_READINGS, queuedByHost, ROWS } from "../../../src/reading/explain/queued-by-host.ts";

/** A crawl's rows in the order of URLs; `isQueued` chooses those that are about to be fetched. */
async function count(urls: string[], isQueued: (url: string) => boolean) {
  const sorted = urls.toSorted();
  let read = 0;
  const pages = (_: string, after: string, most: number) => {
    const from = sorted.findIndex((url) => url > after);
    const portion = from === -1 ? [] : sorted.slice(from, from + most);
    read += portion.length;
    const rows = portion.filter((url) => isQueued(url)).map((url) => ({ url, sitemap: false, seq: 0, attempts: 0 }));
    return Promise.resolve({ rows, last: portion.length < most ? null : (portion.at(-1) ?? null) });
  };
  const crawl = { id: "a", counters: { discovered: urls.length } as Counters };
  const byHost = await queuedByHost(crawl, { motion: { pages } });
  return { counts: Object.fromEntries([...byHost].map(([host, { length }]) => [host, length])), read };
}

const pagesOf = (origin: string, n: number) => Array.from({ length: n }, (_, at) => `${origin}/${at}`);

test("a crawl that is not large is counted whole, over all its hosts and ports", async () => {
  const urls = [
    ...pagesOf("https://a.test", 3 * ROWS),
    ...pagesOf("https://b.test", 10),
    ...pagesOf("http://b.test:81", 7),
  ];
  const { counts, read } = await count(urls, (url) => url.endsWith("1"));
  expect(counts).toEqual({ "a.test": ROWS * 0.3, "b.test": 2 });
  expect(read).toBe(urls.length);
});

test("a large host that is done does not hide those behind it", async () => {
  const large = pagesOf("https://a.test", MOST_READINGS * ROWS);
  const others = ["https://a.test:8443", "https://b.test", "https://c.test"].flatMap((origin) => pagesOf(origin, 3));
  const { counts, read } = await count([...large, ...others], (url) => !url.startsWith("https://a.test/"));
  expect(counts).toEqual({ "a.test": 3, "b.test": 3, "c.test": 3 });
  expect(read).toBe(2 * ROWS + others.length);
});

test("no crawl has more rows read than so many", async () => {
  const many = Array.from({ length: 30 }, (_, at) => pagesOf(`https://h${at}.test`, ROWS)).flat();
  const { read } = await count(many, () => false);
  expect(read).toBe(MOST_READINGS * ROWS);
});

import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import type { PageHeaders } from "../../src/crawl/page/outcome.ts";
import { captureAnswer } from "../../src/fetch/answer/capture-page.ts";
import { ArchiveIndex, planPacks } from "../../src/store/mirror/archive-index.ts";
import { limitedDatabase } from "./limited-database.ts";
import { World } from "./world.ts";

/** The places of answers in packs, and the texts of an archive: whatever servers send, they fit into D1. */

const index = new ArchiveIndex(env.LEDGER);

test("answers that are too long for one parameter of D1 are stored by several", async () => {
  const crawl = crypto.randomUUID();
  const long = "x".repeat(100_000);
  const answers = Array.from({ length: 25 }, (_, i) => {
    return { url: `https://${i}.test/robots.txt`, offset: i, length: 1, status: 200, contentType: long, fetchedAt: 1 };
  });
  await env.LEDGER.batch(
    planPacks(limitedDatabase(env.LEDGER), crawl, [
      { name: "p", bytes: 1, infoBytes: 0, contentBytes: 0, visits: 0, answers },
    ]),
  );
  expect(await index.count(crawl)).toBe(25);
  expect(await index.packs(crawl)).toHaveLength(1);
});

test("of a long Content-Type the first 1,000 characters are stored", async () => {
  const world = new World(() => ({ links: [] }));
  const { fetchSitemap } = world.deps;
  world.deps.fetchSitemap = async (request, secrets) => {
    const result = await fetchSitemap(request, secrets);
    if (request.capture == null) return result;
    const headers: PageHeaders = [["Content-Type", `text/html;${"x".repeat(100_000)}`]];
    const head = { status: 404, statusText: "", headers, date: 1, requestHeaders: [], durationMs: 1 };
    return { ...result, capture: captureAnswer(request.url, { ...head, payload: new Uint8Array(0) }, request.capture) };
  };
  const crawl = await world.start(["https://a.test/"], { store: "warc", source: "all" });
  await world.runToEnd(crawl);
  const types: (string | null)[] = [];
  for await (const { url, contentType } of index.records(crawl))
    if (url.endsWith("/sitemap.xml")) types.push(contentType);
  expect(types).toEqual([`text/html;${"x".repeat(990)}`]);
});

test("the room for texts is counted in bytes", async () => {
  const crawl = crypto.randomUUID();
  const rows = ["a", "b", "c"].map((path) =>
    env.LEDGER.prepare("INSERT INTO search_pages (crawl, url, unspaced, title, text) VALUES (?1, ?2, 1, '', ?3)").bind(
      crawl,
      `https://a.test/${path}`,
      "網頁文字",
    ),
  );
  await env.LEDGER.batch(rows);
  expect([...(await index.texts(crawl, 12)).values()]).toEqual(["網頁文字"]);
  expect((await index.texts(crawl, 13)).size).toBe(2);
});

import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { Ledger } from "../../src/store/ledger/ledger.ts";
import { type CrawlCommit, emptyCommit, planCommit } from "../../src/store/ledger/ledger-commit.ts";
import "./silence-log.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { discovered, settled, visited } from "./rows.ts";
import { HOUR_MS, SEED, WatchedWorld, watchOf } from "./watched-world.ts";

/** What a watch writes of its visits. watch.long.test.ts has pages that change, vanish and fail at random. */

useModelLedger();

const PAGES = ["", "a", "b", "c", "d", "e"].map((path) => `${SEED}${path}`);
const EVERY_MS = 6 * HOUR_MS;

test("a watch stays whose first crawl read pages, and found none that is to be saved", async () => {
  const world = new WatchedWorld((url) => ({ text: url, links: url === SEED ? PAGES : [] }));
  const id = await world.watch(EVERY_MS, { savePatterns: ["regex:/news/"] });
  expect((await world.crawl(id)).status).toBe("watching");
});

test("a visit that another one has overtaken changes nothing of its row", async () => {
  const world = new WatchedWorld(() => ({ text: "It is here." }));
  const id = await world.watch(EVERY_MS);
  await world.pass(2 * EVERY_MS);
  const row = () => env.LEDGER.prepare("SELECT * FROM urls WHERE crawl = ?1").bind(id).first();
  const before = await row();
  expect(before?.visits).toBeGreaterThan(0);
  const late = { result: "changed", change: "changed", outcome: settled(SEED, { title: "late" }) } as const;
  for (const visit of [visited(SEED, late), visited(SEED)])
    await world.deps.ledger.commit([{ ...emptyCommit(id), visits: [visit] }], world.now);
  expect(await row()).toEqual(before);
});

test("an unchanged visit writes one row, beside what its transaction shares", async () => {
  const id = "rows";
  const ledger = new Ledger(env.LEDGER);
  const urls = Array.from({ length: 30 }, (_, i) => `${SEED}${i}`);
  const options = { urls: [SEED], userAgent: "Test/1", limit: 1_000, watch: watchOf(60_000) };
  const { DEFAULT_OPTIONS } = await import("../../src/crawl/crawl-options.ts");
  const seeds = urls.map((url) => discovered(url));
  await ledger.create({
    id,
    options: { ...DEFAULT_OPTIONS, ...options },
    hosts: ["a.test"],
    seeds,
    sitemaps: [],
    now: 1,
  });
  const place = { pack: "p", offset: 1, length: 1, revisits: null, contentOffset: null, contentLength: null };
  const packed = { ...place, linksOffset: 2, linksLength: 1 };
  await ledger.commit([{ ...emptyCommit(id), outcomes: urls.map((url) => settled(url, { sha256: url, packed })) }], 2);
  const rowsOf = async (changes: Partial<CrawlCommit>) => {
    const results = await env.LEDGER.batch(
      planCommit(env.LEDGER, { ...emptyCommit(id), ...changes }, 10, 1).statements,
    );
    return results.reduce((sum, { meta }) => sum + meta.rows_written, 0);
  };
  const few = await rowsOf({ visits: urls.slice(0, 5).map((url) => visited(url, { result: "not-modified" })) });
  const many = await rowsOf({ visits: urls.slice(5).map((url) => visited(url, { result: "not-modified" })) });
  expect(many - few).toBe(20);
  expect(few).toBeLessThanOrEqual(5 + 4);
});

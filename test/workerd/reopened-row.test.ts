import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import type { Crawl } from "../../src/crawl/crawl.ts";
import { retryCrawl } from "../../src/lifecycle/retry.ts";
import { cancelCrawl } from "../../src/lifecycle/start.ts";
import { exportRecords } from "./read-warc.ts";
import { type Web, World } from "./world.ts";

/** A URL that is fetched again has nothing of its earlier outcome, and no place in the archive's index. */

const SEED = "https://a.test/";

/** The columns of a new row that wait for an outcome. */
const OUTCOME = `attempts, reason, detail, http_status, title, content_type, bytes, sha256, fetched_at, duration_ms, pack,
  pack_offset, pack_length, revisits, content_offset, content_length, truncated`;

async function outcomeOf(crawl: string, url: string): Promise<unknown[]> {
  const row = await env.LEDGER.prepare(`SELECT ${OUTCOME} FROM urls WHERE crawl = ?1 AND url = ?2`)
    .bind(crawl, url)
    .first();
  return Object.values(row ?? {});
}

async function indexed(world: World, crawl: string): Promise<(readonly [path: string, status: number])[]> {
  const { archiveIndex } = world.deps;
  const records: (readonly [path: string, status: number])[] = [];
  for await (const { url, status } of archiveIndex.records(crawl)) records.push([url.slice(SEED.length), status]);
  expect(await archiveIndex.count(crawl)).toBe(records.length);
  return records;
}

const stateOf = async (world: World, crawl: string) => (await world.deps.ledger.crawl(crawl)) as Crawl;

describe("a retried URL that is cancelled before it is fetched", () => {
  const web: Web = (url) => (url === SEED ? { links: [`${SEED}gone`] } : { status: 404 });

  async function retryAndCancel() {
    const world = new World(web);
    const crawl = await world.start([SEED], { store: "warc" });
    await world.runToEnd(crawl);
    expect(await indexed(world, crawl)).toContainEqual(["gone", 404]);
    await retryCrawl(await stateOf(world, crawl), { status: "errored", reason: null, limit: null }, world.deps);
    await cancelCrawl(crawl, "cancelled_by_user", world.deps);
    return { world, crawl };
  }

  test("has no place in the index, and its record stays in the WARC", async () => {
    const { world, crawl } = await retryAndCancel();
    expect((await indexed(world, crawl)).map(([path]) => path)).toEqual(["", "robots.txt"]);
    const urls = (await exportRecords(crawl, world.deps))
      .filter(({ type }) => type === "response")
      .map(({ url }) => url);
    expect(urls).toContain(`${SEED}gone`);
  });

  test("that an earlier version reopened with its place is not in the index", async () => {
    const { world, crawl } = await retryAndCancel();
    await env.LEDGER.prepare(
      "UPDATE urls SET (pack, pack_offset, pack_length) = ('p', 1, 1) WHERE crawl = ?1 AND http_status IS NULL",
    )
      .bind(crawl)
      .run();
    expect((await indexed(world, crawl)).map(([path]) => path)).toEqual(["", "robots.txt"]);
  });
});

test.each<[string, Web, (world: World, crawl: string) => Promise<unknown>]>([
  [
    "retry",
    (url) => (url === SEED ? { links: [`${SEED}again`] } : { status: 404 }),
    async (world, crawl) => {
      await world.runToEnd(crawl);
      return retryCrawl(await stateOf(world, crawl), { status: "errored", reason: null, limit: null }, world.deps);
    },
  ],
  [
    "redirect that is asked again",
    (url) => (url === SEED ? { links: [`${SEED}again`] } : { redirect: `${SEED}again`, setCookies: ["a=1"] }),
    async (world) => {
      while (!world.fetched.includes(`${SEED}again`)) await world.turn();
    },
  ],
])("after a %s nothing is left of the outcome", async (_, web, reopen) => {
  const world = new World(web);
  const crawl = await world.start([SEED], { store: "warc" });
  await reopen(world, crawl);
  const [attempts, ...rest] = await outcomeOf(crawl, `${SEED}again`);
  expect([attempts, ...new Set(rest)]).toEqual([0, null]);
});

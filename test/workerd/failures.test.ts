import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { type CrawlOptions, DEFAULT_POLITENESS } from "../../src/crawl/crawl-options.ts";
import { consume } from "../../src/frontier/batch/consumer.ts";
import { type FrontierMessage, type Hint, hintsOf } from "../../src/frontier/batch/message.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { World } from "./world.ts";

/** A URL whose batches fail again and again ends after the maximum of failures, however it waits in between. */

useModelLedger();

const SEED = "https://a.test/";
const MINUTE = 60_000;
const LINKS = Array.from({ length: 12 }, (_, i) => `${SEED}p${i}`);

/** A world in which no lane can store a page but the seed, and its crawl with a rest of ten seconds. */
async function startFailing(options: Partial<CrawlOptions> = {}) {
  const world = new World((url) => ({ links: url === SEED ? LINKS : [] }));
  const { mirror } = world.deps;
  const put = mirror.put.bind(mirror);
  mirror.put = async (page) => {
    if (page.url !== SEED) throw new Error("R2 is away");
    await put(page);
  };
  const politeness = { ...DEFAULT_POLITENESS, minDelayMs: 10_000, delayFactor: 0 };
  const crawl = await world.start([SEED], { store: "files", politeness, ...options });
  const isRunning = async () => (await world.deps.ledger.crawl(crawl))?.status === "running";
  return { world, crawl, isRunning };
}

async function reasons(crawl: string): Promise<Record<string, number>> {
  const { results } = await env.LEDGER.prepare(
    "SELECT coalesce(reason, status) AS end, count(*) AS n FROM urls WHERE crawl = ?1 GROUP BY end",
  )
    .bind(crawl)
    .all<{ end: string; n: number }>();
  return Object.fromEntries(results.map(({ end, n }) => [end, n]));
}

test("URLs of a lane that always fails end after as many failures as are allowed, though they wait in line", async () => {
  const { world, crawl, isRunning } = await startFailing();
  let nextBeat = world.now + MINUTE;
  const repaired: string[] = [];
  for (let turn = 0; turn < 2_000 && (await isRunning()); turn++) {
    await world.turn();
    for (; nextBeat <= world.now; nextBeat += MINUTE) repaired.push(...(await heartbeat(world.deps)).repaired);
  }
  expect(await reasons(crawl)).toEqual({ completed: 1, "dead-letter": 12 });
  expect(world.fetched.length - 1).toBeLessThanOrEqual(LINKS.length * (world.deps.limits.failures + 1));
  // The heartbeat knows how late a failed batch comes again: a repair would begin its count anew.
  expect(repaired).toEqual([]);
  await expectCountersExact(crawl);
});

/** Collects the hints that are sent from here on. */
function listen({ deps }: World): Hint[] {
  const sent: Hint[] = [];
  deps.frontier = {
    sendBatch: async (batch: Iterable<MessageSendRequest<FrontierMessage>>) => {
      for (const { body } of batch) sent.push(...(hintsOf(body) ?? []));
    },
  } as unknown as Queue<FrontierMessage>;
  return sent;
}

test("a URL that waits in the ledger keeps its count of failures", async () => {
  const { world, crawl } = await startFailing();
  const sent = listen(world);
  await world.deps.waits.postpone([{ crawl, url: SEED, sitemap: false, failures: 3, dueAt: world.now }]);
  await heartbeat(world.deps);
  expect(sent).toMatchObject([{ url: SEED, failures: 3 }]);
});

test("an attempt that was settled begins the count anew, also one that is tried again", async () => {
  const world = new World(() => ({ status: 503 }));
  const crawl = await world.start([SEED]);
  const sent = listen(world);
  await consume([{ crawl, epoch: 1, url: SEED, sitemap: false, visit: null, failures: 4 }], world.deps, "all");
  expect(world.fetched).toEqual([SEED]);
  expect(sent).toMatchObject([{ url: SEED, failures: 0 }]);
});

import { env } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { DEFAULT_POLITENESS } from "../../src/crawl/crawl-options.ts";
import { emptyCommit } from "../../src/store/ledger/ledger-commit.ts";
import { LateQueue } from "./late-queue.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { discovered, settled, visited, WATCH } from "./rows.ts";
import { removeWatches } from "./watched-world.ts";
import { type Sitemaps, type Web, World } from "./world.ts";

/**
 * A lost message is noticed within half an hour, although the rest of its crawl moves on. Nothing that waits is sent
 * twice.
 */

useModelLedger();
beforeEach(() => removeWatches());

const A = "https://a.test/";
const B = "https://b.test/";
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** From the loss: a lap that sees the row, seventeen minutes without a move, and the lap that asks. */
const NOTICED_MS = 30 * MINUTE;

function worldOf(web: Web, options: { sitemaps?: Sitemaps } = {}) {
  const world = new World(web, options);
  const queue = new LateQueue(world, 0);
  /** Loses the next message with this URL. */
  const loseOnce = (url: string) => {
    queue.loses = (lost) => {
      if (lost !== url) return false;
      queue.loses = () => false;
      lostAt.push(world.now);
      return true;
    };
  };
  const lostAt: number[] = [];
  /** Lets time pass until then. Returns the numbers of rows that were sent again, and of repairs. */
  const pass = async (until: () => boolean | Promise<boolean>, mostMs: number) => {
    const sum = { lost: 0, repaired: 0 };
    const end = world.now + mostMs;
    while (world.now < end && !(await until())) {
      const { lost, repaired } = await queue.minute();
      sum.lost += lost;
      sum.repaired += repaired.length;
    }
    return sum;
  };
  const hasEnded = (crawl: string) => async () => (await world.deps.ledger.crawl(crawl))?.status === "completed";
  return { world, queue, loseOnce, lostAt, pass, hasEnded };
}

/** Many pages, each linked by the one before; the first one has other links, too. */
const chain =
  (...others: string[]): Web =>
  (url) => ({ links: url === A ? [...others, `${A}n1`] : [`${A}n${Number(url.slice(A.length + 1)) + 1}`] });

describe("a lost message is noticed", () => {
  test("while another host of the crawl asks for a day of patience", async () => {
    const { world, loseOnce, pass } = worldOf((url) =>
      url === A ? { status: 503, retryAfterMs: DAY } : { links: [] },
    );
    loseOnce(B);
    await world.start([A, B]);
    const startedAt = world.now;
    const { lost } = await pass(() => world.fetched.includes(B), 2 * HOUR);
    expect(world.now - startedAt).toBeLessThan(NOTICED_MS);
    expect(lost).toBe(1);
  });

  test("while others of its host make progress", async () => {
    const { world, loseOnce, lostAt, pass } = worldOf(chain(`${A}beside`));
    loseOnce(`${A}beside`);
    await world.start([A], { politeness: { ...DEFAULT_POLITENESS, minDelayMs: 20_000 }, limit: 1_000, depth: 10_000 });
    await pass(() => world.fetched.includes(`${A}beside`), 3 * HOUR);
    expect(world.now - (lostAt[0] ?? 0)).toBeLessThan(NOTICED_MS);
    expect(world.fetched.length).toBeGreaterThan(50);
  });

  test("of a sitemap, while pages make progress", async () => {
    const { world, loseOnce, lostAt, pass } = worldOf(chain(), {
      sitemaps: () => ({ pages: [{ url: `${B}listed`, lastmod: null }] }),
    });
    loseOnce(`${A}sitemap.xml`);
    const politeness = { ...DEFAULT_POLITENESS, minDelayMs: 20_000 };
    await world.start([A], { source: "all", politeness, limit: 1_000, depth: 10_000 });
    await pass(() => world.asked.length > 0, 3 * HOUR);
    expect(world.now - (lostAt[0] ?? 0)).toBeLessThan(NOTICED_MS);
  });

  test("of a page that a visit found, while a visit settles each minute", async () => {
    const { world, queue } = worldOf(() => ({ links: [] }));
    const { ledger } = world.deps;
    const crawl = await world.start([A], { watch: WATCH, limit: 100 });
    await ledger.commit([{ ...emptyCommit(crawl), outcomes: [settled(A)] }], world.now);
    // The process ends between this commit and its messages.
    const visits = (visit: number) => [visited(A, { visit, visitedAt: world.now })];
    await ledger.commit(
      [{ ...emptyCommit(crawl), visits: visits(0), discoveries: [discovered(`${A}new`, { via: A })] }],
      world.now,
    );
    const startedAt = world.now;
    for (let beat = 1; beat <= 90 && !world.fetched.includes(`${A}new`); beat++) {
      await ledger.commit([{ ...emptyCommit(crawl), visits: visits(beat) }], world.now);
      await queue.minute();
    }
    expect(world.fetched).toContain(`${A}new`);
    expect(world.now - startedAt).toBeLessThan(NOTICED_MS);
    await expectCountersExact(crawl);
  });

  test("of all pages of a host at once", async () => {
    const others = Array.from({ length: 100 }, (_, i) => `${B}${i}`);
    const { world, queue, pass } = worldOf((url) => (url.startsWith(B) ? { links: [] } : chain(...others)(url, 0)));
    queue.loses = (url) => url.startsWith(B);
    const politeness = { ...DEFAULT_POLITENESS, minDelayMs: 20_000 };
    await world.start([A], { includeExternalLinks: true, politeness, limit: 1_000, depth: 10_000 });
    await pass(() => world.fetched.length > 1, HOUR);
    const startedAt = world.now;
    queue.loses = () => false;
    expect(await pass(() => world.fetched.some((url) => url.startsWith(B)), HOUR)).toEqual({ lost: 100, repaired: 0 });
    expect(world.now - startedAt).toBeLessThan(NOTICED_MS);
  });
});

describe("nothing that waits is sent twice", () => {
  test("in a line of hours on a slow host", async () => {
    const links = Array.from({ length: 300 }, (_, i) => `${A}${i}`);
    const { world, pass, hasEnded } = worldOf((url) => ({ links: url === A ? links : [] }));
    const politeness = { ...DEFAULT_POLITENESS, minDelayMs: 60_000 };
    const crawl = await world.start([A], { politeness, limit: 1_000 });
    expect(await pass(hasEnded(crawl), 8 * HOUR)).toEqual({ lost: 0, repaired: 0 });
    expect(world.fetched).toHaveLength(301);
  });

  test("while hosts ask for a day of patience", async () => {
    const hosts = Array.from({ length: 20 }, (_, i) => `https://h${i}.test/`);
    const { world, pass, hasEnded } = worldOf((_, attempt) =>
      attempt === 0 ? { status: 503, retryAfterMs: DAY } : { links: [] },
    );
    const crawl = await world.start(hosts);
    expect(await pass(hasEnded(crawl), 2 * DAY)).toEqual({ lost: 0, repaired: 0 });
    expect(world.fetched).toHaveLength(40);
  });
});

test("a crawl that has ended leaves nothing of its search", async () => {
  const { world, queue, pass, hasEnded } = worldOf(chain());
  const politeness = { ...DEFAULT_POLITENESS, minDelayMs: 20_000 };
  const crawl = await world.start([A], { politeness, limit: 30, depth: 10_000 });
  await pass(hasEnded(crawl), HOUR);
  await queue.minute();
  expect((await env.LEDGER.prepare("SELECT * FROM message_searches").all()).results).toEqual([]);
});

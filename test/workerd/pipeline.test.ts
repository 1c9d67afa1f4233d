import { env } from "cloudflare:test";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SeenFilter, SeenFilters } from "../../src/frontier/commit/seen-filter.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { type Answer, type Web, World } from "./world.ts";

useModelLedger();

const SEED = "https://a.test/";

/** The pages of a host. `of` returns the answer of each. */
function site(of: (i: number) => Answer, host = "a.test"): Web {
  return (url) => (new URL(url).host === host ? of(Number(new URL(url).pathname.slice(1)) || 0) : { status: 404 });
}

const pageUrl = (i: number) => (i === 0 ? SEED : `${SEED}${i}`);

/** A ring of pages with shortcuts, so every link is found many times. */
const ring = (n: number): Web => site((i) => ({ links: [1, 2, 7, 31].map((step) => pageUrl((i + step) % n)) }));

async function statuses(crawl: string): Promise<Record<string, number>> {
  const { results } = await env.LEDGER.prepare(
    "SELECT status, reason, count(*) AS n FROM urls WHERE crawl = ?1 GROUP BY 1, 2",
  )
    .bind(crawl)
    .all<{ status: string; reason: string | null; n: number }>();
  return Object.fromEntries(
    results.map(({ status, reason, n }) => [reason === null ? status : `${status} ${reason}`, n]),
  );
}

test("a crawl fetches every page once, and stores it in the mirror", async () => {
  const world = new World(ring(120));
  const crawl = await world.start([SEED]);
  await world.runToEnd(crawl);
  await expectCountersExact(crawl);
  expect(await statuses(crawl)).toEqual({ completed: 120 });
  expect(world.fetched).toHaveLength(120);
  const body = await (await world.deps.mirror.get(crawl, pageUrl(77)))?.text();
  expect(body).toBe(pageUrl(77));
});

describe("the seen filter", () => {
  test("loses no page if it is far too small, but costs reads", async () => {
    const tinyFilters = new SeenFilters(1_000, (memory) => new SeenFilter(memory, 0, 1));
    const world = new World(ring(120), { seen: tinyFilters });
    let asked = 0;
    const unknown = world.deps.ledger.unknown.bind(world.deps.ledger);
    world.deps.ledger.unknown = async (crawl, urls) => {
      asked += urls.length;
      return unknown(crawl, urls);
    };
    const crawl = await world.start([SEED]);
    await world.runToEnd(crawl);
    expect(await statuses(crawl)).toEqual({ completed: 120 });
    // It answered "maybe" for new pages, so the ledger was asked.
    expect(asked).toBeGreaterThan(120);
  });

  test("does not remember a failed commit", async () => {
    let failures = 0;
    const world = new World(ring(60), {
      beforeCommit: () => {
        if (failures++ % 3 === 0) throw new Error("D1 is away");
      },
    });
    const crawl = await world.start([SEED]);
    await world.runToEnd(crawl);
    expect(await statuses(crawl)).toEqual({ completed: 60 });
  });
});

describe("a failing page does not affect other pages", () => {
  test("a page that ends its fetcher is tried maxAttempts times, and is errored", async () => {
    const web = ring(30);
    const world = new World((url, attempt) => (url === pageUrl(7) ? { throws: "exceeded CPU" } : web(url, attempt)));
    const crawl = await world.start([SEED], { maxAttempts: 2 });
    await world.runToEnd(crawl);
    expect(await statuses(crawl)).toEqual({ completed: 29, "errored parse": 1 });
    expect(world.fetched.filter((url) => url === pageUrl(7))).toHaveLength(2);
  });

  test("a page that fails at first is retried later", async () => {
    const web = ring(30);
    const world = new World((url, attempt) =>
      url === pageUrl(7) && attempt < 2 ? { status: 500 } : web(url, attempt),
    );
    const crawl = await world.start([SEED]);
    const before = world.now;
    await world.runToEnd(crawl);
    expect(await statuses(crawl)).toEqual({ completed: 30 });
    expect(world.now - before).toBeGreaterThanOrEqual(30_000);
  });
});

test("a gate that fails makes its own host wait, and no other", async () => {
  const hosts = ["https://a.test/", "https://b.test/"];
  const world = new World(() => ({ links: hosts }));
  let failures = 0;
  const gate = world.deps.gate;
  world.deps.gate = (host) => {
    if (host === "b.test" && failures++ < 2)
      return { ...gate(host), admit: () => Promise.reject(new Error("the gate is away")) };
    return gate(host);
  };
  const crawl = await world.start(hosts);
  const before = world.now;
  await world.turn();
  expect(world.fetched).toEqual(["https://a.test/"]);
  expect(await statuses(crawl)).toEqual({ completed: 1, queued: 1 });
  await world.runToEnd(crawl);
  expect(await statuses(crawl)).toEqual({ completed: 2 });
  // A short fault costs seconds.
  expect(world.now - before).toBeLessThan(20_000);
});

describe("redirects", () => {
  test("an endless chain ends at maxRedirects, and each step has a record", async () => {
    const world = new World(site((i) => ({ redirect: pageUrl(i + 1) })));
    const crawl = await world.start([SEED], { maxRedirects: 5 });
    await world.runToEnd(crawl);
    expect(await statuses(crawl)).toEqual({ "skipped redirected": 5, "errored too-many-redirects": 1 });
  });

  test("a circle ends", async () => {
    const world = new World(site((i) => ({ redirect: pageUrl(i === 0 ? 1 : 0) })));
    const crawl = await world.start([SEED]);
    await world.runToEnd(crawl);
    expect(await statuses(crawl)).toEqual({ "skipped redirected": 2 });
  });
});

test("a URL whose commits always fail is given up after more than ten minutes", async () => {
  const world = new World(ring(10), {
    maxRetries: 8,
    beforeCommit: (commits) => {
      const isDeadLetter = commits.some(({ outcomes }) => outcomes.some(({ reason }) => reason === "dead-letter"));
      if (!isDeadLetter) throw new Error("D1 rejects this page");
    },
  });
  const startedAt = world.now;
  const crawl = await world.start([SEED]);
  await world.runToEnd(crawl);
  expect(world.now - startedAt).toBeGreaterThan(600_000);
  expect(await statuses(crawl)).toEqual({ "errored dead-letter": 1 });
  await expectCountersExact(crawl);
});

test("a crawl that reaches its time limit is cancelled with its open URLs", async () => {
  const world = new World(site((i) => (i === 0 ? { links: [1, 2, 3].map(pageUrl) } : { status: 503 })));
  const crawl = await world.start([SEED], { maxDurationS: 60, maxAttempts: 20 });
  for (let turn = 0; turn < 40; turn++) {
    await world.turn();
    if (turn % 5 === 0) await heartbeat(world.deps);
  }
  await world.runToEnd(crawl);
  expect((await world.deps.ledger.crawl(crawl))?.status).toBe("cancelled_due_to_timeout");
  expect(await statuses(crawl)).toEqual({ completed: 1, "cancelled time-limit": 3 });
});

/** Part of rules 1 and 2: whatever happens to messages and commits, the same URLs end with the same result. */
test("lost and duplicate messages and failing commits do not change the result", async () => {
  const kinds = fc.constantFrom<"page" | "redirect" | "missing" | "flaky">(
    "page",
    "page",
    "page",
    "redirect",
    "missing",
    "flaky",
  );
  const node = fc.record({ kind: kinds, links: fc.array(fc.nat({ max: 39 }), { maxLength: 6 }) });
  const graph = fc.array(node, { minLength: 5, maxLength: 40 });

  await fc.assert(
    fc.asyncProperty(graph, fc.integer(), async (nodes, seed) => {
      const web: Web = (url, attempt) => {
        const i = Number(new URL(url).pathname.slice(1)) || 0;
        const { kind, links } = nodes[i % nodes.length] ?? { kind: "page", links: [] };
        const targets = links.map((link) => pageUrl(link % nodes.length));
        if (kind === "redirect" && targets[0] !== undefined && targets[0] !== url) return { redirect: targets[0] };
        if (kind === "missing") return { status: 404 };
        if (kind === "flaky" && attempt === 0) return { status: 500 };
        return { links: targets };
      };
      const quietWorld = new World(web);
      const undisturbed = await quietWorld.start([SEED]);
      await quietWorld.runToEnd(undisturbed);

      const chance = random(seed);
      const faultyWorld = new World(web, {
        // The dead-letter queue has its own test. Here, a dead letter would change the result.
        maxRetries: 1_000,
        copies: () => {
          const draw = chance();
          return draw < 0.1 ? 0 : draw < 0.2 ? 2 : 1;
        },
        beforeCommit: () => {
          if (chance() < 0.1) throw new Error("before the commit");
        },
        afterCommit: () => {
          if (chance() < 0.1) throw new Error("after the commit");
        },
      });
      const disturbed = await faultyWorld.start([SEED], { maxAttempts: 20 });
      await faultyWorld.runToEnd(disturbed);
      await expectCountersExact(disturbed);
      expect(await outcomes(disturbed)).toEqual(await outcomes(undisturbed));
    }),
    { numRuns: 12 },
  );
});

/** Random numbers between 0 and 1 from a seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function outcomes(crawl: string): Promise<string[]> {
  const { results } = await env.LEDGER.prepare("SELECT url, status, reason FROM urls WHERE crawl = ?1 ORDER BY url")
    .bind(crawl)
    .all<{ url: string; status: string; reason: string | null }>();
  return results.map(({ url, status, reason }) => `${url} ${status} ${reason}`);
}

describe("a page that was fetched but not committed", () => {
  test("is read from the mirror when the batch is retried, without a second request", async () => {
    let failures = 0;
    const world = new World(ring(30), {
      beforeCommit: () => {
        if (failures++ % 2 === 0) throw new Error("D1 is away");
      },
    });
    const crawl = await world.start([SEED]);
    await world.runToEnd(crawl);
    expect(await statuses(crawl)).toEqual({ completed: 30 });
    expect(world.fetched).toHaveLength(30);
  });

  test("is read from the mirror after its consumer was killed", async () => {
    const world = new World(ring(10));
    const crawl = await world.start([SEED]);
    await world.turn();
    // The next batch dies between its last fetch and its commit.
    const commit = world.deps.ledger.commit;
    const gate = world.deps.gate;
    world.deps.ledger.commit = () => Promise.reject(new Error("killed"));
    world.deps.gate = (host) => ({ ...gate(host), settle: () => Promise.reject(new Error("killed")) });
    await world.turn();
    world.deps.ledger.commit = commit;
    world.deps.gate = gate;
    const before = world.fetched.length;
    expect(before).toBeGreaterThan(1);
    await world.runToEnd(crawl);
    expect(await statuses(crawl)).toEqual({ completed: 10 });
    expect(world.fetched).toHaveLength(10);
  });
});

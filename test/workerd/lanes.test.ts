import { createExecutionContext, env } from "cloudflare:test";
import { describe, expect, test, vi } from "vitest";
import { app } from "../../src/api/app.ts";
import { type CrawlOptions, DEFAULT_POLITENESS } from "../../src/crawl/crawl-options.ts";
import type { FetchResult } from "../../src/crawl/page/outcome.ts";
import { Activity } from "../../src/frontier/batch/activity.ts";
import { consume } from "../../src/frontier/batch/consumer.ts";
import type { Hint } from "../../src/frontier/batch/message.ts";
import { workload } from "../../src/frontier/deps.ts";
import { LANE_BUDGET_MS } from "../../src/host/full-lane.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { resumeCrawl } from "../../src/lifecycle/start.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { World } from "./world.ts";

/** The lanes of a batch are independent: none waits for another's gate, fetch or commit. */

useModelLedger();

/** The default of vi.waitFor is a second, which a busy machine exceeds. */
const PATIENCE = { timeout: 60_000 };

const hosts = (count: number) => Array.from({ length: count }, (_, i) => `https://h${i}.test/`);

function hintsOf(crawl: string, urls: string[]): Hint[] {
  return urls.map((url) => ({ crawl, epoch: 1, url, sitemap: false, visit: null, failures: 0 }));
}

/** A promise that the test resolves. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, open: resolve };
}

async function completed(world: World, crawl: string): Promise<number> {
  return (await world.deps.ledger.crawl(crawl))?.counters.completed ?? 0;
}

describe("a batch with one silent host", () => {
  test.each(["its page", "its gate"])("commits the other hosts while %s is silent", async (silent) => {
    const world = new World(() => ({ links: [] }));
    const urls = hosts(4);
    const crawl = await world.start(urls);
    const answer = gate();
    const { fetchPage, gate: gateOf } = world.deps;
    if (silent === "its page") {
      world.deps.fetchPage = async (request, secrets) => {
        if (request.url === urls[0]) await answer.promise;
        return fetchPage(request, secrets);
      };
    } else {
      world.deps.gate = (host) => {
        const stub = gateOf(host);
        const admit: typeof stub.admit = async (request) => {
          await answer.promise;
          return stub.admit(request);
        };
        return host === "h0.test" ? { ...stub, admit } : stub;
      };
    }
    const activity = new Activity();
    const batch = consume(hintsOf(crawl, urls), world.deps, "all", activity);
    await vi.waitFor(async () => expect(await completed(world, crawl)).toBe(3), PATIENCE);
    // The three hosts are free again, and the batch only waits.
    for (const host of ["h1.test", "h2.test", "h3.test"]) {
      const status = await world.deps.gate(host).status({ origins: [], agent: "test", policy: POLICY });
      expect(status.busy).toBe(false);
    }
    if (silent === "its page") await activity.waiting;
    answer.open();
    expect((await batch).commits).toBeGreaterThan(1);
    expect(await completed(world, crawl)).toBe(4);
  });
});

test("a host with other URLs on their way is free at once, and its results wait for those of the other hosts", async () => {
  const world = new World(() => ({ links: [] }));
  const [first = "", slow = ""] = hosts(2);
  const crawl = await world.start([first, slow]);
  const answer = gate();
  const freed: string[] = [];
  const { fetchPage, gate: gateOf, clock } = world.deps;
  // The five seconds for others do not pass.
  world.deps.clock = { ...clock, sleep: (ms) => (ms === 5_000 ? new Promise(() => undefined) : clock.sleep(ms)) };
  world.deps.fetchPage = async (request, secrets) => {
    if (request.url === slow) await answer.promise;
    return fetchPage(request, secrets);
  };
  world.deps.gate = (host) => {
    const stub = gateOf(host);
    const admit: typeof stub.admit = async (request) => {
      const admission = await stub.admit(request);
      return { ...admission, lane: admission.lane && { ...admission.lane, isFollowed: true } };
    };
    const settle: typeof stub.settle = async (request) => {
      const delays = await stub.settle(request);
      freed.push(host);
      return delays;
    };
    return { ...stub, admit, settle };
  };
  const batch = consume(hintsOf(crawl, [first, slow]), world.deps, "all");
  await vi.waitFor(() => expect(freed).toEqual(["h0.test"]), PATIENCE);
  expect(await completed(world, crawl)).toBe(0);
  answer.open();
  expect(await batch).toMatchObject({ commits: 1, failures: [] });
  expect(await completed(world, crawl)).toBe(2);
  expect(freed).toEqual(["h0.test", "h1.test"]);
});

test("a batch of one host without rests never only waits before it is committed and settled", async () => {
  const world = new World(() => ({ links: [] }));
  const crawl = await world.start(["https://a.test/", "https://a.test/1", "https://a.test/2"], {
    politeness: { ...DEFAULT_POLITENESS, minDelayMs: 0, maxConcurrencyPerHost: 8 },
  });
  const gateOf = world.deps.gate;
  let isSettled = false;
  world.deps.gate = (host) => {
    const stub = gateOf(host);
    const settle: typeof stub.settle = async (request) => {
      const quotes = await stub.settle(request);
      isSettled = true;
      return quotes;
    };
    return { ...stub, settle };
  };
  const activity = new Activity();
  const wasSettled = activity.waiting.then(() => isSettled);
  const urls = ["https://a.test/", "https://a.test/1", "https://a.test/2"];
  await consume(hintsOf(crawl, urls), world.deps, "all", activity);
  expect(await wasSettled).toBe(true);
  expect(await completed(world, crawl)).toBe(3);
});

const POLICY = {
  minDelayMs: 0,
  maxDelayMs: 0,
  delayFactor: 0,
  concurrency: 1,
  timeoutMs: 1_000,
  userAgent: "Test/1",
};

test("a batch fetches at most five pages at once, and the others keep their lanes", async () => {
  const world = new World(() => ({ links: [] }));
  const urls = hosts(12);
  const crawl = await world.start(urls);
  const { clock, fetchPage } = world.deps;
  // No time passes, so each lane gets its place in time.
  world.deps.clock = { ...clock, sleep: async () => undefined };
  let running = 0;
  let most = 0;
  world.deps.fetchPage = async (request, secrets): Promise<FetchResult> => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running -= 1;
    return fetchPage(request, secrets);
  };
  const report = await consume(hintsOf(crawl, urls), world.deps, "all");
  expect(most).toBe(5);
  expect(report).toMatchObject({ urls: 12, hosts: 12, failures: [] });
  expect(await completed(world, crawl)).toBe(12);
});

test("a lane whose place comes too late starts no request, and its URL is sent again", async () => {
  const world = new World(() => ({ links: [] }));
  const urls = hosts(6);
  const crawl = await world.start(urls);
  const { fetchPage } = world.deps;
  world.deps.fetchPage = async (request, secrets): Promise<FetchResult> => {
    world.now += 3 * LANE_BUDGET_MS;
    return fetchPage(request, secrets);
  };
  world.deps.limits.fetches = 1;
  await consume(hintsOf(crawl, urls), world.deps, "all");
  expect(world.fetched.length).toBeLessThan(6);
  await world.runToEnd(crawl);
  expect(await completed(world, crawl)).toBe(6);
  expect(world.fetched).toHaveLength(6);
});

test("a batch with much text for the index commits it in parts, and fetches no page twice", async () => {
  const lengths: number[] = [];
  const world = new World(() => ({ links: [], text: "word ".repeat(200_000) }), {
    beforeCommit: (commits) =>
      void lengths.push(commits.flatMap(({ texts }) => texts).reduce((sum, { text }) => sum + text.length, 0)),
  });
  const urls = Array.from({ length: 12 }, (_, i) => `https://a.test/${i}`);
  const crawl = await world.start(urls, { search: true });
  await consume(hintsOf(crawl, urls), world.deps, "all");
  await world.runToEnd(crawl);
  expect(await completed(world, crawl)).toBe(12);
  expect(world.fetched).toHaveLength(12);
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(12_000_000);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(3_000_000);
});

test("a group whose commit fails gives back its own URLs alone", async () => {
  const slow = gate();
  const world = new World(() => ({ links: [] }), {
    beforeCommit: ([commit]) => {
      if (commit?.outcomes.some(({ url }) => url === "https://h0.test/")) throw new Error("D1 is away");
    },
  });
  const urls = hosts(3);
  const crawl = await world.start(urls);
  const { fetchPage } = world.deps;
  world.deps.fetchPage = async (request, secrets) => {
    if (request.url === urls[0]) await slow.promise;
    return fetchPage(request, secrets);
  };
  const batch = consume(hintsOf(crawl, urls), world.deps, "all");
  await vi.waitFor(async () => expect(await completed(world, crawl)).toBe(2), PATIENCE);
  slow.open();
  const { failures } = await batch;
  expect(failures.map(({ failure }) => failure.message)).toEqual(["the ledger could not be written"]);
  expect((await world.deps.ledger.crawl(crawl))?.counters).toMatchObject({ completed: 2, queued: 1 });
});

test("large pages go into a pack before the batch holds too many of them", async () => {
  const world = new World(() => ({ links: [] }));
  const urls = hosts(24);
  const crawl = await world.start(urls, { store: "warc" });
  const { fetchPage } = world.deps;
  const noise = crypto.getRandomValues(new Uint8Array(60_000));
  world.deps.fetchPage = async (request, secrets) => {
    const result = await fetchPage(request, secrets);
    if (result.kind !== "page" || result.capture?.answer == null) throw new Error("not captured");
    const { answer } = result.capture;
    // 900,000 bytes each: too small for a pack of its own.
    const others = new Uint8Array(900_000);
    others.set(noise);
    return { ...result, capture: { ...result.capture, answer: { ...answer, others } } };
  };
  const sizes: number[] = [];
  const put = world.deps.packs.put.bind(world.deps.packs);
  world.deps.packs.put = async (id, name, pieces) => {
    sizes.push(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
    return put(id, name, pieces);
  };
  await consume(hintsOf(crawl, urls), world.deps, "all");
  expect(await completed(world, crawl)).toBe(24);
  expect(sizes.length).toBeGreaterThan(1);
  expect(Math.max(...sizes)).toBeLessThan(10 * 1024 * 1024);
});

test("a gate that cannot settle its lane does not stop what is to be sent", async () => {
  const world = new World((url) => ({ links: url === "https://h0.test/" ? ["https://h0.test/next"] : [] }));
  const [seed = ""] = hosts(1);
  const crawl = await world.start([seed]);
  const gateOf = world.deps.gate;
  world.deps.gate = (host) => ({ ...gateOf(host), settle: () => Promise.reject(new Error("the gate is away")) });
  const { failures } = await consume(hintsOf(crawl, [seed]), world.deps, "all");
  expect(failures).toEqual([]);
  // The first message is the one that start() sent.
  expect(world.inMotion).toBe(2);
  // The host is free when the lease ends.
  world.deps.gate = gateOf;
  await world.runToEnd(crawl);
  expect(world.fetched).toEqual([seed, "https://h0.test/next"]);
});

test("what the queue refuses waits in the ledger, and the heartbeat sends it", async () => {
  const [seed = ""] = hosts(1);
  const next = Array.from({ length: 30 }, (_, i) => `${seed}${i}`);
  const world = new World((url) => ({ links: url === seed ? next : [] }));
  const crawl = await world.start([seed]);
  const { frontier } = world.deps;
  const refuse = () => Promise.reject(new Error("Unknown Internal Error (15000)"));
  world.deps.frontier = { ...frontier, sendBatch: refuse };
  const { failures } = await consume(hintsOf(crawl, [seed]), world.deps, "all");
  expect(failures).toEqual([]);
  world.deps.frontier = frontier;
  expect(await heartbeat(world.deps)).toMatchObject({ due: 30, repaired: [] });
  await world.runToEnd(crawl);
  expect(await completed(world, crawl)).toBe(31);
});

describe("an answer that the runtime refuses without a word", () => {
  const refused = { reason: "connection" as const, detail: "dropped", contentType: null, hostFailed: false };
  const drop = { ...refused, kind: "rejected" as const, httpStatus: null, retryAfterMs: null, durationMs: 5 };

  test.each([
    ["is asked for again in a turn of its own, and its page is kept", 1_000, 1, "completed"],
    ["is left to its second try if the host rests for long", 20_000, 2, "completed"],
    ["is left to the second try of three", 20_000, 3, "completed"],
    ["ends if that was its last try", 20_000, 1, "errored"],
  ])("%s", async (_, minDelayMs, maxAttempts, status) => {
    const world = new World(() => ({ links: [] }));
    const { fetchPage } = world.deps;
    const asked: { at: number; isLenient: boolean | undefined }[] = [];
    world.deps.fetchPage = async (request, secrets): Promise<FetchResult> => {
      asked.push({ at: world.now, isLenient: request.isLenient });
      if (!request.isLenient) return { ...drop, retryable: true, dropped: true, unexplained: true };
      return {
        ...(await fetchPage(request, secrets)),
        fault: "the header x-a is folded over several lines",
      } as FetchResult;
    };
    const politeness = { ...DEFAULT_POLITENESS, minDelayMs };
    const crawl = await world.start(["https://a.test/"], { politeness, maxAttempts });
    await world.runToEnd(crawl);
    const record = await env.LEDGER.prepare("SELECT status, detail FROM urls WHERE crawl = ?1").bind(crawl).first();
    expect(record).toMatchObject({
      status,
      detail: status === "completed" ? expect.stringContaining("x-a") : "dropped",
    });
    expect(asked.map(({ isLenient }) => isLenient)).toEqual(status === "completed" ? [false, true] : [false]);
    const gaps = asked.slice(1).map(({ at }, i) => at - (asked[i]?.at ?? 0));
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(minDelayMs);
  });

  test("is asked for leniently at the last try of a sitemap too", async () => {
    const world = new World(() => ({ links: [] }));
    const asked: (boolean | undefined)[] = [];
    world.deps.fetchSitemap = async ({ isLenient }) => {
      asked.push(isLenient);
      return { ...drop, retryable: true, dropped: true, unexplained: isLenient !== true };
    };
    const politeness = { ...DEFAULT_POLITENESS, minDelayMs: 20_000 };
    const crawl = await world.start(["https://a.test/"], { politeness, maxAttempts: 2, source: "sitemaps" });
    await world.runToEnd(crawl);
    expect(asked).toEqual([false, true]);
  });

  test("is not asked for leniently if the last attempt got an answer", async () => {
    const world = new World(() => ({ links: [] }));
    const asked: (boolean | undefined)[] = [];
    world.deps.fetchPage = async ({ isLenient }): Promise<FetchResult> => {
      asked.push(isLenient);
      return { ...drop, httpStatus: 200, retryable: true, dropped: false, unexplained: false };
    };
    const crawl = await world.start(["https://a.test/"], { maxAttempts: 2 });
    await world.runToEnd(crawl);
    expect(asked).toEqual([false, false]);
  });
});

/** Crawls a page whose lane was lost after its file was written. */
async function crawlLost(options: Partial<CrawlOptions>) {
  const world = new World(() => ({ links: [] }));
  const url = "https://a.test/";
  const crawl = await world.start([url], { store: "files", ...options });
  const body = new TextEncoder().encode("<p>cut");
  const facts = { contentType: "text/html", httpStatus: 200, sha256: "0", headers: [], fetchedAt: 1 };
  await world.deps.mirror.put({ crawl, url, body, ...facts, truncated: "disconnect" });
  const gateOf = world.deps.gate;
  world.deps.gate = (host) => {
    const stub = gateOf(host);
    const admit: typeof stub.admit = async (request) => {
      const admission = await stub.admit(request);
      const verdicts = admission.verdicts.map((verdict) =>
        verdict.kind === "go" ? { ...verdict, lost: true } : verdict,
      );
      return { ...admission, verdicts };
    };
    return { ...stub, admit };
  };
  await world.runToEnd(crawl);
  const row = await env.LEDGER.prepare("SELECT status, truncated FROM urls WHERE crawl = ?1").bind(crawl).first();
  return { row, fetched: world.fetched };
}

test("a page of a lost lane that the mirror holds keeps the mark of a broken body", async () => {
  expect(await crawlLost({})).toEqual({ row: { status: "completed", truncated: "disconnect" }, fetched: [] });
});

test("a page of a lost lane that a browser is to draw is fetched again: the mirror has what its server sent", async () => {
  const { fetched } = await crawlLost({ render: "always" });
  expect(fetched).toEqual(["https://a.test/"]);
});

test("each request says how long the lane's lease allows: at least its timeout, and never beyond the lease", async () => {
  const world = new World(() => ({ links: [] }));
  const urls = Array.from({ length: 5 }, (_, i) => `https://a.test/p${i}`);
  const allowed: { from: number; leaseMs: number }[] = [];
  let leaseEndsAt = 0;
  const { fetchPage, gate: gateOf } = world.deps;
  world.deps.gate = (host) => {
    const stub = gateOf(host);
    const admit: typeof stub.admit = async (request) => {
      const admission = await stub.admit(request);
      leaseEndsAt = (admission.lane?.lastStartAt ?? 0) + request.policy.timeoutMs;
      return admission;
    };
    return { ...stub, admit };
  };
  world.deps.fetchPage = async (request, secrets) => {
    allowed.push({ from: world.now, leaseMs: request.leaseMs ?? 0 });
    return fetchPage(request, secrets);
  };
  const crawl = await world.start(urls, {
    timeoutMs: 7_000,
    politeness: { ...DEFAULT_POLITENESS, minDelayMs: 1_000, delayFactor: 0 },
  });
  await consume(hintsOf(crawl, urls), world.deps, "all");
  expect(allowed.length).toBeGreaterThan(1);
  for (const { from, leaseMs } of allowed) {
    expect(from + leaseMs).toBe(leaseEndsAt);
    expect(leaseMs).toBeGreaterThanOrEqual(7_000);
  }
});

test.each([
  ["pause", "POST", (id: string) => `/api/crawls/${id}/pause`],
  ["cancel", "POST", (id: string) => `/api/crawls/${id}/cancel`],
  ["cancel", "DELETE", (id: string) => `/v2/crawl/${id}`],
  ["cancel", "DELETE", (id: string) => `/client/v4/accounts/one/browser-rendering/crawl/${id}`],
])("a lane ends with the page under way when somebody asks for %s by %s", async (act, method, pathOf) => {
  const urls = Array.from({ length: 10 }, (_, at) => `https://h0.test/${at}`);
  const world = new World(() => ({ links: [] }));
  Object.assign(world.deps, { workload });
  const crawl = await world.start(urls, { politeness: { ...DEFAULT_POLITENESS, minDelayMs: 1_000 } });
  const { fetchPage } = world.deps;
  world.deps.fetchPage = async (request, secrets) => {
    if (world.fetched.length === 2) {
      const init = { method, headers: { authorization: "Bearer test-token" } };
      const answer = await app.request(pathOf(crawl), init, env, createExecutionContext());
      expect(answer.status).toBe(200);
    }
    return fetchPage(request, secrets);
  };
  while (world.inMotion > 0) await world.turn();
  expect(world.fetched).toHaveLength(3);
  // URLs that a cancel has settled take no result.
  expect(await completed(world, crawl)).toBe(act === "pause" ? 3 : 0);
  if (act === "cancel") return;
  world.deps.fetchPage = fetchPage;
  expect(await resumeCrawl(crawl, world.deps)).toBe(true);
  await world.runToEnd(crawl);
  expect(world.fetched.toSorted()).toEqual(urls.toSorted());
  expect(await completed(world, crawl)).toBe(10);
});

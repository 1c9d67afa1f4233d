import { afterEach, expect, test, vi } from "vitest";
import type { Crawl } from "../../src/crawl/crawl.ts";
import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import { Gatekeeper } from "../../src/host/gatekeeper.ts";
import { LEASE_MARGIN_MS } from "../../src/host/host-state.ts";
import { mirrorKey } from "../../src/store/mirror/mirror-key.ts";
import { expectPolite } from "./platform/checks.ts";
import { finish } from "./platform/deeds.ts";
import type { HookRules } from "./platform/hook.ts";
import { Platform } from "./platform/platform.ts";
import { clear, withStorage } from "./platform/storage.ts";
import type { Web } from "./platform/web.ts";

/** What a lane waits for ends with the lane, whatever it is, and costs no URL. */

const SEED = "https://h.test/";
const PAGES = [1, 2, 3, 4].map((n) => `${SEED}p${n}`);
const HOUR_MS = 3_600_000;
const TIMEOUT_MS = 1_000;

const web: Web = (url) => {
  const { pathname } = new URL(url);
  if (pathname === "/robots.txt") return { kind: "status", status: 404 };
  const links = pathname === "/" ? PAGES : /p\d$/.test(pathname) ? [`${url}/more`] : [];
  return { kind: "page", links };
};

afterEach(() => {
  vi.restoreAllMocks();
});

/** How long each lane held its host beyond its lease, in milliseconds; below 0 if it was given back before. */
function watchLanes(platform: Platform): () => number[] {
  const endsAt = new Map<string, number>();
  const late: number[] = [];
  const { admit, settle } = Gatekeeper.prototype;
  vi.spyOn(Gatekeeper.prototype, "admit").mockImplementation(async function (this: Gatekeeper, request) {
    const admission = await admit.call(this, request);
    const { lane } = admission;
    if (lane !== null) endsAt.set(lane.token, lane.lastStartAt + request.policy.timeoutMs + LEASE_MARGIN_MS);
    return admission;
  });
  vi.spyOn(Gatekeeper.prototype, "settle").mockImplementation(async function (this: Gatekeeper, report) {
    late.push(platform.time.now() - (endsAt.get(report.token) ?? Number.NaN));
    return settle.call(this, report);
  });
  return () => {
    expect(late).toHaveLength(endsAt.size);
    return late;
  };
}

async function crawlWith(
  disturb: (platform: Platform) => void,
  changes: Partial<CrawlOptions>,
  hook: HookRules | null = null,
  site = web,
) {
  const result = { crawl: null as Crawl | null, seconds: 0, late: [] as number[], fetched: [] as string[] };
  const bodies: (string | null)[] = [];
  await withStorage(async (storage) => {
    clear(storage);
    const platform = new Platform(storage, { seed: 1, web: site, hook });
    disturb(platform);
    const lanes = watchLanes(platform);
    const startedAt = platform.time.now();
    await platform.run(async () => {
      const id = await platform.start([SEED], { timeoutMs: TIMEOUT_MS, ...changes });
      result.crawl = (await finish(platform, id, null)) as Crawl;
      result.seconds = (platform.time.now() - startedAt) / 1_000;
      for (const url of [SEED, ...PAGES]) bodies.push(platform.bucket.objects.has(mirrorKey(id, url)) ? url : null);
    });
    result.late = lanes();
    expectPolite(platform, { delayMs: 1_000 });
    expect(platform.frontier.counts.dead).toBe(0);
    result.fetched = platform.web.requests.map(({ url }) => url).filter((url) => !url.endsWith("/robots.txt"));
  });
  expect(result.crawl?.counters).toMatchObject({ discovered: 9, completed: 9, errored: 0 });
  return { ...result, bodies };
}

/** The first write of an object of which this is true ends after an hour, or with its invocation. */
function hangOnce(platform: Platform, concerns: (key: string) => boolean): void {
  const bindingOf = platform.bucket.bindingOf.bind(platform.bucket);
  let hasHung = false;
  platform.bucket.bindingOf = (invocation) => {
    const bucket = bindingOf(invocation);
    const put = async (key: string, ...given: unknown[]) => {
      if (!hasHung && concerns(key)) {
        hasHung = true;
        // It takes the body and does not answer. A body that nobody reads would hold the test's object.
        await new Response(given[0] as BodyInit).arrayBuffer();
        await platform.time.sleep(HOUR_MS);
        throw new Error("Network connection lost.");
      }
      return (bucket.put as (...all: unknown[]) => Promise<unknown>)(key, ...given);
    };
    return { ...bucket, put } as unknown as R2Bucket;
  };
}

test("a page whose file the mirror does not take in time comes again alone, and its host goes on", async () => {
  const run = await crawlWith((platform) => hangOnce(platform, (key) => key.includes("p2")), { store: "files" });
  expect(run.seconds).toBeLessThan(150);
  expect(Math.max(...run.late)).toBeLessThanOrEqual(0);
  expect(run.fetched.toSorted()).toEqual(
    [SEED, `${SEED}p2`, ...PAGES, ...PAGES.map((url) => `${url}/more`)].toSorted(),
  );
  expect(run.bodies).toEqual([SEED, ...PAGES]);
});

test("a document that the mirror does not take in time comes again, and its host goes on", async () => {
  const sent = { bytes: 5_000, pieces: 1, pieceMs: 1, hasLength: true, end: "whole" as const };
  const document = { ...sent, reading: { ms: 100, deaths: 0, failures: 0 } };
  const run = await crawlWith(
    (platform) => hangOnce(platform, (key) => key.includes("/documents/")),
    { store: "warc", documents: ["pdf"] },
    null,
    (url, ...when) =>
      url === `${SEED}p2` ? { kind: "document", ...document, links: [`${url}/more`] } : web(url, ...when),
  );
  expect(run.seconds).toBeLessThan(150);
  expect(Math.max(...run.late)).toBeLessThanOrEqual(0);
  expect(run.fetched.filter((url) => url === `${SEED}p2`)).toHaveLength(2);
  expect(run.fetched).toHaveLength(10);
});

test("pages whose pack the mirror does not take in time come again", async () => {
  const run = await crawlWith((platform) => hangOnce(platform, (key) => key.includes("/packs/")), { store: "warc" });
  expect(run.seconds).toBeLessThan(150);
  expect(Math.max(...run.late)).toBeLessThanOrEqual(0);
  expect(run.fetched.filter((url) => url === SEED)).toHaveLength(2);
  expect(run.fetched).toHaveLength(10);
});

test("a hook that takes longer than the lane keeps no host, and is asked about no page twice for that", async () => {
  const asked: string[] = [];
  const slow = (platform: Platform) => {
    const { hook } = platform;
    if (hook === null) throw new Error("no hook");
    const callerOf = hook.callerOf.bind(hook);
    hook.callerOf = (invocation) => {
      const caller = callerOf(invocation);
      const pagesRead = caller.pagesRead.bind(caller);
      // Many calls in a row, each of which ends in time, together take as long.
      caller.pagesRead = async (pages) => {
        asked.push(...pages.map(({ url }) => url));
        await platform.time.sleep(60_000);
        return pagesRead(pages);
      };
      return caller;
    };
  };
  const run = await crawlWith(slow, { store: "warc" }, new Map());
  expect(Math.max(...run.late)).toBeLessThanOrEqual(0);
  expect(run.fetched).toHaveLength(9);
  expect(asked).toHaveLength(9);
});

import { expect, test } from "vitest";
import type { CrawlOptions } from "../../../src/crawl/crawl-options.ts";
import "../silence-log.ts";
import { endsOf, expectDrawn, expectMirrored, expectPolite } from "./checks.ts";
import { finish } from "./deeds.ts";
import type { PageDrawn } from "./drawn-page.ts";
import { Platform, type PlatformOptions } from "./platform.ts";
import { clear, withStorage } from "./storage.ts";
import type { Answer } from "./web.ts";

/** The model's drawn pages: the real fetcher and gateway, and a browser that has three places. */

const HOME = "https://a.test/";
const SHELL: PageDrawn = { isShell: true, hasGain: true, needs: [], scriptMs: 1_000 };

interface Found {
  ends: string[];
  rendered: (string | null)[];
  requests: { url: string; from: number; ms: number }[];
  seconds: number;
  platform: Platform;
}

/** Crawls what these URLs answer, by the number of earlier requests. */
async function crawl(
  answers: Record<string, (attempt: number) => Answer>,
  crawlOptions: Partial<CrawlOptions>,
  options: Partial<PlatformOptions> = {},
): Promise<Found> {
  let found: Found | undefined;
  await withStorage(async (storage) => {
    clear(storage);
    const web = (url: string, attempt: number): Answer => answers[url]?.(attempt) ?? { kind: "status", status: 404 };
    const platform = new Platform(storage, { seed: 1, consumers: 1, web, ...options });
    await platform.run(async () => {
      const id = await platform.start([HOME], { includeExternalLinks: true, ...crawlOptions });
      const state = await finish(platform, id, null);
      if (state === null) throw new Error("the crawl is gone");
      const ends = await endsOf(platform, id);
      await expectMirrored(state, ends, platform.reader);
      expectDrawn(platform, state);
      const rows = platform.database.rows<{ rendered: string | null }>(
        "SELECT rendered FROM urls WHERE crawl = ?1 ORDER BY url",
        id,
      );
      const own = platform.web.requests.filter(({ url }) => !url.endsWith("/robots.txt"));
      const from = own[0]?.startedAt ?? 0;
      found = {
        ends,
        rendered: rows.map(({ rendered }) => rendered),
        requests: own.map(({ url, startedAt, endedAt }) => ({ url, from: startedAt - from, ms: endedAt - startedAt })),
        seconds: state.usage.browserSeconds ?? 0,
        platform,
      };
    });
    const { delayFactor = 0 } = crawlOptions.politeness ?? {};
    expectPolite(platform, { delayMs: 1_000, delayFactor, maxDelayMs: 5_000 });
  });
  if (found === undefined) throw new Error("nothing was crawled");
  return found;
}

const page =
  (drawn: PageDrawn, links: string[] = []) =>
  (): Answer => ({ kind: "page", links, drawn });
const script = (): Answer => ({ kind: "script", isBusy: false });

test("a drawn page's requests go one at a time, and then its host rests by the whole visit", async () => {
  const needs = [`${HOME}a?js`, `${HOME}b?js`];
  const politeness = {
    ...{ minDelayMs: 1_000, maxDelayMs: 5_000, delayFactor: 2 },
    ...{ maxConcurrencyPerHost: 1, maxBytesPerSecond: 0 },
  };
  const answers = {
    [HOME]: page({ ...SHELL, needs }, [`${HOME}1`]),
    [`${HOME}1`]: page(SHELL),
    [needs[0] as string]: script,
    [needs[1] as string]: script,
  };
  const { ends, requests, seconds, rendered } = await crawl(answers, { render: "always", politeness });
  expect(ends).toEqual([`${HOME} completed null`, `${HOME}1 completed null`]);
  expect(rendered).toEqual(Array(2).fill("the crawl renders every page"));
  expect(requests.map(({ url }) => url)).toEqual([HOME, ...needs, `${HOME}1`]);
  // Three requests of 15 ms and a second of scripts, and twice as much rest.
  expect(requests[3]?.from).toBeGreaterThanOrEqual(3 * 1_045);
  // With questions to the gate.
  expect(seconds).toBeGreaterThan(2.03);
  expect(seconds).toBeLessThan(2.5);
});

test("scripts on another host take a lane there, and a host without a place in time refuses them", async () => {
  const needs = ["https://b.test/a?js"];
  const answers = {
    [HOME]: page({ ...SHELL, needs }, ["https://b.test/"]),
    // Holds its host for long.
    "https://b.test/": (): Answer => ({ kind: "page", links: [], bodyMs: 14_000 }),
    "https://b.test/a?js": script,
  };
  const { requests, ends } = await crawl(answers, { render: "always" });
  expect(ends.every((end) => end.endsWith("completed null"))).toBe(true);
  expect(requests.map(({ url }) => url)).toEqual([HOME, "https://b.test/a?js", "https://b.test/"]);
});

test("with render auto a shell is drawn, until drawing such pages has brought nothing", async () => {
  const urls = Array.from({ length: 8 }, (_, i) => `${HOME}${i}`);
  const none = { ...SHELL, hasGain: false };
  const whole = { ...SHELL, isShell: false };
  const answers = {
    [HOME]: page(whole, urls),
    ...Object.fromEntries(urls.map((url) => [url, page(none)])),
  };
  const { ends, rendered } = await crawl(answers, { render: "auto" });
  expect(ends.length).toBe(9);
  expect(rendered[0]).toBeNull();
  const drawn = rendered.filter((why) => why !== null);
  expect(drawn.length).toBeGreaterThanOrEqual(3);
  expect(drawn.length).toBeLessThan(8);
});

test("a page that finds no place in the browser in time is given back, without an attempt", async () => {
  const hosts = Array.from({ length: 20 }, (_, i) => `https://h${i}.test/`);
  const slow = { ...SHELL, scriptMs: 14_000 };
  const answers = { [HOME]: page(SHELL, hosts), ...Object.fromEntries(hosts.map((url) => [url, page(slow)])) };
  const { ends, platform } = await crawl(
    answers,
    { render: "always", maxAttempts: 1, timeoutMs: 5_000 },
    { consumers: 10 },
  );
  expect(ends.map((end) => end.split(" ")[1])).toEqual(Array(21).fill("completed"));
  expect(platform.web.browser.givenBack.size).toBeGreaterThan(0);
});

test("a page whose scripts take too long is drawn as far as they came", async () => {
  const { platform } = await crawl({ [HOME]: page({ ...SHELL, scriptMs: 60_000 }) }, { render: "always" });
  expect(platform.web.browser.counts).toMatchObject({ drawn: 0, unfinished: 1, billedMs: 15_000 });
});

test("a script whose server is busy does not keep its page, and its host rests longer", async () => {
  const url = `${HOME}a?js`;
  const answers = {
    [HOME]: page({ ...SHELL, needs: [url] }, [`${HOME}1`]),
    [`${HOME}1`]: page(SHELL),
    [url]: (): Answer => ({ kind: "script", isBusy: true }),
  };
  const { ends, requests } = await crawl(answers, { render: "always" });
  expect(ends.map((end) => end.split(" ")[1])).toEqual(["completed", "completed"]);
  expect(requests[2]?.from).toBeGreaterThanOrEqual(10_000);
});

test("a browser that breaks costs an attempt", async () => {
  const found = new Set<string>();
  for (let seed = 0; seed < 20 && found.size < 2; seed++) {
    const faults = { rate: 0.1, budget: 1, kills: 0 };
    const { platform, ends } = await crawl({ [HOME]: page(SHELL) }, { render: "always" }, { faults, seed });
    const drawings = platform.web.requests.filter(({ visit }) => visit !== null).length;
    expect(ends).toEqual([`${HOME} completed null`]);
    if (platform.faults.total === (platform.faults.counts["browser breaks"] ?? 0))
      found.add(`${platform.web.browser.counts.broken} broken, ${drawings} drawings`);
  }
  expect([...found].sort()).toEqual(["0 broken, 1 drawings", "1 broken, 2 drawings"]);
});

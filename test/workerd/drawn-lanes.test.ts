import { expect, test } from "vitest";
import type { PageFetched } from "../../src/crawl/page/outcome.ts";
import { Places } from "../../src/fetch/browser/places.ts";
import { renderPage } from "../../src/fetch/browser/render-page.ts";
import { Deadline } from "../../src/fetch/transport/deadline.ts";
import { modelSession, OPEN_GATEWAY } from "./model-session.ts";
import { endsOf, expectPolite } from "./platform/checks.ts";
import { finish } from "./platform/deeds.ts";
import { Platform } from "./platform/platform.ts";
import { clear, withStorage } from "./platform/storage.ts";
import "./silence-log.ts";

/** Lanes of several hosts wait for one browser: no drawing outlives the lease of its lane. */

const TIMEOUT_MS = 5_000;

/** `drawMs`: how long a drawing takes, by its number. */
async function crawl(hosts: number, pages: number, pagesAtOnce: number, drawMs: (drawing: number) => number) {
  const found = { ends: [] as string[], drawn: [] as string[], fetched: 0, lateMs: [] as number[] };
  await withStorage(async (storage) => {
    clear(storage);
    const homes = Array.from({ length: hosts }, (_, i) => `https://h${i}.test/`);
    const platform = new Platform(storage, {
      seed: 1,
      web: (url) => {
        const { pathname, origin } = new URL(url);
        if (pathname === "/robots.txt") return { kind: "robots", forbids: false };
        const links = pathname === "/" ? Array.from({ length: pages - 1 }, (_, i) => `${origin}/${i}`) : [];
        return { kind: "page", links, headersMs: 200 };
      },
    });
    const { time, web } = platform;
    const { BROWSER, BROWSER_SESSION } = modelSession(async ({ url }) => {
      const browserMs = drawMs(found.drawn.length);
      found.drawn.push(url);
      await time.sleep(browserMs);
      const links = pages > 1 && new URL(url).pathname === "/" ? [...Array(pages - 1).keys()] : [];
      return { html: `<p>${url}${links.map((link) => `<a href=/${link}>x</a>`).join("")}`, browserMs };
    }, new Places(pagesAtOnce));
    const env = { ALLOW_PRIVATE: "false", BROWSER, BROWSER_SESSION } as unknown as Env;
    const fetchPlain = web.fetchPage.bind(web);
    web.fetchPage = async (invocation, request, secrets, mirror) => {
      const startedAt = time.now();
      const deadline = new Deadline(request.timeoutMs, request.leaseMs);
      const plain = await fetchPlain(invocation, request, secrets, mirror);
      const visit = web.requests.findLast(({ url }) => url === request.url);
      const { render } = request;
      if (plain.kind !== "page" || render === null || visit === undefined) return plain;
      found.fetched += 1;
      // What the browser does until the page is drawn is a part of the visit.
      visit.endedAt = Number.POSITIVE_INFINITY;
      const answer = { httpStatus: 200, headers: [], body: plain.body, date: startedAt };
      const elapsed = () => time.now() - startedAt;
      const rendering = renderPage(
        { ...plain, capture: null } satisfies PageFetched,
        answer,
        "asked",
        { ...request, render, capture: null },
        OPEN_GATEWAY,
        env,
        deadline,
        elapsed,
      );
      const { page } = await time.native(() => deadline.exclude(rendering));
      deadline.stop();
      visit.endedAt = time.now();
      found.lateMs.push(visit.endedAt - startedAt - (request.leaseMs ?? 0));
      return page.kind === "given-back" ? page : { ...plain, durationMs: elapsed() };
    };
    await platform.run(async () => {
      const id = await platform.start(homes, { render: "always", timeoutMs: TIMEOUT_MS, maxAttempts: 1 });
      const state = await finish(platform, id, null);
      expect(state?.lastFailure ?? null).toBeNull();
      found.ends = await endsOf(platform, id);
    });
    expectPolite(platform, { delayMs: 1_000 });
    expect(platform.errors).toEqual([]);
  });
  return found;
}

test.each([
  ["one place and slow pages", 8, 3, 1, () => 12_000],
  ["three places and slow pages", 12, 2, 3, () => 14_000],
  ["one place and pages of all kinds", 8, 4, 1, (drawing: number) => [100, 15_000, 2_000, 9_000][drawing % 4] ?? 0],
] as const)("%s: each is drawn once, within its lease", async (_, hosts, pages, pagesAtOnce, drawMs) => {
  const { ends, drawn, fetched, lateMs } = await crawl(hosts, pages, pagesAtOnce, drawMs);
  expect(ends.map((end) => end.split(" ").slice(1).join(" "))).toEqual(Array(hosts * pages).fill("completed null"));
  expect(drawn.toSorted()).toEqual(ends.map((end) => end.split(" ")[0]).toSorted());
  expect(Math.max(...lateMs)).toBeLessThanOrEqual(0);
  // Some have waited too long, and came back.
  expect(fetched).toBeGreaterThan(hosts * pages);
});

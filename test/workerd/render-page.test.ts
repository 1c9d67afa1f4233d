import { env } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { PageFetched, PageRejected } from "../../src/crawl/page/outcome.ts";
import { DEFAULT_ACTIONS } from "../../src/crawl/page/page-actions.ts";
import { Places } from "../../src/fetch/browser/places.ts";
import type { RenderGateway } from "../../src/fetch/browser/render-gateway.ts";
import { renderPage } from "../../src/fetch/browser/render-page.ts";
import { readPage } from "../../src/fetch/reading/read-page.ts";
import type { PageRequest, RenderOptions } from "../../src/fetch/request/page-request.ts";
import { Deadline } from "../../src/fetch/transport/deadline.ts";
import { modelSession, OPEN_GATEWAY, type SessionBindings } from "./model-session.ts";
import { PAGE_REQUEST } from "./page-request.ts";
import { World } from "./world.ts";

/** What becomes of a page whose scripts are on a busy host, and of one for which the browser has no place. */

const URL = "https://a.test/";
const SHELL =
  "<title>Shop</title><script src=https://cdn.test/a.js></script><script src=https://cdn.test/b.js></script>";
const TEXT = "Words that only a script brings, and enough of them to count as a gain. ".repeat(5);
const RENDER: RenderOptions = {
  ...{ mode: "auto", actions: DEFAULT_ACTIONS, crawl: "crawl", screenshot: false, redraws: true },
};

beforeEach(() => {
  vi.stubGlobal(
    "fetch",
    vi.fn(async () => new Response("script")),
  );
});
afterEach(() => vi.unstubAllGlobals());

/** A browser whose page shows its text if all of its scripts come. `crawl`: pages of one share scripts. */
function browserOf(pagesAtOnce = 3) {
  return modelSession(async (_, answer) => {
    const scripts = ["a", "b"].map((name) => `https://cdn.test/${name}.js`);
    const asked = scripts.map((url) => answer({ url, method: "GET", kind: "script", headers: {} }));
    const isWhole = (await Promise.all(asked)).every((found) => !("refused" in found));
    return { html: `<title>Shop</title><p>${isWhole ? TEXT : ""}`, browserMs: 10 };
  }, new Places(pagesAtOnce));
}

const BUSY: RenderGateway = { ...OPEN_GATEWAY, enter: async () => ({ kind: "refused", why: "busy" }) };

async function render(
  gateway: RenderGateway,
  options: Partial<RenderOptions> = {},
  { asked = {}, leaseMs = 60_000 }: { asked?: Partial<PageRequest>; leaseMs?: number } = {},
  session = browserOf(),
) {
  const request = { ...PAGE_REQUEST, url: URL, ...asked, capture: null, render: { ...RENDER, ...options } };
  const body = new TextEncoder().encode(SHELL);
  const answer = { httpStatus: 200, headers: [], body, date: 0 };
  const plain = (await readPage({ ...answer, contentType: "text/html" }, request, 5, 0)) as PageFetched;
  const deadline = new Deadline(1_000, leaseMs);
  const bindings = { ...env, ALLOW_PRIVATE: "true", ...session } as unknown as Env;
  try {
    const rendering = renderPage(plain, answer, "it is a shell", request, gateway, bindings, deadline, () => 20);
    return (await deadline.exclude(rendering)).page;
  } finally {
    deadline.stop();
  }
}

describe("a page whose scripts are on a busy host", () => {
  test("is to be drawn again, and teaches nothing", async () => {
    const page = await render(BUSY, { crawl: "again" });
    expect(page).toMatchObject({ kind: "rejected", reason: "render", retryable: true, hostFailed: false });
    expect((page as PageRejected).detail).toContain("2 of its requests were not sent");
    expect(page).not.toHaveProperty("lesson");
  });

  test("is kept with what is missing where it is not drawn again, and teaches nothing", async () => {
    const page = await render(BUSY, { crawl: "kept", redraws: false });
    expect(page).toMatchObject({ kind: "page", rendering: { refused: { busy: 2 }, sent: 0 } });
    expect(page).not.toHaveProperty("lesson");
  });

  test("teaches what a browser brings as soon as the host is free", async () => {
    const page = await render(OPEN_GATEWAY, { crawl: "free" });
    expect(page).toMatchObject({ kind: "page", rendering: { refused: {}, sent: 2 }, lesson: { hasGained: true } });
  });

  test("whose gate has not answered when the page is drawn is busy, and nothing is sent to it afterwards", async () => {
    const asked = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<Awaited<ReturnType<RenderGateway["enter"]>>>();
    const hanging: RenderGateway = {
      ...OPEN_GATEWAY,
      enter: async () => {
        asked.resolve();
        return gate.promise;
      },
    };
    const session = modelSession(async (_, answer) => {
      void answer({ url: "https://cdn.test/a.js", method: "GET", kind: "script", headers: {} });
      await asked.promise;
      return { html: "<p>drawn", browserMs: 10 };
    });
    const page = await render(hanging, { crawl: "hanging", redraws: false }, {}, session);
    gate.resolve({ kind: "go", headers: {}, mayBePrivate: true });
    expect(page).toMatchObject({ kind: "page", rendering: { refused: { busy: 1 }, sent: 0 } });
    expect(fetch).not.toHaveBeenCalled();
  });

  /** A crawl of one page. `busy`: how often the host of its scripts is busy. */
  async function crawl(busy: number) {
    const world = new World(() => ({ links: [] }));
    const lessons: unknown[] = [];
    let draws = 0;
    world.deps.fetchPage = async (request) => {
      world.fetched.push(request.url);
      const gateway = draws++ < busy ? BUSY : OPEN_GATEWAY;
      const redraws = request.render?.redraws ?? false;
      const result = await render(gateway, { crawl: `busy ${busy}`, redraws }, { asked: request });
      if (result.kind === "page") lessons.push(result.lesson);
      return result;
    };
    const id = await world.start([URL], { render: "auto", store: "files" });
    await world.runToEnd(id);
    const row = await env.LEDGER.prepare("SELECT status, rendered FROM urls WHERE crawl = ?1").bind(id).first();
    return { row, lessons, draws };
  }

  test("that is free at last is drawn with them", async () => {
    const { row, lessons, draws } = await crawl(1);
    expect(row).toEqual({ status: "completed", rendered: "it is a shell" });
    expect(lessons).toMatchObject([{ hasGained: true }]);
    expect(draws).toBe(2);
  });

  test("that is never free is drawn three times, and its record says what is missing", async () => {
    const { row, lessons, draws } = await crawl(Number.POSITIVE_INFINITY);
    const rendered = "it is a shell; without 2 of its requests, because their hosts were busy";
    expect(row).toEqual({ status: "completed", rendered });
    expect(lessons).toEqual([undefined]);
    expect(draws).toBe(3);
  });
});

describe("a page", () => {
  test("for which the browser has no place in time is given back: no plain page, no lesson", async () => {
    const page = await render(OPEN_GATEWAY, { crawl: "no place" }, { leaseMs: 45_100 }, browserOf(0));
    expect(page).toEqual({
      ...{ kind: "given-back", lacks: "browser", httpStatus: 200, retryAfterMs: null },
      durationMs: expect.any(Number),
    });
    // The wait is none of the host's time.
    expect(page.durationMs).toBeLessThan(100);
  });

  test("that its lease leaves no time to draw is given back at once", async () => {
    const page = await render(OPEN_GATEWAY, { crawl: "no lease" }, { leaseMs: 30_000 });
    expect(page).toMatchObject({ kind: "given-back", lacks: "browser" });
  });

  test.each([true, false])(
    "that takes too much is rejected as too complex, and tried again only where it may pass",
    async (retryable) => {
      const failed = {
        kind: "failed",
        reason: "too-complex",
        detail: "too many requests",
        isOurs: false,
        retryable,
      } as const;
      const session = { draw: async () => ({ ...failed, browserMs: 10, billedMs: 10 }) };
      const bindings = { BROWSER: {}, BROWSER_SESSION: { idFromName: (name: string) => name, get: () => session } };
      const page = await render(OPEN_GATEWAY, { crawl: "too much" }, {}, bindings as unknown as SessionBindings);
      expect(page).toMatchObject({ kind: "rejected", reason: "too-complex", detail: "too many requests", retryable });
      expect(page).toMatchObject({ hostFailed: false, billedMs: 10 });
    },
  );

  test("is drawn in the time that its lease leaves", async () => {
    const asked: number[] = [];
    const session = modelSession(async ({ timeoutMs, patienceMs }) => {
      asked.push(timeoutMs, patienceMs);
      return { html: "<p>drawn", browserMs: 10 };
    });
    for (const leaseMs of [34_000, 50_000])
      expect(await render(OPEN_GATEWAY, { crawl: "short" }, { leaseMs }, session)).toMatchObject({ kind: "page" });
    const [shortMs = 0, none, wholeMs, patienceMs = 0] = asked;
    expect([none, wholeMs]).toEqual([0, 15_000]);
    expect(shortMs).toBeLessThanOrEqual(4_000);
    expect(patienceMs).toBeLessThanOrEqual(5_000);
  });
});

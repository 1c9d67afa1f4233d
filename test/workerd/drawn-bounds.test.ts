import { afterEach, describe, expect, test, vi } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { DEFAULT_ACTIONS } from "../../src/crawl/page/page-actions.ts";
import { drawPage, preparePage } from "../../src/fetch/browser/draw-page.ts";
import type { AskedResource, DrawRequest, ResourceAnswer } from "../../src/fetch/browser/drawing.ts";
import { asked, ModelChrome, type PageScript } from "./model-chrome.ts";

/** What a page can make its browser send: beyond each bound it ends alone, and what follows is dropped unread. */

const EMPTY: ResourceAnswer = { status: 200, headers: [], body: new Uint8Array(0) };
const times = (count: number, work: (at: number) => void) => {
  for (let at = 0; at < count; at++) work(at);
};

function requestOf(url: string, timeoutMs: number): DrawRequest {
  return {
    ...{ url, userAgent: "Test/1", answer: EMPTY, patienceMs: 1_000, timeoutMs, screenshot: false },
    actions: DEFAULT_ACTIONS,
  };
}

/** Draws the page of this script, and a quiet page beside it. */
async function draw(script: PageScript, chrome = new ModelChrome(), timeoutMs = 5_000) {
  const given: AskedResource[] = [];
  chrome.serve("https://a.test/", script);
  chrome.serve("https://b.test/", (emit) => emit("Fetch.requestPaused", asked(1)));
  const parse = vi.spyOn(JSON, "parse");
  const drawn = await Promise.all(
    ["https://a.test/", "https://b.test/"].map((url) =>
      drawPage(chrome.browser, preparePage(chrome.browser), requestOf(url, timeoutMs), async (resource) => {
        given.push(resource);
        return { refused: resource.kind };
      }),
    ),
  );
  const parsed = parse.mock.calls.length;
  parse.mockRestore();
  return { hostile: drawn[0], calm: drawn[1], given, parsed, chrome };
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("a page of which too much would cross", () => {
  const FLOODS: [name: string, script: PageScript, detail: string, mostGiven: number][] = [
    [
      "requests",
      (emit) => times(30_000, (at) => emit("Fetch.requestPaused", asked(at))),
      "more than 2,000 requests",
      2_001,
    ],
    [
      "addresses that it shows",
      (emit) =>
        times(30_000, (at) => emit("Page.navigatedWithinDocument", { frameId: "f", url: `https://a.test/${at}` })),
      "more than 10,000 events",
      1,
    ],
    [
      "frames",
      (emit) => times(30_000, (at) => emit("Page.frameAttached", { frameId: `${at}`, parentFrameId: "f" })),
      "more than 10,000 events",
      1,
    ],
    [
      "a body of megabytes",
      (emit) => emit("Fetch.requestPaused", asked(1, { method: "POST", postData: "x".repeat(2_000_000) })),
      "one of its requests or addresses has 2,000",
      1,
    ],
    [
      "a data: URL of megabytes that a frame shows",
      (emit) => emit("Page.frameRequestedNavigation", { url: `data:text/html,${"x".repeat(2_000_000)}` }),
      "one of its requests or addresses has 2,000",
      1,
    ],
    [
      "long URLs",
      (emit) =>
        times(200, (at) => emit("Fetch.requestPaused", asked(at, { url: `https://a.test/${"x".repeat(900_000)}` }))),
      "more than 67,108,864 characters",
      75,
    ],
  ];

  test.each(FLOODS)("ends alone: %s", async (_, script, detail, mostGiven) => {
    const { hostile, calm, given, parsed, chrome } = await draw(script);
    expect(hostile).toMatchObject({ kind: "failed", reason: "too-complex", isOurs: false, retryable: false });
    expect(hostile).toHaveProperty("detail", expect.stringContaining(detail));
    expect(calm).toMatchObject({ kind: "drawn", html: "<p>drawn" });
    expect(given.length).toBeLessThanOrEqual(mostGiven);
    // The model's own end of the connection parses the commands that it gets.
    const commands = [...chrome.counts.values()].reduce((sum, count) => sum + count, 0);
    expect(parsed - commands).toBeLessThanOrEqual(10_100);
    await expect.poll(() => chrome.counts.get("Target.disposeBrowserContext")).toBe(2);
  });

  test("is drawn as long as it stays within the bounds", async () => {
    const { hostile, given } = await draw((emit) => {
      times(1_900, (at) => emit("Fetch.requestPaused", asked(at)));
      times(2_000, (at) => emit("Page.frameAttached", { frameId: `${at}`, parentFrameId: "f" }));
      emit("Fetch.requestPaused", asked(5_000, { postData: "x".repeat(900_000) }));
    });
    expect(hostile).toMatchObject({ kind: "drawn" });
    expect(given).toHaveLength(1_902);
  });
});

describe("a page counts as still", () => {
  const TIMES: [name: string, takesMs: number, quietMs: number][] = [
    ["after 100 ms in a browser that answers at once", 0, 100],
    ["after five times as long as the browser took to take an answer", 40, 200],
    ["after a second in the slowest browser", 3_000, 1_000],
  ];

  test.each(TIMES)("%s", async (_, takesMs, quietMs) => {
    const chrome = new ModelChrome();
    let now = 0;
    vi.spyOn(systemClock, "now").mockImplementation(() => now);
    chrome.onCommand = (method) => {
      if (method === "Fetch.fulfillRequest") now += takesMs;
    };
    chrome.serve("https://a.test/", () => undefined);
    const request = requestOf("https://a.test/", 10_000);
    const drawn = await drawPage(chrome.browser, preparePage(chrome.browser), request, async () => EMPTY);
    expect(drawn).toMatchObject({ kind: "drawn", isUnfinished: false });
    expect(chrome.expressions[0]).toContain(`setTimeout(end, ${quietMs})`);
  });
});

describe("a page that ends or hangs", () => {
  test("whose process is ended is too complex, and may be drawn once more", async () => {
    const { hostile, calm } = await draw((emit) => emit("Inspector.targetCrashed", {}));
    expect(hostile).toMatchObject({ kind: "failed", reason: "too-complex", isOurs: false, retryable: true });
    expect(calm).toMatchObject({ kind: "drawn" });
  });

  const drawHanging = async (...unanswered: string[]) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const chrome = new ModelChrome();
    for (const method of unanswered) chrome.unanswered.add(method);
    const drawing = draw(() => undefined, chrome, 100);
    let isOver = false;
    void drawing.finally(() => {
      isOver = true;
    });
    while (!isOver) await vi.advanceTimersByTimeAsync(1_000);
    return drawing;
  };

  test("is too complex if the browser answers and the page does not", async () => {
    expect((await drawHanging("Runtime.evaluate")).hostile).toMatchObject({ reason: "too-complex", retryable: true });
  });

  test("is not drawn if the browser has not taken its document in time, and is not to blame", async () => {
    const { hostile, chrome } = await drawHanging("Fetch.fulfillRequest");
    expect(hostile).toMatchObject({ kind: "failed", reason: "render", isOurs: false, retryable: true });
    expect(hostile).toHaveProperty("detail", expect.stringContaining("had not begun to show it"));
    expect(chrome.browser.isOpen).toBe(true);
  });

  test("is not to blame if the browser itself does not answer: it is ended, and each of its pages is drawn alone", async () => {
    const { hostile, chrome } = await drawHanging("Runtime.evaluate", "Browser.getVersion");
    expect(hostile).toMatchObject({ kind: "failed", reason: "render", isOurs: true, retryable: true });
    expect(chrome.browser.isOpen).toBe(false);
  });

  test("is not to blame if the browser is gone", async () => {
    const chrome = new ModelChrome();
    const { hostile, calm } = await draw(() => chrome.die(), chrome);
    for (const drawing of [hostile, calm]) expect(drawing).toMatchObject({ reason: "render", isOurs: true });
  });
});

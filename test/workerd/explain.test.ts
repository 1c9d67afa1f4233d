import { createExecutionContext, env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import type { ExplainView } from "../../src/api/views.ts";
import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import type { Inspection } from "../../src/host/gate-protocol.ts";
import { explain } from "../../src/reading/explain/explain.ts";
import type { PrivateAccess } from "../../src/url/private-access.ts";
import { watchOf } from "./watched-world.ts";
import { type Web, World } from "./world.ts";

/** The answers of `explain` for crawls of a fake web. For the real gate see e2e/explain.long.test.ts. */

const WEB: Web = (url) => {
  const { pathname } = new URL(url);
  if (pathname === "/") return { links: ["https://a.test/one", "https://a.test/gone", "https://a.test/private/x"] };
  if (pathname === "/one") return { links: ["https://a.test/two"] };
  return pathname === "/gone" ? { status: 404 } : { links: [] };
};

async function runCrawl(changes: Partial<CrawlOptions> = {}) {
  const world = new World(WEB);
  const id = await world.start(["https://a.test/"], changes);
  await world.runToEnd(id);
  const crawl = await world.deps.ledger.crawl(id);
  if (crawl === null) throw new Error("no crawl");
  const ask = (url: string, access: PrivateAccess = "none") => explain(url, { crawl }, world.deps, access);
  return { world, crawl, ask };
}

const step = ({ steps }: { steps: ExplainView["steps"] }, name: string) => steps.find((each) => each.step === name);

describe("a crawl that has ended", () => {
  test("explains a completed page, in any spelling", async () => {
    const { ask } = await runCrawl();
    const answer = await ask(" https://me:pw@A.test/one?utm_source=x#top ");
    expect(answer).toMatchObject({ url: "https://a.test/one", verdict: "completed" });
    expect(answer.record).toMatchObject({ via: "https://a.test/", depth: 1 });
    expect(answer.steps.map(({ ok }) => ok)).not.toContain(false);
    const steps = ["url", "record", "scope", "trap", "own-host", "robots", "pace"];
    expect(answer.steps.map((each) => each.step)).toEqual(steps);
    expect(step(answer, "own-host")).toMatchObject({ rule: "listed", detail: expect.stringContaining("OWN_HOSTS") });
    for (const words of ["fragment", "password", "utm_source"]) expect(step(answer, "url")?.detail).toContain(words);
  });

  test("explains a seed, and a page that failed", async () => {
    const { ask } = await runCrawl({ excludePatterns: ["**"] });
    expect(step(await ask("https://a.test/"), "scope")).toMatchObject({ ok: true, rule: "seed" });
    const gone = await (await runCrawl()).ask("https://a.test/gone");
    expect(gone.verdict).toBe("errored");
    expect(gone.sentence).toContain("404");
    expect(step(gone, "record")).toMatchObject({ ok: false, rule: "http-status" });
  });

  test.each<[string, string, Partial<CrawlOptions>, string, string, string]>([
    ["off-host", "https://b.test/", {}, "scope", "off-host", "b.test"],
    ["excluded", "https://a.test/private/x", { excludePatterns: ["/private/**"] }, "scope", "excluded", "/private/**"],
    ["not included", "https://a.test/new", { includePatterns: ["/one"] }, "scope", "not-included", "/one"],
    ["too deep, without a record", "https://a.test/new", { depth: 0 }, "scope", "depth", "no record says"],
    ["too deep, when it was found", "https://a.test/two", { depth: 1 }, "record", "depth", "did not follow it"],
    ["a file", "https://a.test/x.zip", {}, "scope", "extension", ".zip"],
    ["a trap", "https://a.test/x/x/x/x", {}, "trap", "repeated-segments", "4 times"],
    ["private", "http://127.0.0.1/", { includeExternalLinks: true }, "scope", "private-address", "127.0.0.1"],
    ["no URL", "mailto:me@a.test", {}, "url", "invalid-url", "cannot be parsed"],
  ])("names the rule that refuses a URL, and sends no request: %s", async (_, url, changes, at, rule, words) => {
    const { world, ask } = await runCrawl(changes);
    world.deps.gate = () => {
      throw new Error("asked");
    };
    const answer = await ask(url);
    expect(answer).toMatchObject({ verdict: "refused", record: null, pace: null });
    expect(step(answer, at)).toMatchObject({ ok: false, rule });
    expect(step(answer, at)?.detail).toContain(words);
  });

  test("says which pages the page limit of their host keeps out, and how many it has", async () => {
    const { world, crawl, ask } = await runCrawl({ limitPerHost: 2 });
    const two = { ok: true, rule: "2 pages", detail: "the crawl has 2 of 2 pages of a.test" };
    for (const url of ["https://a.test/", "https://a.test/one"]) {
      const answer = await ask(url);
      expect(answer.verdict).toBe("completed");
      expect(step(answer, "host-limit")).toMatchObject(two);
    }
    const known = await ask("https://a.test/private/x");
    expect(known).toMatchObject({ verdict: "skipped", record: { reason: "host-limit" } });
    expect(step(known, "host-limit")).toMatchObject({ ok: false });
    const refused = await ask("https://a.test/new");
    expect(refused).toMatchObject({ verdict: "refused", record: null, pace: null });
    expect(refused.sentence).toContain("2 of 2 pages of a.test");
    expect(refused.sentence).toContain("--limit-per-host");
    // A media file counts towards no limit, and a host without pages has none to speak of.
    const media = { ...crawl, options: { ...crawl.options, media: true } };
    for (const url of ["https://a.test/film.mp4", "https://b.test/"])
      expect(step(await explain(url, { crawl: media }, world.deps, "none"), "host-limit")).toBeUndefined();
  });

  test("passes pages below the page limit of their host, and says nothing without one", async () => {
    const { ask } = await runCrawl({ limitPerHost: 9 });
    const answer = await ask("https://a.test/new");
    expect(answer.verdict).toBe("would be fetched");
    expect(step(answer, "host-limit")).toMatchObject({ ok: true, detail: "the crawl has 4 of 9 pages of a.test" });
    expect(step(await (await runCrawl()).ask("https://a.test/new"), "host-limit")).toBeUndefined();
  });

  test("would fetch a URL that it never found", async () => {
    const { ask } = await runCrawl();
    const answer = await ask("https://a.test/new");
    expect(answer.verdict).toBe("would be fetched");
    expect(answer.sentence).toContain("is over");
    expect(answer.pace).toMatchObject({ delayMs: 0, backoff: 0 });
  });
});

test("a watch may still find a URL", async () => {
  const { crawl, ask } = await runCrawl({ watch: watchOf(60_000) });
  expect(crawl.status).toBe("watching");
  expect((await ask("https://a.test/new")).sentence).toBe("The crawl has not found it yet; it would fetch it.");
});

describe("the gate's answer", () => {
  const quiet = { rule: null, agent: null, detail: null, fetchedAt: null, silentSince: null, retryAt: null };
  test.each<[string, Partial<Inspection>, Partial<Inspection["robots"]>, string, string]>([
    [
      "names the rule",
      {},
      { state: "read", allowed: false, rule: "Disallow: /x", agent: "*" },
      "disallowed",
      "Disallow: /x",
    ],
    [
      "waits while robots.txt fails",
      {},
      { state: "silent", allowed: null, detail: "it said 503", retryAt: 9e6 },
      "wait",
      "it said 503",
    ],
    ["waits until robots.txt is read", {}, { state: "later", allowed: null, retryAt: 9e6 }, "wait", "rests"],
    [
      "ends the URL if robots.txt was given up",
      {},
      { state: "given-up", allowed: false, detail: "silent for a day" },
      "errored",
      "silent for a day",
    ],
    [
      "waits during a back-off",
      { failures: 2, nextAt: 9e6 },
      { state: "allow-all", allowed: true },
      "wait",
      "2 times in a row",
    ],
    [
      "does not change if a lane holds the host",
      { busy: true, nextAt: 9e6 },
      { state: "own", allowed: true },
      "would be fetched",
      "would fetch it",
    ],
  ])("%s", async (_, changes, robots, verdict, words) => {
    const { world, ask } = await runCrawl();
    const base = { crawlDelayMs: null, nextAt: 0, failures: 0, busy: false, restMs: 1_000 };
    const inspection = {
      ...base,
      ...changes,
      robots: { ...quiet, state: "read", allowed: true, ...robots },
    } as Inspection;
    world.deps.gate = () => ({ inspect: async () => inspection }) as unknown as ReturnType<typeof world.deps.gate>;
    const answer = await ask("https://a.test/new");
    expect(answer.verdict).toBe(verdict);
    expect(answer.sentence.replace("would have fetched", "would fetch")).toContain(words);
    expect((await ask("https://a.test/one")).verdict).toBe("completed");
  });
});

describe("the API", () => {
  const silent = { sendBatch: async () => undefined } as unknown as Queue;
  async function call(method: string, path: string, body?: unknown, changes: Partial<Env> = {}) {
    const headers = { authorization: "Bearer test-token" };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await app.request(path, init, { ...env, FRONTIER: silent, ...changes }, createExecutionContext());
    return { status: response.status, json: (await response.json()) as { result: ExplainView; errors?: unknown } };
  }

  test("explains a URL without a crawl, creates no crawl and asks no private host", async () => {
    const crawls = () => env.LEDGER.prepare("SELECT count(*) AS n FROM crawls").first("n");
    const before = await crawls();
    const crawl = { url: "https://a.test/", options: { includeExternalLinks: true } };
    const body = { url: "http://10.0.0.1/x", crawl };
    const { status, json } = await call("POST", "/api/explain", body, { ALLOW_PRIVATE: "" });
    expect(status).toBe(200);
    expect(json.result).toMatchObject({ verdict: "refused", record: null, pace: null });
    expect(json.result.steps.at(-1)).toMatchObject({ step: "scope", rule: "private-address" });
    expect(await crawls()).toBe(before);
  });

  test("explains a URL for a crawl by its id, and refuses incomplete requests", async () => {
    const { crawl } = await runCrawl();
    const path = `/api/crawls/${crawl.id}/explain`;
    const { json } = await call("GET", `${path}?url=${encodeURIComponent("ftp://a.test/")}`);
    expect(json.result).toMatchObject({ url: null, asWritten: "ftp://a.test/", verdict: "refused" });
    expect((await call("GET", path)).status).toBe(400);
    expect((await call("GET", "/api/crawls/none/explain?url=https://a.test/")).status).toBe(404);
    expect((await call("POST", "/api/explain", { url: "https://a.test/" })).status).toBe(400);
  });
});

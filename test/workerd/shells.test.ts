import { createExecutionContext, env } from "cloudflare:test";
import { expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import type { CrawlDetail, ExplainView, RecordView } from "../../src/api/views.ts";
import type { PageRequest } from "../../src/fetch/request/page-request.ts";
import { retryCrawl } from "../../src/lifecycle/retry.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { DAY_MS, type SiteAnswer, WatchedWorld } from "./watched-world.ts";
import { type Answer, World, type WorldOptions } from "./world.ts";

/** Pages that need a browser: what their records and the crawl say, and what is remembered of them. */

useModelLedger();

const SEED = "https://a.test/";
const SHELL = 'its <div id="root"> is empty, and scripts fill it';
const pagesFrom = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `${SEED}p/${from + i}`);

/** A site whose seed links to these pages. */
function site(pages: Record<string, Answer>): (url: string) => Answer {
  return (url) => (url === SEED ? { links: Object.keys(pages) } : (pages[url] ?? { status: 404 }));
}

/** A world that keeps the requests to its page fetcher. */
function observedWorld(web: (url: string) => Answer, options: WorldOptions = {}) {
  const world = new World(web, options);
  const asked: PageRequest[] = [];
  const { fetchPage } = world.deps;
  world.deps.fetchPage = async (request, secrets, gateway) => {
    asked.push(request);
    return fetchPage(request, secrets, gateway);
  };
  return { world, asked };
}

async function ask<T>(path: string): Promise<T> {
  const headers = { authorization: "Bearer reading-token" };
  const answer = await app.request(path, { headers }, env, createExecutionContext());
  return ((await answer.json()) as { result: T }).result;
}

test("A shell is a completed page that says so in its record, in explain and in the crawl", async () => {
  const world = new World(
    site({
      [`${SEED}app`]: { links: [], shell: SHELL },
      [`${SEED}drawn`]: { links: [], shell: SHELL, drawn: { why: SHELL, plainText: 0, hasGained: true } },
      [`${SEED}hidden`]: { links: [], shell: SHELL, noindex: "meta" },
      [`${SEED}whole`]: { links: [] },
    }),
  );
  const id = await world.start([SEED]);
  await world.runToEnd(id);
  await expectCountersExact(id);
  const crawl = await ask<CrawlDetail>(`/api/crawls/${id}`);
  expect(crawl).toMatchObject({ shells: 1, rendered: 1, counts: { completed: 4, skipped: 1 } });

  const listed = async (query: string) =>
    (await ask<{ records: RecordView[] }>(`/api/crawls/${id}/records?${query}`)).records.map(
      ({ url, shell, rendered }) => [url.slice(SEED.length), shell, rendered],
    );
  expect(await listed("browser=needed")).toEqual([["app", SHELL, null]]);
  expect(await listed("browser=used")).toEqual([["drawn", null, SHELL]]);
  expect(await listed("q=whole")).toEqual([["whole", null, null]]);

  const explained = (path: string) =>
    ask<ExplainView>(`/api/crawls/${id}/explain?${new URLSearchParams({ url: SEED + path })}`);
  const app = await explained("app");
  expect(app).toMatchObject({ verdict: "completed", sentence: expect.stringContaining("its text may be missing") });
  expect(app.steps.find(({ step }) => step === "browser")).toEqual({
    step: "browser",
    ok: false,
    rule: "shell",
    detail: `its text may be missing: ${SHELL}; a crawl with --render auto draws it`,
  });
  const drawn = await explained("drawn");
  expect(drawn.steps.find(({ step }) => step === "browser")).toMatchObject({ ok: true, rule: "rendered" });
  expect((await explained("whole")).steps.some(({ step }) => step === "browser")).toBe(false);
});

test("A message that arrives twice counts its shell once, and a retry counts a page that has become one", async () => {
  let isWell = false;
  const pages = pagesFrom(0, 30);
  const web = site(Object.fromEntries(pages.map((url) => [url, { links: [], shell: SHELL }])));
  const world = new World((url) => (url.endsWith("/7") && !isWell ? { status: 500 } : web(url)), { copies: () => 2 });
  const id = await world.start([SEED]);
  await world.runToEnd(id);
  expect(await world.deps.ledger.crawl(id)).toMatchObject({ shells: 29, rendered: 0 });
  isWell = true;
  const crawl = await world.deps.ledger.crawl(id);
  if (crawl === null) throw new Error("there is no crawl");
  await retryCrawl(crawl, { status: "errored", reason: null, limit: null }, world.deps);
  await world.runToEnd(id);
  expect(await world.deps.ledger.crawl(id)).toMatchObject({ shells: 30 });
  await expectCountersExact(id);
});

test("A page of a watch that becomes a shell, or is drawn, or is whole again, is counted as what it is", async () => {
  let now: SiteAnswer = { text: "Old text of the page" };
  const world = new WatchedWorld((url) => (url === SEED ? now : { status: 404 }));
  const id = await world.watch(DAY_MS);
  const counts = async () => {
    await expectCountersExact(id);
    const { shells, rendered } = await world.crawl(id);
    return { shells, rendered };
  };
  expect(await counts()).toEqual({ shells: 0, rendered: 0 });
  const steps: [SiteAnswer, object][] = [
    [
      { text: "Loading", shell: SHELL },
      { shells: 1, rendered: 0 },
    ],
    [
      { text: "Loading other", shell: SHELL },
      { shells: 1, rendered: 0 },
    ],
    [
      { text: "Drawn text", drawn: { why: SHELL, plainText: 0, hasGained: true } },
      { shells: 0, rendered: 1 },
    ],
    [{ text: "A whole page" }, { shells: 0, rendered: 0 }],
  ];
  for (const [answer, expected] of steps) {
    now = answer;
    await world.pass(4 * DAY_MS);
    expect(await counts()).toEqual(expected);
  }
});

test("What a browser made of a host's pages is remembered by URL pattern, and goes with the next request", async () => {
  const gains = (url: string): Answer => ({
    links: [],
    drawn: { why: SHELL, plainText: url.endsWith("5") ? 40 : 20, hasGained: true },
  });
  const { world, asked } = observedWorld((url) =>
    url === SEED ? { links: pagesFrom(0, 30) } : url.includes("/p/") ? gains(url) : { links: [] },
  );
  const id = await world.start([SEED], { render: "auto" });
  await world.runToEnd(id);
  expect(await world.deps.renderMemory.list(id)).toEqual(
    new Map([["a.test", { "/p/*": { streak: 20, mostText: 40 } }]]),
  );
  const first = asked.find(({ url }) => url === SEED);
  expect(first?.renders).toBeNull();
  expect(asked.at(-1)?.renders).toMatchObject({ streak: expect.any(Number), mostText: expect.any(Number) });
});

test.each(["never", "always"] as const)("A crawl that renders %s pages remembers nothing", async (render) => {
  const lesson = { why: SHELL, plainText: 0, hasGained: true };
  const { world, asked } = observedWorld(() => ({ links: [], drawn: lesson }));
  const id = await world.start([SEED], { render });
  await world.runToEnd(id);
  expect(await world.deps.renderMemory.list(id)).toEqual(new Map());
  expect(asked.every((request) => request.renders === null)).toBe(true);
});

test("A crawl goes on while its memory cannot be read or stored", async () => {
  const lesson = { why: SHELL, plainText: 0, hasGained: true };
  const { world } = observedWorld(() => ({ links: [], drawn: lesson }));
  const broken = () => Promise.reject(new Error("D1 is out"));
  Object.assign(world.deps.renderMemory, { read: broken, learn: broken });
  const id = await world.start([SEED], { render: "auto" });
  await world.runToEnd(id);
  expect(await world.deps.ledger.crawl(id)).toMatchObject({ status: "completed", rendered: 1 });
});

test("A form that sends POST is counted as a link that is not followed", async () => {
  const { world, asked } = observedWorld(() => ({ links: [], postForms: [`${SEED}order`, `${SEED}order/2`] }));
  const forms = [{ selector: "#q", values: ["a"] }];
  const id = await world.start([SEED], { forms });
  await world.runToEnd(id);
  expect(asked[0]?.forms).toEqual(forms);
  expect(await world.deps.ledger.refusals(id)).toEqual([
    { reason: "post-form", count: 2, examples: [`${SEED}order`, `${SEED}order/2`] },
  ]);
});

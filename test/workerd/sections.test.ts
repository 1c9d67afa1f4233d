import { createExecutionContext, env } from "cloudflare:test";
import { expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import type { SectionsView } from "../../src/api/views.ts";
import type { PageKind } from "../../src/media/document.ts";
import { isSampled } from "../../src/passes/text/find-sections.ts";
import { analyzeCrawl } from "./analyze-crawl.ts";
import { type KeptPage, keepSite } from "./kept-site.ts";
import { World } from "./world.ts";

/** The sections of a site, by a pass over its rows and kept links. */

const SITE = "https://a.test/";
const page = (path: string, pageKind: PageKind, links: string[] = []): KeptPage => ({
  url: SITE + path,
  links,
  page: { pageKind },
  row: { words: path.length, duration_ms: 10 },
});
const numbered = (count: number, make: (i: number) => KeptPage) => Array.from({ length: count }, (_, i) => make(i));
const PAGES: KeptPage[] = [
  page("", "home", [`${SITE}product/3`, `${SITE}product/3`, `${SITE}blog/a0`]),
  ...numbered(12, (i) => page(`product/${i}`, "product", [SITE])),
  ...numbered(8, (i) => page(`blog/a${i}`, "article", [SITE, `${SITE}product/3`])),
  ...numbered(6, (i) => page(`blog/b${i}`, "listing")),
  { url: `${SITE}blog/a99`, row: { status: "errored", reason: "http-status", http_status: 404 } },
  { url: `${SITE}product/old`, redirect: `${SITE}product/1` },
];

async function newSite(): Promise<{ world: World; id: string }> {
  const world = new World(() => ({ links: [] }));
  const id = await world.start([SITE]);
  await world.runToEnd(id);
  await keepSite(id, PAGES);
  return { world, id };
}

async function ask(id: string) {
  const headers = { authorization: "Bearer test-token" };
  const response = await app.request(`/api/crawls/${id}/sections`, { headers }, env, createExecutionContext());
  const { result, errors } = await response.json<{ result: SectionsView; errors?: { message: string }[] }>();
  return { status: response.status, result, message: errors?.[0]?.message ?? "" };
}

test("a pass finds the sections by pattern and kind, with each row in one", async () => {
  const { world, id } = await newSite();
  expect(await ask(id)).toMatchObject({ status: 404, message: expect.stringContaining(`orbweaver analyze ${id}`) });
  await env.LEDGER.prepare(
    "UPDATE urls SET rate_changes = 1, rate_days = 15 WHERE crawl = ?1 AND url LIKE '%/product/1%'",
  )
    .bind(id)
    .run();
  await analyzeCrawl(id, world);
  const { result } = await ask(id);
  const told = result.sections.map(({ name, pattern, urls, statuses }) => [name, pattern, urls, statuses.completed]);
  expect(told).toEqual([
    ["Products in /product/", `${SITE}product/*`, 13, 12],
    ["Articles in /blog/a*", `${SITE}blog/a*`, 9, 8],
    ["Lists in /blog/b*", `${SITE}blog/b*`, 6, 6],
    ["Home page", SITE, 1, 1],
  ]);
  expect([result.total.urls, result.total.statuses, result.others]).toEqual([
    PAGES.length,
    expect.objectContaining({ completed: 27, skipped: 1, errored: 1 }),
    null,
  ]);
  const [products, articles] = result.sections;
  expect(products).toMatchObject({
    kind: "product",
    prefix: `${SITE}product/`,
    words: "product/1".length,
    contentLinks: 1,
    navigationLinks: 0,
    changesPerMonth: 2,
    pageShare: 12 / 27,
    timeShare: 12 / 27,
  });
  expect(products?.examples.map(({ url }) => url.slice(SITE.length))).toEqual([
    "product/3",
    "product/1",
    "product/0",
    "product/10",
    "product/11",
  ]);
  expect(articles).toMatchObject({ contentLinks: 2, changesPerMonth: null });
});

test("a second pass finds the same, whatever happens to its steps", async () => {
  const { world, id } = await newSite();
  const first = await bytesOf(id, await analyzeCrawl(id, world));
  // Each step is done twice, as after an answer that was lost.
  const twice = await analyzeCrawl(id, world, { doStep: async (_, work) => work().then(work) });
  expect(await bytesOf(id, twice)).toEqual(first);
});

async function bytesOf(crawl: string, pass: string): Promise<Uint8Array> {
  const object = await env.MIRROR.get(`${crawl}/packs/passes/result-${pass}`);
  return new Uint8Array((await object?.arrayBuffer()) ?? new ArrayBuffer());
}

test("a sample has one URL of each stride, and not always the same", () => {
  for (const stride of [1, 2, 7, 34]) {
    const places = Array.from({ length: 100 }, (_, block) => {
      const sampled = Array.from({ length: stride }, (__, i) => i).filter((i) => isSampled(block * stride + i, stride));
      expect(sampled).toHaveLength(1);
      return sampled[0];
    });
    expect(new Set(places).size).toBeGreaterThan(stride / 2);
  }
});

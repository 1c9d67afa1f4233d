import { afterAll, beforeAll, expect, test } from "vitest";
import type { ExplainView } from "../../src/api/views.ts";
import { page, startHandmadeSite } from "../sites/handmade-site.ts";
import type { Site } from "../sites/site.ts";
import { pageOf, startVariantSites, type VariantSite } from "../sites/variant-site.ts";
import { crawl, run, type Served, scratch, serve } from "./cli.ts";

/** `orbweaver explain`, on a site with a robots.txt. */

const dir = scratch();
let site: Site;
let served: Served;
const FLAGS = ["--delay", "0", "--depth", "1", "--exclude", "/drafts/**"];

beforeAll(async () => {
  site = await startHandmadeSite({
    "/robots.txt": { body: "User-agent: *\nDisallow: /private/\nCrawl-delay: 0.2" },
    "/": page("home", "/one", "/private/x", "/drafts/y", "http://elsewhere.test/"),
    "/one": page("one", "/two"),
    "/two": page("two"),
  });
  served = await serve(`${dir.path}/served`);
  await crawl(dir.path, `${site.origin}/`, ...FLAGS, ...served.remote);
});

afterAll(async () => {
  await served.close();
  await site.close();
  dir.remove();
});

async function explained(url: string, ...args: string[]): Promise<ExplainView> {
  const { stdout, stderr, code } = await run("explain", url, "--json", ...args, ...served.remote);
  expect([stderr, code]).toEqual(["", 0]);
  return JSON.parse(stdout) as ExplainView;
}

test("for an existing crawl: each verdict names its rule, without any request for a page", async () => {
  const cases: [path: string, verdict: string, step: string, rule: string, words: string][] = [
    ["/one#top", "completed", "pace", "Crawl-delay", "0.2 s between requests"],
    ["/private/x", "disallowed", "robots", "Disallow: /private/", "the group for *"],
    ["/drafts/y", "refused", "scope", "excluded", "/drafts/**"],
    ["/two", "refused", "record", "depth", "deeper"],
    ["/new", "would be fetched", "robots", "no rule matches", "allows"],
  ];
  site.log.length = 0;
  for (const [path, verdict, step, rule, words] of cases) {
    const view = await explained(site.origin + path);
    const found = view.steps.find((each) => each.step === step);
    expect([path, view.verdict, found?.rule]).toEqual([path, verdict, rule]);
    expect(found?.detail).toContain(words);
  }
  const elsewhere = await explained("http://elsewhere.test/");
  expect(elsewhere).toMatchObject({ verdict: "refused", pace: null });
  expect(elsewhere.sentence).toContain("elsewhere.test");
  expect(site.log).toEqual([]);
});

test("for a planned crawl: only robots.txt is fetched", async () => {
  const fresh = await startHandmadeSite(
    { "/robots.txt": { body: "User-agent: *\nDisallow: /private/" } },
    { host: "127.0.0.7" },
  );
  try {
    const order = ["--seed", `${fresh.origin}/`, ...FLAGS];
    expect((await explained(`${fresh.origin}/drafts/y`, ...order)).verdict).toBe("refused");
    expect((await explained(`${fresh.origin}/`, ...order, "--depth", "0")).verdict).toBe("would be fetched");
    const { stdout } = await run("explain", `${fresh.origin}/private/x`, ...order, ...served.remote);
    expect(stdout).toContain("Disallowed. robots.txt forbids it: Disallow: /private/.");
    expect(fresh.log.map(({ path }) => path)).toEqual(["/robots.txt"]);
  } finally {
    await fresh.close();
  }
});

test("options that do not go together are refused", async () => {
  const misplaced = await run("explain", `${site.origin}/`, "--depth", "1", ...served.remote);
  expect([misplaced.code, misplaced.stderr]).toEqual([2, expect.stringContaining("--depth is for a planned crawl")]);
  const both = await run("explain", `${site.origin}/`, "--crawl", "x", "--seed", "y", ...served.remote);
  expect(both.code).toBe(2);
});

test("URLs of the same page are refused, the rule is named, and --keep-duplicates fetches them", async () => {
  const shop: VariantSite = {
    ...{ name: "shop", folders: ["shop"], pages: 40, sorts: "sort" },
    ...{ idle: { sort: ["price", "name"] }, live: { color: ["red"] } },
  };
  const variants = await startVariantSites([shop], { host: "127.0.7.1" });
  try {
    const crawlShop = (...args: string[]) =>
      crawl(dir.path, `${variants.origin}/`, "--source", "links", "--delay", "0", ...args, ...served.remote);
    const stored = ({ byUrl }: Awaited<ReturnType<typeof crawl>>): string[] =>
      [...byUrl].filter(([, { status }]) => status === "completed").map(([url]) => url.slice(variants.origin.length));
    const pagesOf = (urls: string[]) => [...new Set(urls.map((url) => pageOf(shop, url)))].toSorted();

    const all = await crawlShop("--keep-duplicates");
    // The home page, and four URLs of each item.
    expect(stored(all)).toHaveLength(1 + 40 * 4);
    const learned = await crawlShop();
    expect(pagesOf(stored(learned))).toEqual(pagesOf(stored(all)));
    expect(pagesOf(stored(learned))).toHaveLength(1 + 40 * 2);

    const { stdout } = await run("status", learned.summary.id, "--json", ...served.remote);
    const { refused } = JSON.parse(stdout) as { refused: { reason: string; count: number }[] };
    const skipped = [...learned.byUrl.values()].filter(({ reason }) => reason === "same-page");
    const count = refused.find(({ reason }) => reason === "same-page")?.count ?? 0;
    expect(count + skipped.length).toBeGreaterThan(20);
    expect(stored(learned).length + skipped.length).toBe(learned.byUrl.size);

    // One URL in 20 is fetched as a test.
    const urls = ["a", "b", "c", "d", "e", "f"].map((name) => `${variants.origin}/shop/new-${name}?sort=price`);
    const views = await Promise.all(urls.map((url) => explained(url, "--crawl", learned.summary.id)));
    const steps = views.flatMap(({ verdict, steps }) =>
      verdict === "refused" ? (steps.find(({ step }) => step === "same-page") ?? []) : [],
    );
    expect(steps[0]).toMatchObject({ ok: false, rule: "?sort at /shop/*" });
    expect(steps[0]?.detail).toContain("the same without it");
    const kept = await explained(urls[0] ?? "", "--crawl", all.summary.id);
    expect(kept.steps.some(({ step }) => step === "same-page")).toBe(false);
  } finally {
    await variants.close();
  }
});

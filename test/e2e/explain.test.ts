import { afterAll, beforeAll, expect, test } from "vitest";
import type { ExplainView } from "../../src/api/views.ts";
import { page, startHandmadeSite } from "../sites/handmade-site.ts";
import type { Site } from "../sites/site.ts";
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

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { catalogueSite } from "../../bench/endless/catalogues.ts";
import { trapSite } from "../../bench/endless/traps.ts";
import { HTML } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { crawl, run, type Served, scratch, serve } from "./cli.ts";

/** An endless shop gives way, and a catalogue of 5,000 near-equal pages comes whole. */

const LIMIT = 5_000;
const MAX_TRAP_PAGES = 800;
const FAST = ["--delay", "0", "--concurrency", "8", "--limit", String(LIMIT)];
const dir = scratch();
let served: Served;

beforeAll(async () => {
  served = await serve(`${dir.path}/served`);
});

afterAll(async () => {
  await served.close();
  dir.remove();
});

async function crawlOf(generated: ReturnType<typeof trapSite>, ...flags: string[]) {
  const site: Site = await startSite(({ url = "/" }, response) => {
    const page = generated.page(url);
    if (page === null) response.writeHead(404, HTML).end("not here");
    else response.writeHead(200, HTML).end(page);
  });
  try {
    const result = await crawl(dir.path, `${site.origin}/`, ...FAST, ...flags, ...served.remote);
    const completed = [...result.byUrl.values()].filter(({ status }) => status === "completed");
    const paths = new Set(completed.map(({ url }) => url.slice(site.origin.length)));
    return { result, paths, origin: site.origin, missing: generated.honest.filter((path) => !paths.has(path)) };
  } finally {
    await site.close();
  }
}

describe("a shop whose filters combine without end, beside 60 honest pages", () => {
  let facets: Awaited<ReturnType<typeof crawlOf>>;

  beforeAll(async () => {
    facets = await crawlOf(trapSite("facets by name", 11));
  }, 400_000);

  test(`takes at most ${MAX_TRAP_PAGES} pages of ${LIMIT}, and the honest ones are read`, () => {
    expect(facets.missing).toEqual([]);
    expect(facets.paths.size).toBeGreaterThan(300);
    expect(facets.paths.size - facets.missing.length - 61).toBeLessThanOrEqual(MAX_TRAP_PAGES);
    expect(facets.result.summary.status).toBe("completed");
  });

  test("the summary names the pattern, and how to exclude it", async () => {
    const group = `${facets.origin}/shop?**`;
    const { stdout } = await run("status", facets.result.summary.id, ...served.remote);
    expect(stdout).toContain(`${group}: slowed to one in 50`);
    expect(stdout).toContain(`--exclude '${group}'`);
    const json = await run("status", facets.result.summary.id, "--json", ...served.remote);
    const { slowed, refused } = JSON.parse(json.stdout) as {
      slowed: { pattern: string; held: number }[];
      refused: { reason: string; count: number }[];
    };
    expect(slowed).toMatchObject([{ pattern: group }]);
    expect(slowed[0]?.held).toBeGreaterThan(1_000);
    expect(refused.find(({ reason }) => reason === "nothing-new")?.count).toBeGreaterThan(0);
  });

  test("explain says why a URL of it is not fetched", async () => {
    const url = `${facets.origin}/shop?${"color=none&brand=nothing"}`;
    const { stdout } = await run("explain", url, "--crawl", facets.result.summary.id, ...served.remote);
    expect(stdout).toContain("said nothing new");
  });
});

test.each([
  ["products that differ in name, price and number", "lists"],
  ["screws, numbers of the URL", "both"],
  ["screws, numbers that are not in the URL", "one another"],
] as const)("5,000 %s come whole, found on %s", { timeout: 500_000 }, async (kind, way) => {
  const { missing, result } = await crawlOf(catalogueSite(kind, way, 4_700, 11));
  expect(missing).toEqual([]);
  expect(result.summary.status).toBe("completed");
});

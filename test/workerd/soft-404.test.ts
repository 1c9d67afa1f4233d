import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { DEFAULT_OPTIONS, DEFAULT_POLITENESS } from "../../src/crawl/crawl-options.ts";
import { readPage } from "../../src/fetch/reading/read-page.ts";
import { ASKS_NOTHING } from "../../src/fetch/request/page-request.ts";
import { compileCrawl } from "../../src/frontier/context.ts";
import type { Deps } from "../../src/frontier/deps.ts";
import { findSibling } from "../../src/frontier/features/soft-404/soft-404.ts";
import type { PageWork } from "../../src/frontier/work.ts";
import { type Answer, World, type WorldOptions } from "./world.ts";

/** Pages that say that there is none: one random sibling of a host decides whether they are soft 404s. */

const PAGES: Record<string, Answer> = {
  "/": { links: ["/good", "/gone-1", "/gone-2", "/folder/gone-3.html"].map((path) => `https://a.test${path}`) },
  "/good": { links: [] },
};

async function crawl(missing: (path: string) => Answer, pages = PAGES, options: Parameters<World["start"]>[1] = {}) {
  const settings: WorldOptions = {};
  const world = new World((url) => {
    const { pathname } = new URL(url);
    return pages[pathname] ?? missing(pathname);
  }, settings);
  const id = await world.start(["https://a.test/"], options);
  await world.runToEnd(id);
  const { results } = await env.LEDGER.prepare(
    "SELECT url, status, reason, detail FROM urls WHERE crawl = ?1 ORDER BY url",
  )
    .bind(id)
    .all<{ url: string; status: string; reason: string | null; detail: string | null }>();
  return {
    ends: Object.fromEntries(results.map(({ url, status, reason }) => [new URL(url).pathname, reason ?? status])),
    details: results.map(({ detail }) => detail),
    siblings: world.fetched.filter((url) => url.includes("no-such-page")),
    world,
    id,
  };
}

const KEPT = { "/": "completed", "/good": "completed" };

test("a host that answers for every address loses its missing pages, by one more request", async () => {
  const { ends, siblings, details } = await crawl((path) => ({
    links: ["https://a.test/more"],
    missing: true,
    same: path,
  }));
  expect(ends).toEqual({ ...KEPT, "/gone-1": "soft-404", "/gone-2": "soft-404", "/folder/gone-3.html": "soft-404" });
  expect(siblings).toHaveLength(1);
  expect(details).toContain(`the host answers ${siblings[0]} in the same way`);
});

test("pages about errors are kept where missing pages have an error status", async () => {
  const about: Answer = { links: [], missing: true };
  const { ends, siblings } = await crawl(() => ({ status: 404 }), { ...PAGES, "/gone-1": about, "/gone-2": about });
  expect(ends).toEqual({
    ...KEPT,
    "/gone-1": "completed",
    "/gone-2": "completed",
    "/folder/gone-3.html": "http-status",
  });
  expect(siblings).toHaveLength(1);
});

test("the page to which missing pages redirect is a soft 404", async () => {
  const { ends, siblings } = await crawl(() => ({ redirect: "https://a.test/error" }), {
    ...PAGES,
    "/error": { links: [], missing: true },
  });
  expect(ends).toMatchObject({ ...KEPT, "/error": "soft-404", "/gone-1": "redirected" });
  expect(siblings).toHaveLength(1);
});

test("a host whose answer says nothing is asked once, and its pages are kept", async () => {
  const next = (path: string): Answer => ({ links: [`https://a.test${path}`], missing: true });
  const { ends, siblings } = await crawl(() => ({ status: 500 }), {
    "/": { links: ["https://a.test/gone-1"] },
    "/gone-1": next("/gone-2"),
    "/gone-2": next("/gone-3"),
    "/gone-3": { links: [], missing: true },
  });
  expect(ends).toEqual({ "/": "completed", "/gone-1": "completed", "/gone-2": "completed", "/gone-3": "completed" });
  expect(siblings).toHaveLength(1);
});

test("no page is asked for without suspicion, and none that the crawl excludes", async () => {
  const unsuspicious = await crawl(() => ({ links: [] }));
  expect([unsuspicious.siblings, unsuspicious.ends["/gone-1"]]).toEqual([[], "completed"]);
  const excluded = await crawl(() => ({ links: [], missing: true }), PAGES, { excludePatterns: ["**/no-such-page*"] });
  expect([excluded.siblings, excluded.ends["/gone-1"]]).toEqual([[], "completed"]);
});

test("the request for the sibling keeps the host's pace", async () => {
  const politeness = { ...DEFAULT_POLITENESS, minDelayMs: 1_000 };
  const { siblings, world, ends } = await crawl(() => ({ links: [], missing: true }), PAGES, {
    politeness,
  });
  expect(siblings).toHaveLength(1);
  expect(ends["/gone-1"]).toBe("soft-404");
  const pages = world.requests.filter(({ url }) => !url.endsWith("/robots.txt"));
  pages.forEach(({ startedAt }, i) => {
    if (i > 0) expect(startedAt - (pages[i - 1]?.endedAt ?? 0)).toBeGreaterThanOrEqual(1_000);
  });
});

const read = async (html: string, search: boolean) => {
  const request = { ...ASKS_NOTHING, url: "https://a.test/x", agent: "orbweaver", pageRobots: true };
  const page = await readPage(
    { body: new TextEncoder().encode(html), contentType: "text/html", headers: [], httpStatus: 200 },
    { ...request, search },
    1,
    1,
  );
  return page.kind === "page" && page.looksMissing;
};

const LONG = "<p>It means that there is no such page. ".repeat(100);

test.each([
  ["its title says it", "<title>404 Not Found</title><p>Sorry.", true],
  ["its heading says it", "<title>Example</title><h1>Page not found</h1><p>Sorry.", true],
  ["its second heading says it", "<title>A</title><h1><img src=logo.png></h1><h1>Seite nicht gefunden</h1>", true],
  ["its title says something else", "<title>Example</title><h1>Spiders</h1><p>They spin.", false],
  ["it explains the error", `<title>404 Not Found - what it means</title>${LONG}`, false],
  ["it explains the error, without an index", `<meta name=robots content=noindex><title>404</title>${LONG}`, false],
])("a page is suspected, whether its content is made or not: %s", async (_, html, looksMissing) => {
  expect([await read(html, false), await read(html, true)]).toEqual([looksMissing, looksMissing]);
});

const workOf = (url: string) => {
  const options = { ...DEFAULT_OPTIONS, urls: [url], userAgent: "Test/1" };
  const context = compileCrawl({ options, hosts: [new URL(url).host] }, "all");
  return { row: { url, depth: 1 }, context } as unknown as PageWork;
};
const depsWith = (allowed: boolean | null) =>
  ({ random: () => 0.5, gate: () => ({ recall: async () => ({ decision: { allowed } }) }) }) as unknown as Deps;

test.each([
  ["https://a.test/docs/x.html?q=1", /^https:\/\/a\.test\/docs\/no-such-page-\w+\.html$/],
  ["https://a.test/docs/x", /^https:\/\/a\.test\/docs\/no-such-page-\w+$/],
  ["https://a.test/", /^https:\/\/a\.test\/no-such-page-\w+$/],
])("the sibling of %s", async (url, sibling) => {
  expect(await findSibling(workOf(url), depsWith(true))).toMatch(sibling);
});

test.each([false, null])("no sibling is asked for where the decision of robots.txt is %s", async (allowed) => {
  expect(await findSibling(workOf("https://a.test/x"), depsWith(allowed))).toBeNull();
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ChangesView, CrawlView, DeltaEnd, DeltaLine, DiffView } from "../../src/api/views.ts";
import type { Site } from "../sites/site.ts";
import { getOrPost } from "./api-calls.ts";
import { findBrowser } from "./browser.ts";
import { run, type Served, scratch, serveFast } from "./cli.ts";
import { loadBy } from "./load-by.ts";
import { faultsOf } from "./look.ts";
import { articleOf, startTaggedSite, until } from "./watched-site.ts";

/** What follows a watch: an index by deltas, a person by differences and pages, a feed reader by feeds. */

const SPEED = 1_000;
const EVERY_S = 3_600;
const BROWSER = findBrowser("the console's changes");
const WORDS = "Words that stay the same in this page, again and again, so that it has a text of some length. ".repeat(
  4,
);

const dir = scratch();
const pages: Record<string, string> = {
  "/": articleOf("Home", [`Home. ${WORDS}`], "/a", "/b", "/c"),
  "/a": articleOf("Prices", [`All prices. ${WORDS}`, "The small box costs 5 euros a month.", "Ask us for more."]),
  "/b": articleOf("Leaving", [`Page b. ${WORDS}`]),
  "/c": articleOf("Staying", [`Page c. ${WORDS}`]),
};
let site: Site;
let served: Served;
let id = "";
let firstDelta = "";

const call = <T>(path: string, body?: unknown) => getOrPost<T>(served, path, body);
const changesOf = async () => (await call<ChangesView>(`/api/crawls/${id}/changes`)).changes;
const linesOf = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as DeltaLine & Partial<DeltaEnd>);

beforeAll(async () => {
  site = await startTaggedSite(pages, "127.0.0.52");
  served = await serveFast(join(dir.path, "state"), SPEED, new Date("2031-01-01T00:00:00Z"));
  ({ id } = await call<{ id: string }>("/api/crawls", {
    url: `${site.origin}/`,
    source: "links",
    limit: 100,
    politeness: { minDelayMs: 0 },
    watch: { everyS: EVERY_S },
  }));
  await until(
    served,
    () => call<CrawlView>(`/api/crawls/${id}`),
    ({ status }) => status === "watching",
  );
  firstDelta = (await run("export", id, "--format", "delta", "--with", "markdown", ...served.remote)).stdout;
  pages["/a"] = articleOf(
    "Prices",
    [`All prices. ${WORDS}`, "The small box costs 6 euros a month.", "Ask us for more."],
    "/d",
  );
  pages["/d"] = articleOf("New", [`Page d is new. ${WORDS}`]);
  delete pages["/b"];
  await until(served, changesOf, (list) => list.length >= 3);
});

afterAll(async () => {
  await Promise.all([served?.close(), site?.close()]);
  dir.remove();
});

test("an index follows by deltas, with the pages as they are now", async () => {
  const before = linesOf(firstDelta);
  expect(before.slice(0, -1).map(({ change, url }) => `${change} ${new URL(url).pathname}`)).toEqual([
    "added /",
    "added /a",
    "added /b",
    "added /c",
  ]);
  const out = join(dir.path, "delta.jsonl");
  const since = before.at(-1)?.cursor ?? "";
  const options = ["--since", since, "--with", "markdown", "--out", out, ...served.remote];
  expect(await run("export", id, ...options)).toMatchObject({ code: 0 });
  const delta = linesOf(readFileSync(out, "utf8"));
  expect(
    delta
      .slice(0, -1)
      .map(({ change, url }) => `${change} ${new URL(url).pathname}`)
      .toSorted(),
  ).toEqual(["added /d", "changed /a", "removed /b"]);
  const idOf = (lines: DeltaLine[], path: string) => lines.find(({ url }) => url?.endsWith(path))?.id;
  for (const path of ["/a", "/b"]) expect(idOf(delta, path)).toBe(idOf(before, path));
  // The Markdown of the first version was made at the first delta, and is not that of the second version.
  expect(before.find(({ url }) => url?.endsWith("/a"))?.markdown).toContain("5 euros");
  expect(delta.find(({ url }) => url?.endsWith("/a"))?.markdown).toContain("6 euros");

  const again = await run("export", id, "--since", delta.at(-1)?.cursor ?? "", ...served.remote);
  expect(linesOf(again.stdout)).toEqual([{ cursor: delta.at(-1)?.cursor }]);
  const refused = await run("export", id, "--since", `${id.slice(0, 8)}.99`, ...served.remote);
  expect(refused).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("full export") });
  const mixed = await run("export", id, "--since", since, "--format", "csv", ...served.remote);
  expect(mixed).toMatchObject({ code: 2, stderr: expect.stringContaining("--since") });
  expect(await run("export", id, ...served.remote)).toMatchObject({ code: 2 });
});

test("a difference shows the words that changed, by the command line and by the API", async () => {
  const url = `${site.origin}/a`;
  const printed = await run("diff", url, ...served.remote);
  expect(printed).toMatchObject({ code: 0, stderr: "" });
  const lines = printed.stdout.trim().split("\n");
  expect(lines.filter((line) => /^[-+](?![-+])/.test(line))).toEqual([
    "-The small box costs 5 euros a month.",
    "+The small box costs 6 euros a month.",
  ]);
  expect(lines).toContain(" Ask us for more.");

  const diff = JSON.parse((await run("diff", url, "--crawl", id, "--json", ...served.remote)).stdout) as DiffView;
  expect(diff).toMatchObject({ url, earlier: null, later: null, title: null });
  expect(diff).toEqual(await call(`/api/crawls/${id}/diff?${new URLSearchParams({ url })}`));
  const [change] = (await changesOf()).filter(({ kind }) => kind === "changed");
  const byTimes = new URLSearchParams({ url, from: diff.from.fetchedAt, to: change?.at ?? "" });
  expect(await call(`/api/crawls/${id}/diff?${byTimes}`)).toEqual(diff);
  const same = new URLSearchParams({ url, from: diff.to.fetchedAt });
  expect(await call(`/api/crawls/${id}/diff?${same}`)).toMatchObject({ hunks: [], from: diff.to, to: diff.to });

  const single = await run("diff", `${site.origin}/c`, ...served.remote);
  expect(single).toMatchObject({ code: 1, stderr: expect.stringContaining("nothing to compare") });
  const elsewhere = await run("diff", "https://elsewhere.test/", ...served.remote);
  expect(elsewhere).toMatchObject({ code: 1, stderr: expect.stringContaining("--crawl ID") });
});

test("a feed has an address that the command prints, and that it replaces", async () => {
  const printed = JSON.parse((await run("feed", id, "--json", ...served.remote)).stdout) as Record<string, string>;
  expect((await run("feed", id, ...served.remote)).stdout).toContain(printed.atom);
  for (const [format, start] of [
    ["atom", "<?xml"],
    ["json", "{"],
  ] as const) {
    const answer = await fetch(printed[format] ?? "");
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(text.startsWith(start)).toBe(true);
    expect(text).toContain(`${site.origin}/d`);
    const headers = { "if-none-match": answer.headers.get("etag") ?? "" };
    expect((await fetch(printed[format] ?? "", { headers })).status).toBe(304);
  }
  const replaced = JSON.parse((await run("feed", id, "--replace", "--json", ...served.remote)).stdout);
  expect((await fetch(printed.atom ?? "")).status).toBe(404);
  expect((await fetch(replaced.atom)).status).toBe(200);
});

describe.skipIf(BROWSER === undefined)("the console", () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: BROWSER ?? "", args: ["--no-sandbox"] });
  });
  afterAll(async () => {
    await browser?.close();
  });

  test("leads from the crawl to its changes, to a difference, and to the addresses of the feeds", async () => {
    const page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(120_000);
    const clickTo = (selector: string) => loadBy(page, () => page.click(selector));
    const at = `${served.address}/crawls/${id}`;
    await page.goto(at);
    await page.fill("#token", served.token);
    await clickTo("main button");
    expect(page.url()).toBe(at);
    await clickTo("nav.tabs >> text=Changes");
    expect(page.url()).toBe(`${at}/changes`);
    expect((await page.locator(".rows tbody .title").allTextContents()).toSorted()).toEqual([
      "Leaving",
      "New",
      "Prices",
    ]);
    await page.selectOption("#kind", "changed");
    await clickTo("text=Apply");
    expect(await page.locator(".rows tbody .title").allTextContents()).toEqual(["Prices"]);
    await clickTo("#feeds button");
    expect(page.url()).toBe(`${at}/changes#feeds`);
    const feed = await page.locator("#feeds a").first().getAttribute("href");
    expect((await fetch(feed ?? "")).status).toBe(200);
    expect(await faultsOf(page, "changes")).toEqual([]);

    await clickTo("text=Difference");
    expect(page.url()).toContain("/diff?");
    expect(await page.locator("del").allInnerTexts()).toEqual([expect.stringContaining("5")]);
    expect(await page.locator("ins").allInnerTexts()).toEqual([expect.stringContaining("6")]);
    expect(await faultsOf(page, "difference")).toEqual([]);
    await page.goto(`${at}/diff?${new URLSearchParams({ url: `${site.origin}/c` })}`);
    expect(await page.locator("[role=alert]").textContent()).toContain("nothing to compare");
  });
});

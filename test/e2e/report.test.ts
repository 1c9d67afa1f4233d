import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { startSite } from "../sites/site.ts";
import { findBrowser } from "./browser.ts";
import { crawl, run, scratch, serve } from "./cli.ts";
import { faultsOf } from "./look.ts";

/** `orbweaver report`: what people see, its files, and its exit codes. */

const BROWSER = findBrowser("the console's report");
const dir = scratch();
/** The crawl that the first test makes. */
let id = "";
afterAll(() => dir.remove());

test("report analyzes, prints, writes files and fails as it is told", { timeout: 300_000 }, async () => {
  const pages: Record<string, string> = {
    "/": `<nav><a href="/gone">Old <i>menu</i></a></nav><p><a href="/a">A</a></p>`,
    "/a": `<a href="/gone">here</a> <a href="/#none">There</a>`,
  };
  const site = await startSite(({ url = "" }, response) => {
    const body = pages[url];
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "text/html" });
    response.end(`<!doctype html><title>${url}</title><meta name=description content="${url}">${body ?? ""}`);
  });
  const { summary } = await crawl(dir.path, `${site.origin}/`, "--delay", "0");
  id = summary.id;
  const place = ["--state", join(dir.path, "state")];

  const first = await run("report", summary.id, "--fail-on", "orphans,new-broken", ...place);
  expect([first.code, first.stderr]).toEqual([0, expect.stringContaining("steps done")]);
  const told = first.stdout.replaceAll(site.origin, "");
  expect(told).toContain("error     2      Broken links");
  expect(told).toContain(
    '  /gone\n    from / "Old menu" (status 404, in navigation)\n    from /a "here" (status 404)\n',
  );
  expect(told).toContain('Broken fragments\n  /#none\n    from /a "There"\n');

  const file = join(dir.path, "report.html");
  const html = await run("report", summary.id, "--format", "html", "--out", file, "--fail-on", "broken", ...place);
  expect([html.code, html.stderr]).toEqual([1, `Wrote ${file}.\nFound: broken (2).\n`]);
  expect(readFileSync(file, "utf8")).toContain("Old menu");

  const wrong = [
    await run("report", summary.id, "--kind", "broken", ...place),
    await run("report", summary.id, "--fail-on", "everything", ...place),
  ];
  expect(wrong.map(({ code }) => code)).toEqual([2, 2]);
  await site.close();
});

test.skipIf(BROWSER === undefined)(
  "the console leads from numbers to lists to records",
  { timeout: 300_000 },
  async () => {
    const server = await serve(join(dir.path, "state"));
    const browser = await chromium.launch({ executablePath: BROWSER ?? "", args: ["--no-sandbox"] });
    try {
      const page = await browser.newPage();
      await page.goto(`${server.address}/crawls/${id}/report`);
      await page.fill("#token", server.token);
      await page.click("main button");
      await page.waitForURL("**/report");
      const faults = await faultsOf(page, "report");
      await page.click("td a:has-text('2')");
      await page.waitForURL("**/report?kind=broken-link");
      expect(await page.locator(".rows tbody bdi").allTextContents()).toEqual(["Old menu", "here"]);
      faults.push(...(await faultsOf(page, "report-list")));
      const [file] = await Promise.all([page.waitForEvent("download"), page.click("#downloads a:has-text('CSV')")]);
      expect(file.suggestedFilename()).toBe(`report-${id}.csv`);
      await page.click(".rows tbody th a");
      await page.waitForURL("**/record?url=**");
      expect(faults).toEqual([]);
    } finally {
      await browser.close();
      await server.close();
    }
  },
);

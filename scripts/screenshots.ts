import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { callApi } from "../test/e2e/api-calls.ts";
import { findBrowser } from "../test/e2e/browser.ts";
import { type Served, scratch, serve } from "../test/e2e/cli.ts";
import { SIZES } from "../test/e2e/look.ts";
import { startDemoSite } from "../test/sites/demo-site.ts";
import { startDemoWatch } from "./demo-watch.ts";

/**
 * `npm run screenshots` crawls and watches demo sites, and writes the pictures of the documents to docs/images. The
 * tests in test/e2e/console*.test.ts write pictures of every page to dist/screenshots, with `SCREENSHOTS=1`.
 */

const IMAGES = join(import.meta.dirname, "..", "docs", "images");
/** The number of stored pages before the picture of a running crawl. */
const RUNNING_PAGES = 150;

const executablePath = findBrowser("the screenshots");
if (executablePath === undefined) process.exit(1);
mkdirSync(IMAGES, { recursive: true });
const dir = scratch();
const site = await startDemoSite();
const server = await serve(join(dir.path, "crawl"));
const watch = await startDemoWatch(join(dir.path, "watch"));
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
try {
  const { id } = await callApi<{ id: string }>(server, "POST", "/api/crawls", {
    url: `${site.origin}/`,
    limit: 1_000,
    search: true,
    politeness: { minDelayMs: 120, delayFactor: 0 },
  });
  const crawl = `/crawls/${id}`;
  await saveScreenshot(server, "running", "desk", "light", crawl);
  await saveScreenshot(server, "running", "phone", "dark", crawl);
  await saveScreenshot(server, "new", "desk", "light", `/crawls/new?url=${encodeURIComponent(`${site.origin}/`)}`);
  const changed = new URLSearchParams({ url: watch.changed });
  await saveScreenshot(watch.server, "watch", "desk", "light", `/crawls/${watch.id}`);
  await saveScreenshot(watch.server, "difference", "desk", "light", `/crawls/${watch.id}/diff?${changed}`);

  async function saveScreenshot(
    { address, token }: Served,
    name: string,
    size: keyof typeof SIZES,
    colorScheme: "light" | "dark",
    path: string,
  ) {
    const deviceScaleFactor = size === "phone" ? 2 : 1;
    const page = await browser.newPage({
      viewport: SIZES[size],
      colorScheme,
      deviceScaleFactor,
      reducedMotion: "reduce",
    });
    await page.goto(`${address}/sign-in?to=${encodeURIComponent(path)}`);
    await page.fill("#token", token);
    await page.click("main button");
    await page.locator(name === "new" ? ".explanations" : "#about").waitFor();
    if (name === "running")
      await page.waitForFunction(
        (least) => Number(document.querySelector(".stats dd")?.textContent) >= least,
        RUNNING_PAGES,
        { timeout: 120_000 },
      );
    await page.screenshot({ path: join(IMAGES, `console-${name}-${size}-${colorScheme}.png`) });
    await page.close();
  }
} finally {
  await browser.close();
  for (const each of [server, site, watch.server, watch.site]) await each.close();
  dir.remove();
}
console.log(`Written to ${IMAGES}.`);

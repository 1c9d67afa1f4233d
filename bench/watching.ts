/**
 * The cost of watching a crawl: pages per second with the crawl's page open in Chromium, and without, in turns. Also
 * the load time of the console's first page.
 *
 *     npm run bench:watching -- [--pages 3000] [--runs 4]
 */
import { parseArgs } from "node:util";
import { chromium, type Page } from "playwright-core";
import type { CrawlView } from "../src/api/views.ts";
import { findBrowser } from "../test/e2e/browser.ts";
import { scratch, serve } from "../test/e2e/cli.ts";
import { startGeneratedSite } from "../test/sites/generated-site.ts";
import { median } from "./median.ts";

const { values } = parseArgs({
  options: { pages: { type: "string", default: "3000" }, runs: { type: "string", default: "4" } },
});
const pages = Number(values.pages);
const LOADS = 9;
const executablePath = findBrowser("the cost of watching");
if (executablePath === undefined) throw new Error("There is no Chromium.");

const site = await startGeneratedSite({ pages });
const dir = scratch();
const server = await serve(dir.path);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
try {
  const page = await browser.newPage();
  await page.goto(server.address);
  await page.fill("#token", server.token);
  await page.click("main button");
  await page.waitForURL("**/crawls");
  // A warm-up: code is slow when it runs first.
  await rateOf(page, "watched", Math.ceil(pages / 4));
  const rates: Record<"alone" | "watched", number[]> = { alone: [], watched: [] };
  for (let round = 1; round <= Number(values.runs); round++) {
    // The order changes, so that a drift over the rounds favours neither.
    const order = round % 2 === 1 ? (["alone", "watched"] as const) : (["watched", "alone"] as const);
    for (const how of order) {
      const rate = await rateOf(page, how, pages);
      rates[how].push(rate);
      console.log(`round ${round}: ${how.padEnd(8)} ${rate.toFixed(1)} pages/s`);
    }
  }
  const [alone, watched] = [median(rates.alone), median(rates.watched)];
  console.log(
    `medians: ${alone.toFixed(1)} alone, ${watched.toFixed(1)} watched: ${((1 - watched / alone) * 100).toFixed(1)}% less`,
  );
  console.log(`first page: ${(await loadMs(page)).toFixed(0)} ms until it has loaded, median of ${LOADS}`);
} finally {
  await browser.close();
  await server.close();
  await site.close();
  dir.remove();
}

/** Pages per second of one new crawl. It is deleted afterwards, so that the next one finds the same ledger. */
async function rateOf(page: Page, how: "alone" | "watched", limit: number): Promise<number> {
  await page.goto("about:blank");
  const politeness = { minDelayMs: 0, delayFactor: 0, maxConcurrencyPerHost: 8 };
  const request = { url: `${site.origin}/`, limit, source: "links", politeness };
  const { id } = await call<{ id: string }>("POST", "/api/crawls", request);
  if (how === "watched") await page.goto(`${server.address}/crawls/${id}`);
  const crawl = await waitForEnd(id);
  await call("DELETE", `/api/crawls/${id}`);
  return crawl.counts.completed / crawl.seconds;
}

async function waitForEnd(id: string): Promise<CrawlView> {
  for (;;) {
    // Rarely, because this request costs time too.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const crawl = await call<CrawlView>("GET", `/api/crawls/${id}`);
    if (crawl.finishedAt !== null) return crawl;
  }
}

async function loadMs(page: Page): Promise<number> {
  const times: number[] = [];
  for (let load = 0; load < LOADS; load++) {
    await page.goto(`${server.address}/crawls`, { waitUntil: "load" });
    times.push(await page.evaluate(() => performance.getEntriesByType("navigation")[0]?.duration ?? 0));
  }
  return median(times);
}

async function call<T>(method: string, path: string, sent?: unknown): Promise<T> {
  const init = { method, headers: { authorization: `Bearer ${server.token}` } };
  const request = sent === undefined ? init : { ...init, body: JSON.stringify(sent) };
  const answer = await fetch(server.address + path, request);
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
  return ((await answer.json()) as { result: T }).result;
}

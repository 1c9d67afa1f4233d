/**
 * What it costs a crawl that somebody looks at it: pages per second with the crawl's page open in Chromium, and without, in turn.
 *
 *     npm run bench:watching -- [--pages 3000] [--runs 3]
 */
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import type { CrawlView } from "../src/api/views.ts";
import { findBrowser } from "../test/e2e/browser.ts";
import { scratch, serve } from "../test/e2e/cli.ts";
import { startGeneratedSite } from "../test/sites/generated-site.ts";
import { median } from "./median.ts";

const { values } = parseArgs({
  options: { pages: { type: "string", default: "3000" }, runs: { type: "string", default: "3" } },
});
const pages = Number(values.pages);
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
  const rates: Record<"alone" | "watched", number[]> = { alone: [], watched: [] };
  for (let round = 1; round <= Number(values.runs); round++) {
    for (const how of ["alone", "watched"] as const) {
      await page.goto("about:blank");
      const id = (await call<{ id: string }>("POST", "/api/crawls", body())).id;
      if (how === "watched") await page.goto(`${server.address}/crawls/${id}`);
      const rate = await rateOf(id);
      rates[how].push(rate);
      console.log(`round ${round}: ${how.padEnd(8)} ${rate.toFixed(1)} pages/s`);
    }
  }
  const [alone, watched] = [median(rates.alone), median(rates.watched)];
  console.log(
    `medians: ${alone.toFixed(1)} alone, ${watched.toFixed(1)} watched: ${((1 - watched / alone) * 100).toFixed(1)}% less`,
  );
} finally {
  await browser.close();
  await server.close();
  await site.close();
  dir.remove();
}

function body() {
  const politeness = { minDelayMs: 0, delayFactor: 0, maxConcurrencyPerHost: 8 };
  return { url: `${site.origin}/`, limit: pages, source: "links", politeness };
}

async function rateOf(id: string): Promise<number> {
  for (;;) {
    // Seldom, for it is a request too.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const crawl = await call<CrawlView>("GET", `/api/crawls/${id}`);
    if (crawl.finishedAt !== null) return crawl.counts.completed / crawl.seconds;
  }
}

async function call<T>(method: string, path: string, sent?: unknown): Promise<T> {
  const init = { method, headers: { authorization: `Bearer ${server.token}` } };
  const request = sent === undefined ? init : { ...init, body: JSON.stringify(sent) };
  return ((await (await fetch(server.address + path, request)).json()) as { result: T }).result;
}

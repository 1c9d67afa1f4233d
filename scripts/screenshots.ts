import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { findBrowser } from "../test/e2e/browser.ts";
import { scratch, serve } from "../test/e2e/cli.ts";
import { startDemoSite } from "../test/sites/demo-site.ts";

/**
 * Pictures of every page of the console, in both schemes, for a phone and for a desk: `npm run screenshots` writes them to dist/screenshots,
 * with `-- --docs` those of the README to docs/images too.
 */

const OUT = join(import.meta.dirname, "..", "dist", "screenshots");
const IMAGES = join(import.meta.dirname, "..", "docs", "images");
/** What the first window of these shows stands in the README. */
const IN_README = ["running-desk-light", "new-desk-light", "running-phone-dark"];
const SIZES = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 800 } };

const executablePath = findBrowser("how the console looks");
if (executablePath === undefined) process.exit(1);
for (const folder of [OUT, IMAGES]) mkdirSync(folder, { recursive: true });
const dir = scratch();
const site = await startDemoSite();
const server = await serve(dir.path);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
try {
  const call = async (path: string, body?: unknown) => {
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const headers = { authorization: `Bearer ${server.token}` };
    return (await (await fetch(server.address + path, { ...init, headers })).json()) as { result: { id: string } };
  };
  const first = await browser.newPage();
  const ids: string[] = [];
  const pages: [name: string, path: () => string][] = [
    ["sign-in", () => "/sign-in"],
    ["no-crawls", () => "/crawls"],
    ["crawls", () => "/crawls"],
    ["new", () => `/crawls/new?url=${encodeURIComponent(`${site.origin}/`)}`],
    ["running", () => `/crawls/${ids[0]}`],
    ["ended", () => `/crawls/${ids[1]}`],
    ["explain", () => `/crawls/${ids[1]}/explain?url=${encodeURIComponent(`${site.origin}/private/notes`)}`],
    ["delete", () => `/crawls/${ids[1]}/delete`],
    ["not-found", () => "/crawls/none"],
  ];
  await first.close();
  const start = async (limit: number, politeness: object) => {
    const body = { url: `${site.origin}/`, limit, politeness };
    return (await call("/api/crawls", body)).result.id;
  };
  for (const [name, path] of pages) {
    if (name === "crawls") {
      ids.unshift(await start(2_000, { minDelayMs: 0, delayFactor: 0, maxConcurrencyPerHost: 4 }));
      await ended(ids[0] ?? "");
      ids.unshift(await start(1_000, { minDelayMs: 150, delayFactor: 0 }));
      await new Promise((resolve) => setTimeout(resolve, 12_000));
    }
    for (const scheme of ["light", "dark"] as const) {
      for (const [size, viewport] of Object.entries(SIZES)) {
        const context = await browser.newContext({
          viewport,
          colorScheme: scheme,
          deviceScaleFactor: size === "phone" ? 2 : 1,
        });
        const page = await context.newPage();
        if (name !== "sign-in") await signIn(page);
        await page.goto(server.address + path());
        if (name === "new") await page.locator(".explanations").waitFor();
        const file = `${name}-${size}-${scheme}`;
        await page.screenshot({ path: join(OUT, `${file}.png`), fullPage: true });
        if (process.argv.includes("--docs") && IN_README.includes(file))
          await page.screenshot({ path: join(IMAGES, `console-${file}.png`) });
        await context.close();
      }
    }
  }
  async function ended(id: string): Promise<void> {
    const status = ((await call(`/api/crawls/${id}`)).result as unknown as { status: string }).status;
    if (status === "completed") return;
    await new Promise((resolve) => setTimeout(resolve, 500));
    return ended(id);
  }
  async function signIn(page: Page): Promise<void> {
    await page.goto(`${server.address}/sign-in`);
    await page.fill("#token", server.token);
    await page.click("main button");
  }
} finally {
  await browser.close();
  await server.close();
  await site.close();
  dir.remove();
}
console.log(`Written to ${OUT}.`);

import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { startGeneratedSite } from "../sites/generated-site.ts";
import type { Site, SiteOptions } from "../sites/site.ts";
import { readRecords, run, scratch, start } from "./cli.ts";
import { killAll } from "./kill-all.ts";

/**
 * Rule 2: an interrupted crawl that is resumed ends with the same set of pages as an undisturbed one. See
 * kill.long.test.ts for kills.
 */

const PAGES = 150;
const CONCURRENCY = 4;
const ARGS = ["--delay", "0", "--concurrency", String(CONCURRENCY)];
const STORES = ["warc", "files"];
const dir = scratch();
const sites: Site[] = [];

afterAll(async () => {
  await Promise.all(sites.map((site) => site.close()));
  dir.remove();
});

async function slowSite(options: SiteOptions = {}): Promise<Site> {
  const site = await startGeneratedSite({ pages: PAGES, links: 10, bytes: 3_000, delayMs: 40, ...options });
  sites.push(site);
  return site;
}

/** Resolves when the site has seen this many requests. */
async function requests(site: Site, many: number): Promise<void> {
  while (site.log.length < many) await new Promise((resolve) => setTimeout(resolve, 10));
}

function completedUrls(out: string): Set<string> {
  return new Set(
    readRecords(out)
      .filter(({ status }) => status === "completed")
      .map(({ url }) => url),
  );
}

test.concurrent.each(STORES)("--store %s: no page is fetched twice after Ctrl-C and resume", async (store) => {
  // However long the command takes for the signal, most pages are still to come.
  const { promise: stopping, resolve: goOn } = Promise.withResolvers<void>();
  const site = await slowSite({ delayMs: 100, hold: async (nth) => (nth > 40 ? stopping : undefined) });
  const state = join(dir.path, `stopped-${store}`);
  const first = start("crawl", `${site.origin}/`, ...ARGS, "--store", store, "--state", state);
  await requests(site, 40);
  first.child.kill("SIGINT");
  await first.printed("the pages in flight are being finished");
  goOn();
  const { code, stdout } = await first.ended;
  expect(code).toBe(1);
  const id = /resume (\S+)/.exec(stdout)?.[1] ?? "";
  expect(site.log.length).toBeLessThan(PAGES);

  const out = `${state}-out`;
  const second = await run("resume", id, "--state", state, "--out", out);
  expect([second.code, second.stdout]).toEqual([0, expect.stringContaining(`Completed: ${PAGES} pages`)]);
  expect(completedUrls(out).size).toBe(PAGES);
  for (const [path, times] of site.counts()) expect([path, times]).toEqual([path, 1]);
});

test.concurrent("a second crawl in the same folder pauses an interrupted one", async () => {
  const site = await slowSite();
  const state = join(dir.path, "two");
  const first = start("crawl", `${site.origin}/`, ...ARGS, "--state", state);
  await requests(site, 30);
  await killAll(first);

  const second = await run("crawl", `${site.origin}/`, ...ARGS, "--limit", "3", "--state", state);
  expect(second.stdout).toContain("was interrupted before");
  expect(second.stdout).toContain("Completed: 3 pages");
  const list = JSON.parse((await run("list", "--json", "--state", state)).stdout) as { status: string }[];
  expect(list.map(({ status }) => status)).toEqual(["completed", "paused"]);
  const third = await run("resume", "--state", state);
  expect(third.stdout).toContain(`Completed: ${PAGES} pages`);
});

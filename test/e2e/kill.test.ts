import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { startGeneratedSite } from "../sites/generated-site.ts";
import { walk } from "../sites/walk.ts";
import { readRecords, run, scratch, start } from "./cli.ts";
import { killAll } from "./kill-all.ts";

/**
 * Rule 2 with real kills: SIGKILL of the command, of wrangler and of workerd at random moments, each followed by
 * `resume`. `KILLS` and `KILL_PAGES` set their numbers; `npm run test:kill` has 20 kills of a crawl of 2,000 pages,
 * with each store.
 */

const KILLS = Number(process.env.KILLS ?? 2);
const PAGES = Number(process.env.KILL_PAGES ?? 300);
/**
 * A kill costs at most these pages a second request: with packs the batch in flight, with files the page in flight. One
 * lane: one host.
 */
const PAGES_PER_KILL = { warc: 25, files: 1 };
const dir = scratch();

afterAll(() => dir.remove());

test.concurrent.each(["warc", "files"] as const)(
  `--store %s: ${KILLS} kills of a crawl of ${PAGES} pages end with the same set`,
  {
    timeout: KILLS * 30_000 + 120_000,
  },
  async (store) => {
    const site = await startGeneratedSite({ pages: PAGES, links: 10, bytes: 3_000, delayMs: 5 });
    const { log } = site;
    const state = join(dir.path, store);
    const flags = ["--delay", "0", "--limit", String(PAGES * 2), "--store", store, "--state", state];
    for (let i = 0; i < KILLS; i++) {
      const running = i === 0 ? start("crawl", `${site.origin}/`, ...flags) : start("resume", "--state", state);
      // At a random page of this kill's share, or while the command starts.
      const share = (PAGES / (KILLS + 1)) * Math.random() * 1.5;
      const until = Math.min(log.length + 1 + share, PAGES - 10);
      let over = false;
      void running.ended.then(() => {
        over = true;
      });
      while (log.length < until && !over) await new Promise((resolve) => setTimeout(resolve, 1));
      expect(over, "the command ended before the kill").toBe(false);
      await killAll(running);
    }
    const out = `${state}-out`;
    const end = await run("resume", "--state", state, "--out", out);
    expect([end.code, end.stdout]).toEqual([0, expect.stringContaining("Completed:")]);

    const completed = readRecords(out).filter(({ status }) => status === "completed");
    const fetchedAgain = [...site.counts()].filter(([path, times]) => times > 1 && path !== "/robots.txt");
    const extra = fetchedAgain.reduce((sum, [, times]) => sum + times - 1, 0);
    console.log(`--store ${store}, ${KILLS} kills: ${extra} of ${PAGES} pages fetched again`);
    expect(new Set(completed.map(({ url }) => url))).toEqual(new Set(await walk(`${site.origin}/`)));
    expect(completed).toHaveLength(PAGES);
    expect(extra).toBeLessThanOrEqual(PAGES_PER_KILL[store] * KILLS);
    await site.close();
  },
);

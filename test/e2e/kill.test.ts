import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { startGeneratedSite } from "../sites/generated-site.ts";
import type { Site } from "../sites/site.ts";
import { walk } from "../sites/walk.ts";
import { readRecords, run, scratch, start } from "./cli.ts";
import { killAll } from "./kill-all.ts";

/**
 * Rule 2 for real: SIGKILL of the command, of wrangler and of workerd at moments of no choosing, each followed by `resume`. `KILLS` and
 * `KILL_PAGES` say how many; `npm run test:kill` has 20 kills of a crawl of 2,000 pages.
 */

const KILLS = Number(process.env.KILLS ?? 3);
const PAGES = Number(process.env.KILL_PAGES ?? 300);
/** Lanes: one host, one connection to it at a time. */
const LANES = 1;
const dir = scratch();
let site: Site | undefined;

afterAll(async () => {
  await site?.close();
  dir.remove();
});

test(`${KILLS} kills of a crawl of ${PAGES} pages: the same set, and only pages in flight are fetched again`, {
  timeout: KILLS * 30_000 + 120_000,
}, async () => {
  site = await startGeneratedSite({ pages: PAGES, links: 10, bytes: 3_000, delayMs: 5 });
  const { log } = site;
  const state = join(dir.path, "state");
  const flags = ["--delay", "0", "--limit", String(PAGES * 2), "--state", state];
  for (let i = 0; i < KILLS; i++) {
    const running = i === 0 ? start("crawl", `${site.origin}/`, ...flags) : start("resume", "--state", state);
    // Somewhere in its share of the pages, or while it is only starting.
    const share = (PAGES / (KILLS + 1)) * Math.random() * 1.5;
    const until = Math.min(log.length + 1 + share, PAGES - 10);
    let over = false;
    void running.ended.then(() => {
      over = true;
    });
    while (log.length < until && !over) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(over, "it ended before it could be killed").toBe(false);
    await killAll(running);
  }
  const out = join(dir.path, "out");
  const end = await run("resume", "--state", state, "--out", out);
  expect([end.code, end.stdout]).toEqual([0, expect.stringContaining("Completed:")]);

  const completed = readRecords(out).filter(({ status }) => status === "completed");
  const counts = site.counts();
  const again = [...counts].filter(([path, times]) => times > 1 && path !== "/robots.txt");
  const extra = again.reduce((sum, [, times]) => sum + times - 1, 0);
  console.log(`${KILLS} kills: ${extra} of ${PAGES} pages fetched again`);
  expect(new Set(completed.map(({ url }) => url))).toEqual(new Set(await walk(`${site.origin}/`)));
  expect(completed).toHaveLength(PAGES);
  expect(extra).toBeLessThanOrEqual(LANES * KILLS);
});

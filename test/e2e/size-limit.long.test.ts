import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Summary } from "../../src/cli/summary.ts";
import { page, startHandmadeSite } from "../sites/handmade-site.ts";
import type { Site } from "../sites/site.ts";
import { commandIn, crawl, run, type Served, scratch, serve } from "./cli.ts";

/** `--max-bytes`: a crawl pauses when its pages have so many bytes, says so, and goes on with a higher limit. */

const dir = scratch();
let site: Site;
let served: Served;

beforeAll(async () => {
  const filler = "x".repeat(10_000);
  const pages = Array.from({ length: 30 }, (_, i) => [`/${i}`, page(filler, `/${i + 1}`)] as const);
  site = await startHandmadeSite({ "/": page("home", "/0"), ...Object.fromEntries(pages) });
  served = await serve(join(dir.path, "served"));
});

afterAll(async () => {
  await site.close();
  await served.close();
  dir.remove();
});

test("a crawl pauses at its size limit, and the command that it prints goes on", async () => {
  const flags = ["--delay", "0", "--source", "links", "--max-bytes", "100kB", ...served.remote];
  const { summary, ended } = await crawl(dir.path, `${site.origin}/`, ...flags);
  expect(ended.code).toBe(1);
  expect(summary.status).toBe("paused");
  expect(summary.bytes).toBeGreaterThanOrEqual(100_000);
  // A page has its filler twice.
  expect(summary.completed).toBeLessThan(30);
  const { stdout } = await run("status", summary.id, ...served.remote);
  expect(stdout).toMatch(/Waiting: it has [\d,]+ bytes, and its limit is 100,000\./);
  expect(ended.stderr).toContain("It has reached its size limit of 100,000 bytes.\n");
  const again = await run(...commandIn(ended.stderr, served.token), "--json");
  const more = JSON.parse(again.stdout) as Summary;
  expect(more.completed).toBeGreaterThan(summary.completed);
  expect(more).toMatchObject({ status: "paused" });
  expect(commandIn(again.stderr, served.token)).toContain(`${2 * more.bytes}`);
  const resumed = await run("resume", summary.id, "--max-bytes", "0", "--json", ...served.remote);
  expect(JSON.parse(resumed.stdout)).toMatchObject({ status: "completed", completed: 31 });
});

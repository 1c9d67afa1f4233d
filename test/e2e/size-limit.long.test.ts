import { beforeAll, expect, test } from "vitest";
import type { Summary } from "../../src/cli/output/summary.ts";
import { page, startHandmadeSite } from "../sites/handmade-site.ts";
import type { Site } from "../sites/site.ts";
import { commandIn, crawl, run } from "./cli.ts";
import { shareServer } from "./served-sites.ts";

/** `--max-bytes`: a crawl pauses when its pages have so many bytes, says so, and goes on with a higher limit. */

const shared = shareServer();
let site: Site;

beforeAll(async () => {
  const filler = "x".repeat(10_000);
  const pages = Array.from({ length: 30 }, (_, i) => [`/${i}`, page(filler, `/${i + 1}`)] as const);
  site = await startHandmadeSite({ "/": page("home", "/0"), ...Object.fromEntries(pages) });
  shared.sites.push(site);
});

test("a crawl pauses at its size limit, and the command that it prints goes on", async () => {
  const flags = ["--delay", "0", "--source", "links", "--max-bytes", "100kB", ...shared.served.remote];
  const { summary, ended } = await crawl(shared.dir.path, `${site.origin}/`, ...flags);
  expect(ended.code).toBe(1);
  expect(summary.status).toBe("paused");
  expect(summary.bytes).toBeGreaterThanOrEqual(100_000);
  // A page has its filler twice.
  expect(summary.completed).toBeLessThan(30);
  const { stdout } = await run("status", summary.id, ...shared.served.remote);
  expect(stdout).toMatch(/Waiting: it has [\d,]+ bytes, and its limit is 100,000\./);
  expect(ended.stderr).toContain("It has reached its size limit of 100,000 bytes.\n");
  const again = await run(...commandIn(ended.stderr, shared.served.token), "--json");
  const more = JSON.parse(again.stdout) as Summary;
  expect(more.completed).toBeGreaterThan(summary.completed);
  expect(more).toMatchObject({ status: "paused" });
  expect(commandIn(again.stderr, shared.served.token)).toContain(`${2 * more.bytes}`);
  const resumed = await run("resume", summary.id, "--max-bytes", "0", "--json", ...shared.served.remote);
  expect(JSON.parse(resumed.stdout)).toMatchObject({ status: "completed", completed: 31 });
});

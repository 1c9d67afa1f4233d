import { expect, test } from "vitest";
import type { CrawlView, HostView } from "../../../src/api/views.ts";
import { describeLongWait } from "../../../src/cli/output/long-wait.ts";

/** A crawl that can do nothing for a while says so. */

const NOW = Date.parse("2030-01-01T12:00:00Z");
const WHY = "robots.txt answered 500, so nothing of this host may be fetched before it answers otherwise";
const HERE = { state: ".orbweaver" };

function crawlOf(queued: number, maxDurationS = 0): CrawlView {
  return { id: "c1", counts: { queued }, options: { maxDurationS } } as CrawlView;
}

function hostOf(host: string, queued: number, waitMs: number): HostView {
  const nextAt = waitMs === 0 ? null : new Date(NOW + waitMs).toISOString();
  return { host, queued, nextAt, waitingSince: new Date(NOW - 1_000).toISOString(), why: WHY } as HostView;
}

const MINUTE = 60_000;

test("says until when all URLs wait, how to stop and how to go on", () => {
  const hosts = [hostOf("a.test", 12, 20 * MINUTE)];
  expect(describeLongWait(crawlOf(12), hosts, NOW, HERE)?.line).toBe(
    `All 12 URLs that are left wait until 2030-01-01 12:20 UTC for a.test: ${WHY}. To stop: Ctrl-C. To go on later: npm run orbweaver -- resume c1, with --max-time 30m to end it by itself`,
  );
});

test("says the end of the shortest wait, and leaves out what is set already", () => {
  const hosts = [hostOf("a.test", 1, 50 * MINUTE), hostOf("b.test", 1, 5 * MINUTE), hostOf("c.test", 0, 0)];
  const line = describeLongWait(crawlOf(2, 60), hosts, NOW, { ...HERE, remote: "https://o.test" })?.line;
  expect(line).toContain("All 2 URLs that are left wait until 2030-01-01 12:05 UTC for b.test and 1 more host");
  expect(line).toContain("To stop: npm run orbweaver -- pause c1 --remote https://o.test.");
  expect(line).not.toContain("--max-time");
});

test.each([
  ["a host is due", 2, [hostOf("a.test", 1, 20 * MINUTE), hostOf("b.test", 1, 0)]],
  ["a wait is short", 2, [hostOf("a.test", 1, 20 * MINUTE), hostOf("b.test", 1, 2 * MINUTE)]],
  ["URLs of hosts that are not listed may be due", 100, [hostOf("a.test", 1, 20 * MINUTE)]],
  ["no URL is left", 0, []],
])("says nothing where %s", (_, queued, hosts) => {
  expect(describeLongWait(crawlOf(queued), hosts, NOW, HERE)).toBeNull();
});

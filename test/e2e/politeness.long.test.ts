import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { page, redirect, startHandmadeSite } from "../sites/handmade-site.ts";
import type { Site } from "../sites/site.ts";
import { crawl, type Served, scratch, serve, serveFast } from "./cli.ts";
import { expectPace, gaps, SPEED } from "./host-pace.ts";
import { hasTool } from "./required-tools.ts";

/** Rule 3 as in politeness.test.ts, with more delays, and with waits in real time. */

const dir = scratch();
const sites: Site[] = [];
let served: Served;

beforeAll(async () => {
  served = await serveFast(join(dir.path, "served"), SPEED);
});

afterAll(async () => {
  await served.close();
  await Promise.all(sites.map((site) => site.close()));
  dir.remove();
});

// The longest, in real time, so it starts first.
test.runIf(hasTool("proc", existsSync("/proc/self/fd"), "that an idle gate leaves memory"))(
  "an idle gate leaves memory, but not while a lane holds its host",
  { concurrent: true },
  async ({ expect }) => {
    const state = join(dir.path, "gates");
    const made = await startHandmadeSite(
      { "/robots.txt": "", "/": page("home", "/slow"), "/slow": page("slow") },
      { host: "127.0.0.7" },
    );
    sites.push(made);
    const served = await serve(state);
    try {
      const crawled = crawl(
        join(dir.path, "slowly"),
        `${made.origin}/`,
        "--delay",
        "4",
        "--source",
        "links",
        ...served.remote,
      );
      await expect.poll(() => openGates(state), { timeout: 60_000 }).toBe(1);
      expect((await crawled).summary).toMatchObject({ status: "completed", completed: 2 });
      expect(Math.min(...gaps(made, 1))).toBeGreaterThanOrEqual(2_500);
      await expect.poll(() => openGates(state), { timeout: 60_000 }).toBe(0);
    } finally {
      await served.close();
    }
  },
);

/** The number of gates whose storage a process has open. */
function openGates(state: string): number {
  const open = readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid))
    .flatMap((pid) => {
      try {
        return readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
      } catch {
        // The process has just ended, or belongs to another user.
        return [];
      }
    });
  // metadata.sqlite lists the gates, and stays open.
  const isGate = (path: string) => path.startsWith(state) && /HostGate\/[0-9a-f]+\.sqlite$/.test(path);
  return new Set(open.filter(isGate)).size;
}

const PACES = [
  { seconds: 3, crawls: 3, host: "127.0.0.10" },
  { seconds: 3, crawls: 1, host: "127.0.0.11" },
  { seconds: 1, crawls: 1, host: "127.0.0.13" },
  { seconds: 0.2, crawls: 3, host: "127.0.0.14" },
];

test.concurrent.each(PACES)(
  "all crawls together keep a host's pace, robots.txt and redirects included: $seconds s, crawls: $crawls",
  (pace) => expectPace(served, sites, pace),
);

test.concurrent("the rest before a redirect of robots.txt may be longer than the timeout (in real time)", async () => {
  const made = await startHandmadeSite(
    { "/robots.txt": redirect("/rules"), "/rules": "", "/": page("home") },
    { host: "127.0.0.5" },
  );
  sites.push(made);
  const flags = ["--delay", "6", "--timeout", "1", "--max-attempts", "1", ...served.remote];
  const { summary } = await crawl(join(dir.path, "hops"), `${made.origin}/`, ...flags);
  expect(summary.completed).toBe(1);
});

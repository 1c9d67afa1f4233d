import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Site, startSite } from "../sites/site.ts";
import { scratch } from "./cli.ts";
import { hasTool } from "./required-tools.ts";
import { unpackPackage } from "./unpacked.ts";

/**
 * The package with other versions of Node than that of the tests. NODES has the paths of their programs, separated by
 * colons. `npm run bench:start` measures starts on a quiet machine; here the limits have room for a busy one.
 */

const NODES = (process.env.NODES ?? "").split(":").filter((path) => path !== "");
const MAX_FIRST_MS = 10_000;
const MAX_LATER_MS = 5_000;
/** The first with SQLite of its own. */
const OLDEST = [22, 13] as const;

hasTool("nodes", NODES.length > 0, "the package with Node 20 and 22");

const dir = scratch();
let site: Site;
let command = "";

beforeAll(async () => {
  site = await startSite((_, response) => {
    response.setHeader("content-type", "text/html").end("<title>Loom</title><p>Words about looms.");
  });
  command = unpackPackage(dir.path);
}, 180_000);
afterAll(async () => {
  await site.close();
  dir.remove();
});

async function run(node: string, home: string, ...args: string[]) {
  const child = spawn(node, [command, ...args], { cwd: home, env: { PATH: process.env.PATH, HOME: home } });
  const [[code], stdout, stderr] = await Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)]);
  return { code: code as number | null, stdout, stderr };
}

/** Milliseconds from the start of a crawl to its first request for a page, and what it printed. */
async function crawlOnce(node: string, home: string) {
  const seen = site.log.length;
  const startedAt = performance.timeOrigin + performance.now();
  const ended = await run(node, home, "crawl", `${site.origin}/`, "--delay", "0", "--json");
  const page = site.log.slice(seen).find(({ path }) => path === "/");
  return { ...ended, firstPageMs: (page?.startedAt ?? Number.POSITIVE_INFINITY) - startedAt };
}

describe.each([process.execPath, ...NODES])("%s", (node) => {
  const [major = 0, minor = 0] = execFileSync(node, ["-p", "process.versions.node"], { encoding: "utf8" })
    .split(".")
    .map(Number);
  const home = join(dir.path, `node-${major}`);
  const isNewEnough = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);

  test.runIf(isNewEnough)(
    "crawls in an empty folder, soon after its first start and sooner after the next",
    async () => {
      mkdirSync(home);
      const first = await crawlOnce(node, home);
      expect([first.code, first.stdout]).toEqual([0, expect.stringContaining('"completed":1')]);
      const second = await crawlOnce(node, home);
      expect([second.code, second.stdout]).toEqual([0, expect.stringContaining('"completed":1')]);
      console.log(
        `Node ${major}.${minor}: ${first.firstPageMs.toFixed(0)} ms, then ${second.firstPageMs.toFixed(0)} ms`,
      );
      expect(first.firstPageMs).toBeLessThan(MAX_FIRST_MS);
      expect(second.firstPageMs).toBeLessThan(MAX_LATER_MS);
    },
  );

  test.runIf(!isNewEnough)("is too old, and the command says which Node it needs", async () => {
    mkdirSync(home);
    const { code, stdout, stderr } = await run(node, home, "crawl", `${site.origin}/`);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^Orbweaver needs Node 22\.13 or later; this is v\d+\.\d+\.\d+\. See .*\n$/);
  });
});

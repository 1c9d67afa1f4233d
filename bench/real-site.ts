/**
 * Crawls a real site and verifies the result by the site's log: Debian's handbook, 3,302 files in 26 languages, on
 * loopback.
 *
 *     npm run bench:real -- [--root DIR]
 *
 * Needs Debian's package debian-handbook, or any folder of HTML. Exits 1 if a number is wrong.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import type { Summary } from "../src/cli/output/summary.ts";
import { startStaticSite } from "../test/sites/static-site.ts";
import { walk } from "../test/sites/walk.ts";

const { values } = parseArgs({ options: { root: { type: "string", default: "/usr/share/doc/debian-handbook/html" } } });
const { root } = values;
if (!existsSync(root))
  throw new Error(`There is no ${root}. Install Debian's debian-handbook, or name a folder with --root.`);

const robots = "User-agent: *\nDisallow: /no-such-place/\n";
const site = await startStaticSite(root, { robots });
const dir = mkdtempSync(join(tmpdir(), "orbweaver-real-"));
try {
  // The handbook has a front page for each language, and none for all.
  const inner = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const seeds = existsSync(join(root, "index.html"))
    ? [`${site.origin}/`]
    : inner
        .map(({ name }) => `${site.origin}/${name}/`)
        .filter((_, i) => existsSync(join(root, inner[i]?.name ?? "", "index.html")));

  const startedAt = performance.now();
  const { code, summary } = await crawl(seeds);
  const seconds = (performance.now() - startedAt) / 1000;
  const log = [...site.log];
  const expected = new Set<string>();
  for (const seed of seeds) for (const url of await walk(seed)) expected.add(url);

  const completed = new Set(
    readFileSync(join(dir, "out", "records.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { url: string; status: string })
      .filter(({ status }) => status === "completed")
      .map(({ url }) => url),
  );
  const times = new Map<string, number>();
  for (const { path } of log) times.set(path, (times.get(path) ?? 0) + 1);
  const first = log[0]?.startedAt ?? 0;
  const last = log.at(-1)?.finishedAt ?? first;

  report("exit code", code, code === 0);
  report("pages an independent walk finds", expected.size, expected.size >= 1000);
  report("pages completed", completed.size, completed.size === expected.size);
  report(
    "missing",
    [...expected].filter((url) => !completed.has(url)).length,
    [...expected].every((url) => completed.has(url)),
  );
  report(
    "too many",
    [...completed].filter((url) => !expected.has(url)).length,
    [...completed].every((url) => expected.has(url)),
  );
  report("patterns that gave way", summary.slowed.length, summary.slowed.length === 0);
  report("requests", log.length, true);
  report(
    "fetched more than once",
    [...times.values()].filter((n) => n > 1).length,
    [...times.values()].every((n) => n === 1),
  );
  report(
    "robots.txt asked for, and first",
    times.get("/robots.txt") ?? 0,
    log[0]?.path === "/robots.txt" && times.get("/robots.txt") === 1,
  );
  report("most connections at once", site.connectionsPeak(), site.connectionsPeak() <= 8);
  report("pages/s by the site's log", (completed.size / ((last - first) / 1000)).toFixed(1), true);
  report("seconds in all, with starting and writing the folder", seconds.toFixed(1), true);
} finally {
  await site.close();
  rmSync(dir, { recursive: true, force: true });
}

async function crawl(seeds: string[]): Promise<{ code: number | null; summary: Pick<Summary, "slowed"> }> {
  const args = [
    "--limit",
    "100000",
    "--json",
    "--delay",
    "0",
    "--concurrency",
    "8",
    "--out",
    join(dir, "out"),
    "--state",
    join(dir, "state"),
  ];
  const child = spawn(process.execPath, ["src/cli/main.js", "crawl", ...seeds, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [printed, code] = await Promise.all([
    text(child.stdout),
    new Promise<number | null>((resolve) => child.once("close", resolve)),
  ]);
  return { code, summary: JSON.parse(printed) as Summary };
}

function report(what: string, value: unknown, good: boolean): void {
  console.log(`${good ? "ok " : "BAD"}  ${what}: ${value}`);
  if (!good) process.exitCode = 1;
}

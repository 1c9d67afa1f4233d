/**
 * Where the CPU time of a crawl goes: a crawl of the throughput bench under Linux's `perf`, with V8's map of compiled
 * functions. Prints the shares by category, and those of our own functions.
 *
 *     npm run bench:profile -- [--pages 3000] [--flags "--search --markdown"] [--top 40] [--inside SQLite]
 *
 * It needs `perf` (Debian: linux-perf) and the right to use it (kernel.perf_event_paranoid at most 1, or root).
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { buildWorker } from "../src/cli/machine/worker-build.ts";
import { DEFAULT_SIZE } from "../test/sites/generated-site.ts";
import { processTree } from "./memory.ts";
import { orbweaver } from "./peers/orbweaver.ts";
import { categoryOf, readFunction } from "./profile/categories.ts";
import { startSiteProcess } from "./site-process.ts";

const { values } = parseArgs({
  options: {
    pages: { type: "string", default: String(DEFAULT_SIZE.pages) },
    flags: { type: "string", default: "" },
    inside: { type: "string" },
    top: { type: "string", default: "40" },
  },
});

/** Samples a second. A prime, so that nothing regular is always hit. */
const HERTZ = 997;
const V8_FLAGS =
  "--perf-basic-prof --interpreted-frames-native-stack --max-semi-space-size=1 --initial-old-space-size=4";

const size = { ...DEFAULT_SIZE, pages: Number(values.pages) };
const build = await buildWorker(tmpdir());
const sources = new Map(
  build.files.map((file) => {
    const map = readFileSync(join(build.folder, `${file}.map`), "utf8");
    return [file, new SourceMap(JSON.parse(map) as SourceMapPayload)];
  }),
);
const begins = Promise.withResolvers<void>();
// The first pages are read by code that is not compiled yet.
const site = await startSiteProcess(size, [Math.ceil(size.pages / 10)], () => begins.resolve());
const folder = mkdtempSync(join(tmpdir(), "orbweaver-profile-"));
const { args } = orbweaver.command(`${site.origin}/`, join(folder, "state"));
const env = { ...process.env, MINIFLARE_WORKERD_V8_FLAGS: V8_FLAGS };
const crawl = spawn(process.execPath, [...args, ...values.flags.split(" ").filter(Boolean)], { env, stdio: "ignore" });
const ended = once(crawl, "exit");
const maps: string[] = [];
try {
  await Promise.race([begins.promise, ended]);
  const pids = processTree(crawl.pid ?? 0).filter((pid) => executableOf(pid) === "workerd");
  maps.push(...pids.map((pid) => `/tmp/perf-${pid}.map`));
  const data = join(folder, "perf.data");
  const recorded = ["record", "-q", "-F", String(HERTZ), "-g", "-o", data, "-p", pids.join(",")];
  const perf = spawn("perf", recorded, { stdio: ["ignore", "ignore", "inherit"] });
  const stopped = once(perf, "exit");
  await Promise.race([ended, stopped]);
  if (crawl.exitCode === null) throw new Error("perf ended before the crawl");
  perf.kill("SIGINT");
  await stopped;
  await print(data, maps.some(existsSync));
} finally {
  if (crawl.exitCode === null) crawl.kill("SIGTERM");
  await ended;
  await site.close();
  for (const map of maps) rmSync(map, { force: true });
  rmSync(folder, { recursive: true, force: true });
}

async function print(data: string, hasMap: boolean): Promise<void> {
  const script = spawn("perf", ["script", "-i", data, "-F", "comm,ip,sym,dso"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const categories = new Map<string, number>();
  const own = new Map<string, number>();
  const below = new Map<string, number>();
  const inside = new Map<string, number>();
  const add = (table: Map<string, number>, key: string) => table.set(key, (table.get(key) ?? 0) + 1);
  let all = 0;
  let stack: string[] = [];
  const end = () => {
    if (stack.length === 0) return;
    all += 1;
    const category = categoryOf(stack);
    add(categories, category);
    if (category === values.inside) add(inside, stack.slice(0, 4).map(symbolOf).join(" < "));
    const functions = stack.map(nameOf);
    const [first] = functions.filter((name) => name !== null);
    if (first !== undefined) add(own, first);
    for (const name of new Set(functions)) if (name !== null) add(below, name);
    stack = [];
  };
  for await (const line of createInterface({ input: script.stdout })) {
    if (line.trim() === "") end();
    else if (/^\s/.test(line)) stack.push(line.trim());
  }
  end();
  const percent = (count: number) => `${((100 * count) / Math.max(all, 1)).toFixed(1).padStart(5)}%`;
  const rows = (table: Map<string, number>, most: number) => [...table].sort(([, a], [, b]) => b - a).slice(0, most);
  console.log(`${all} samples of ${HERTZ} a second${hasMap ? "" : "; V8 wrote no map, so no function has a name"}\n`);
  for (const [name, count] of rows(categories, 20)) console.log(`${percent(count)}  ${name}`);
  if (inside.size > 0) console.log(`\nInside of ${values.inside}, the innermost frame first:\n`);
  for (const [name, count] of rows(inside, Number(values.top))) console.log(`${percent(count)}  ${name}`);
  console.log("\nOur functions, with what they call that is not ours:\n");
  for (const [name, count] of rows(own, Number(values.top))) console.log(`${percent(count)}  ${name}`);
  console.log("\nOur functions, with all that they call:\n");
  for (const [name, count] of rows(below, Number(values.top))) console.log(`${percent(count)}  ${name}`);
}

/** The function of a frame by its place in the sources; null if it is none of the Worker. */
function nameOf(frame: string): string | null {
  const found = readFunction(frame);
  if (found === null || found.line === null) return found?.name ?? null;
  const { originalSource, originalLine } = (sources.get(found.file)?.findEntry(found.line - 1, found.column - 1) ??
    {}) as { originalSource?: string; originalLine?: number };
  if (originalSource === undefined) return found.name;
  const place = originalSource.replace(/^.*node_modules\//, "").replace(/^.*\/src\//, "src/");
  return `${place}:${(originalLine ?? 0) + 1}  ${found.name}`;
}

function symbolOf(frame: string): string {
  return frame
    .replace(/^[0-9a-f]+ /, "")
    .replace(/ \([^()]*\)$/, "")
    .slice(0, 90);
}

function executableOf(pid: number): string {
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`));
  } catch {
    return "";
  }
}

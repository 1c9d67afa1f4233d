/**
 * `npm run bench:start -- [--rounds 7] [--against DIR]...`: medians of the time from a command to the first request of
 * its crawl, in a new state folder, and to the end of `list`, `status` and `records` on a state with one crawl of 200
 * pages. Each DIR is another checkout with its packages, or an installed package (`node_modules/orbweaver`). All take
 * turns, so that a slow minute of the machine meets each of them, and Crawlee takes its turn with the first request.
 * Standard error shows each time.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { scratch } from "../test/e2e/cli.ts";
import { median } from "./median.ts";
import { crawlee } from "./peers/crawlee.ts";
import { startSiteProcess } from "./site-process.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "7" }, against: { type: "string", multiple: true, default: [] } },
});
const HERE = fileURLToPath(new URL("..", import.meta.url));
const FIRST_REQUEST = "first request";
const READING = ["list", "status", "records"];
const SITE = { pages: 200, links: 20, bytes: 10_000 };

interface Program {
  name: string;
  /** The folder in which its commands run. */
  folder: string;
  crawl(url: string, state: string): { args: string[]; env?: Record<string, string> };
}

interface Checkout extends Program {
  state: string;
  id: string;
}

const dir = scratch();
try {
  const checkouts: Checkout[] = [];
  for (const folder of [HERE, ...values.against]) checkouts.push(await prepare(folder));
  const crawlers: Program[] = [...checkouts, { name: "Crawlee", folder: HERE, crawl: crawlee.command }];
  const times = new Map<string, number[]>();
  const note = ({ name }: Program, what: string, ms: number) => {
    const key = `${name} ${what}`;
    times.set(key, [...(times.get(key) ?? []), ms]);
    console.error(`${key}: ${seconds(ms)} s`);
  };
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const crawler of crawlers) note(crawler, FIRST_REQUEST, await timeFirstRequest(crawler));
    for (const command of READING)
      for (const checkout of checkouts) note(checkout, command, await timeReading(checkout, command));
  }
  const others = crawlers.slice(1).map(({ name }) => name);
  console.log(`| s | here | ${others.map((name) => `${name} | here by it`).join(" | ")} |`);
  console.log(`| --- |${" --- |".repeat(1 + 2 * others.length)}`);
  for (const what of [FIRST_REQUEST, ...READING]) {
    const here = median(times.get(`here ${what}`) ?? []);
    const cells = others.flatMap((name) => {
      const measured = times.get(`${name} ${what}`);
      return measured === undefined ? ["", ""] : [seconds(median(measured)), (here / median(measured)).toFixed(2)];
    });
    console.log(`| ${[what, seconds(here), ...cells].join(" | ")} |`);
  }
} finally {
  dir.remove();
}

/** Crawls the site whose records the commands read. The first command of a checkout also builds its Worker. */
async function prepare(folder: string): Promise<Checkout> {
  const name = folder === HERE ? "here" : folder;
  const state = join(dir.path, `read-${name.replaceAll("/", "-")}`);
  const crawl: Program["crawl"] = (url, at) => ({
    args: commandOf(folder, "crawl", url, "--delay", "0", "--state", at),
  });
  const site = await startSiteProcess(SITE, [], () => undefined);
  await run(folder, crawl(`${site.origin}/`, state).args);
  await site.close();
  const crawls = JSON.parse(await run(folder, commandOf(folder, "list", "--json", "--state", state)));
  return { name, folder, crawl, state, id: crawls[0].id };
}

/** Older checkouts have an entry in TypeScript. A package has the command alone. */
function commandOf(folder: string, ...args: string[]): string[] {
  const entry = ["src/cli/main.js", "src/cli/main.ts", "bin/orbweaver.js"].find((file) =>
    existsSync(join(folder, file)),
  );
  if (entry === undefined) throw new Error(`${folder} has no command line`);
  return [entry, ...args];
}

async function timeFirstRequest({ folder, crawl }: Program): Promise<number> {
  const state = join(dir.path, "new");
  let firstAt = 0;
  const server = createServer(({ url }, answer) => {
    firstAt ||= performance.now();
    if (url === "/robots.txt") answer.writeHead(404).end();
    else answer.writeHead(200, { "content-type": "text/html" }).end("<title>A page</title>");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { args, env } = crawl(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, state);
  const startedAt = performance.now();
  await run(folder, args, env);
  server.close();
  server.closeAllConnections();
  rmSync(state, { recursive: true });
  return firstAt - startedAt;
}

async function timeReading({ folder, state, id }: Checkout, name: string): Promise<number> {
  const startedAt = performance.now();
  await run(folder, commandOf(folder, name, ...(name === "list" ? [] : [id]), "--state", state));
  return performance.now() - startedAt;
}

/** Resolves with the output when the program has ended. Throws unless it ends with 0. */
async function run(folder: string, args: string[], env: Record<string, string> = {}): Promise<string> {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [[code], output, errors] = await Promise.all([once(child, "exit"), text(child.stdout), text(child.stderr)]);
  if (code !== 0) throw new Error(`node ${args.join(" ")} in ${folder} ended with ${code}:\n${errors}`);
  return output;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(2);
}

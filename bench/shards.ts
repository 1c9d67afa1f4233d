/**
 * One crawl over several ledgers, killed at random moments, and then counted in the databases: every URL that its pages
 * lead to has one row, in the ledger of its host, with one end, and the counters are what the rows say. It throws
 * otherwise.
 *
 *     npm run bench:shards -- [--ledgers 8] [--hosts 64] [--site 2700000000] [--pages 100000] [--links 80] [--back 2]
 *                             [--kills 10]
 *
 * The hosts have `--site` pages, of which `--pages` are fetched. Each links to `--links` pages to which nothing else
 * leads, and to `--back` earlier ones. A kill is SIGKILL of all processes of the command; `resume` goes on. There are
 * no rests, because it measures our own work.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ledgerOfUrl, partIn, type Shards } from "../src/crawl/shards/shards.ts";
import { type Ended, type Running, scratch, serve, start } from "../test/e2e/cli.ts";
import { killAll } from "../test/e2e/kill-all.ts";
import { mebibytes } from "./measured-command.ts";
import { residentBytes } from "./memory.ts";
import { linksOf, numberIn, pathOf, type Tree } from "./tree.ts";
import type { TreeReport } from "./tree-child.ts";

const { values } = parseArgs({
  options: {
    ledgers: { type: "string", default: "8" },
    hosts: { type: "string", default: "64" },
    pages: { type: "string", default: "100000" },
    links: { type: "string", default: "80" },
    site: { type: "string", default: "2700000000" },
    back: { type: "string", default: "2" },
    kills: { type: "string", default: "10" },
  },
});
const LEDGERS = Number(values.ledgers);
const PAGES = Number(values.pages);
const SITE = Number(values.site);
const KILLS = Number(values.kills);
const hosts = Array.from(
  { length: Number(values.hosts) },
  (_, i) => `127.0.${1 + Math.floor(i / 250)}.${1 + (i % 250)}`,
);
const tree: Tree = { hosts, pages: SITE, links: Number(values.links), back: Number(values.back) };
const POLL_MS = 200;
const PROGRESS_MS = 60_000;
const LOGGED_CHARACTERS = 4_000;

const dir = scratch();
const state = join(dir.path, "state");
const child = fork(fileURLToPath(new URL("tree-child.ts", import.meta.url)), [JSON.stringify(tree)]);
const exited = once(child, "exit");
try {
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  // Makes the ledgers.
  await (await serve(state, "--ledgers", String(LEDGERS))).close();
  const seeds = hosts.map((host, i) => `http://${host}:${port}${pathOf(i)}`);
  const fast = ["--delay", "0", "--concurrency", "8", "--source", "links"];
  // All pages have one pattern, and say little.
  const all = ["--max-variants", "10000000", "--keep-endless", "--keep-duplicates"];
  const order = ["crawl", ...seeds, "--shards", String(LEDGERS), "--limit", String(PAGES), ...fast, ...all];
  const startedAt = performance.now();
  const memory = await crawlWithKills(order);
  const seconds = (performance.now() - startedAt) / 1_000;
  const served = await report(child);
  const { known, completed, requeued } = countRows();
  console.log(
    `| ledgers | hosts | pages | known URLs | kills | seconds | pages/s | fetched again | memory of workerd, MiB |\n|${" --- |".repeat(9)}\n| ${[
      ...[LEDGERS, hosts.length, completed.toLocaleString("en"), known.toLocaleString("en"), KILLS],
      ...[seconds.toFixed(0), (completed / seconds).toFixed(0), served.requests - served.pages, mebibytes(memory)],
    ].join(" | ")} |`,
  );
  if (requeued > 0) throw new Error(`${requeued} URLs have no end`);
} finally {
  child.disconnect();
  await exited;
  dir.remove();
}

/** The peak of workerd's resident bytes. Throws unless the crawl ends by itself. */
async function crawlWithKills(order: string[]): Promise<number> {
  let peak = 0;
  let running = start(...order, "--state", state);
  for (let kill = 0; kill <= KILLS; kill++) {
    // At a random page of this kill's share.
    const until = kill === KILLS ? Number.POSITIVE_INFINITY : ((kill + Math.random()) * PAGES) / (KILLS + 1);
    const { end, memory } = await waitUntil(running, until);
    peak = Math.max(peak, memory);
    if (end !== null) {
      if (end.code !== 0 || kill < KILLS)
        throw new Error(`it ended with ${end.code}:\n${end.stdout}${end.stderr}\n${lastLogs()}`);
      console.error(end.stdout.trim());
      return peak;
    }
    await killAll(running);
    console.error(`kill ${kill + 1} after ${(await report(child)).pages} pages`);
    running = start("resume", "--state", state);
  }
  return peak;
}

/** The state folder goes with the bench. */
function lastLogs(): string {
  const folder = join(state, "logs");
  return readdirSync(folder)
    .map((name) => `${name}:\n${readFileSync(join(folder, name), "utf8").slice(-LOGGED_CHARACTERS)}`)
    .join("\n");
}

/** Until the hosts have served so many pages, or the command has ended. */
async function waitUntil(running: Running, pages: number): Promise<{ end: Ended | null; memory: number }> {
  let end: Ended | null = null;
  let memory = 0;
  void running.ended.then((ended) => {
    end = ended;
  });
  let told = performance.now();
  for (;;) {
    const served = await report(child);
    memory = Math.max(memory, residentBytes(running.child.pid ?? 0, "workerd") ?? 0);
    if (performance.now() - told > PROGRESS_MS) {
      told = performance.now();
      console.error(`${served.pages} pages served`);
    }
    if (end !== null || served.pages >= pages) return { end, memory };
    await sleep(POLL_MS);
  }
}

async function report(child: ChildProcess): Promise<TreeReport> {
  child.send("report");
  const [served] = (await once(child, "message")) as [TreeReport];
  return served;
}

/** Compares the rows of all databases with each other and with what the fetched pages link to. */
function countRows(): { known: number; completed: number; requeued: number } {
  const folder = join(state, "v3", "d1", "miniflare-D1DatabaseObject");
  const rows = new Uint8Array(SITE);
  const COMPLETED = 2;
  const totals = { known: 0, completed: 0, requeued: 0 };
  for (const file of readdirSync(folder).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name))) {
    const db = new DatabaseSync(join(folder, file), { readOnly: true });
    const part = db.prepare("SELECT *, notes -> '$.shards' AS shards FROM crawls").get();
    if (part === undefined) throw new Error(`${file} has no part`);
    const shards = JSON.parse(String(part.shards)) as Shards;
    const counted: Record<string, number> = {};
    for (const { url, status } of db.prepare("SELECT url, status FROM urls WHERE crawl = ?").iterate(String(part.id))) {
      const page = numberIn(new URL(String(url)).pathname);
      if (page === null) throw new Error(`${url} was not linked`);
      if (rows[page] !== 0) throw new Error(`${url} has two rows`);
      if (partIn(ledgerOfUrl(String(url), shards), shards.home) !== part.id) throw new Error(`${url} is in ${file}`);
      rows[page] = status === "completed" ? COMPLETED : 1;
      counted[String(status)] = (counted[String(status)] ?? 0) + 1;
      counted.discovered = (counted.discovered ?? 0) + 1;
    }
    for (const counter of [
      "discovered",
      "pending",
      "queued",
      "completed",
      "skipped",
      "errored",
      "disallowed",
      "cancelled",
    ])
      if (Number(part[counter] ?? 0) !== (counted[counter] ?? 0))
        throw new Error(`${file}: ${counter} is ${part[counter]}, and ${counted[counter] ?? 0} rows are so`);
    if (part.status !== "completed") throw new Error(`the part in ${file} is ${part.status}`);
    totals.known += counted.discovered ?? 0;
    totals.completed += counted.completed ?? 0;
    totals.requeued += (counted.pending ?? 0) + (counted.queued ?? 0);
    db.close();
  }
  const expected = new Uint8Array(SITE).fill(1, 0, hosts.length);
  rows.forEach((row, page) => {
    if (row === COMPLETED) for (const to of linksOf(page, tree)) expected[to] = 1;
  });
  const lost = expected.findIndex((is, page) => is === 1 && rows[page] === 0);
  if (lost !== -1) throw new Error(`page ${lost} was lost`);
  const added = expected.findIndex((is, page) => is === 0 && rows[page] !== 0);
  if (added !== -1) throw new Error(`nothing links to page ${added}`);
  if (totals.completed !== PAGES) throw new Error(`${totals.completed} pages were completed, not ${PAGES}`);
  return totals;
}

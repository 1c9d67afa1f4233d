import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { type EventEmitter, once } from "node:events";
import { existsSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type OutRecord, readRecords, type Served, scratch, serveWith, start } from "../e2e/cli.ts";
import { HTML, page } from "../sites/handmade-site.ts";
import { BROKEN_HOSTS } from "../sites/hostile-answers.ts";
import { type Site, type SiteHandler, startSite } from "../sites/site.ts";
import { type Answers, canaryAnswers, hostileAnswers } from "./material.ts";
import { commandOf, processesWith, proportionalBytes } from "./watch-processes.ts";

/**
 * `npm run attack`: crawls all hostile material beside 100 good pages, while strangers without a token send what they
 * can, and says what was promised and what happened. It takes some minutes and ends with 1 if a promise was not kept.
 * `--keep` leaves the state and the output; `--only WORD` serves what has this word in its path.
 */

const GOOD = 100;
/** The promises. Bytes are the proportional set size of all processes together. */
const MOST_BYTES = 2 * 1024 ** 3;
const MOST_HEALTH_MS = 1_000;
const MOST_SEARCH_MS = 1_000;
const TURN_MS = 100;
const MEMORY_EVERY_MS = 500;
/** Processes that are named at the peak. */
const LARGEST = 8;
const SEARCHES = ["x", "the", "the word", '"the error of the log"', "wor*", "x x x x x x x x", "error -x"];
/** A variable of the installation's environment, by which its processes are found. */
const MARK = { ORBWEAVER_ATTACK: randomUUID() };
const marked = () => processesWith(`ORBWEAVER_ATTACK=${MARK.ORBWEAVER_ATTACK}`);

const keep = process.argv.includes("--keep");
const only = process.argv.includes("--only") ? process.argv[process.argv.indexOf("--only") + 1] : undefined;
const say = (line: string) => console.error(`${new Date().toISOString().slice(11, 19)} ${line}`);

const good = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `/good/${from + at}`);
const GOOD_TEXT = "<p>Looms weave cloth of warp and weft, and this page says so at some length. ".repeat(20);
const goodPage = (path: string) => page(`good ${path}`).replace("</body>", `${GOOD_TEXT}</body>`);

const sites: Site[] = [];
async function open(host: string, handler: SiteHandler): Promise<Site> {
  const site = await startSite(handler, { host });
  sites.push(site);
  return site;
}

/** A host with this home page, good pages, and other answers by path. */
function openGood(host: string, home: string, others: Answers): Promise<Site> {
  return open(host, (request, response) => {
    const { url = "/" } = request;
    const answer = others.get(url);
    if (answer !== undefined) return answer(request, response);
    if (url === "/") return void response.writeHead(200, HTML).end(home);
    if (url.startsWith("/good/")) return void response.writeHead(200, HTML).end(goodPage(url));
    // What pages of hundreds of thousands of links lead to: pages, so that the limit ends the crawl.
    if (/^\/(many\/)?\d+$/.test(url)) return void response.writeHead(200, HTML).end(page(url));
    return none(response);
  });
}

const isRobots = (url: string | undefined) => url === "/robots.txt";
const none = (response: Parameters<SiteHandler>[1]) => void response.writeHead(404).end();

/** Addresses that nobody has named: an address, and a name that leads to one. */
async function openCanaries(): Promise<{ origins: string[]; hits: () => string[] }> {
  const canary = await open("127.0.0.9", (_, response) => void response.writeHead(200, HTML).end(page("canary")));
  const local = await open("127.0.0.1", (_, response) => void response.writeHead(200, HTML).end(page("canary")));
  const origins = [canary.origin, `http://localhost:${local.port}`];
  return {
    origins,
    hits: () => [canary, local].flatMap(({ log, host }) => log.map(({ path }) => `${host}${path}`)),
  };
}

/** The seeds: one host with everything, one with good pages alone, and hosts that break, hang and never end. */
async function openTargets(canaries: readonly string[]): Promise<string[]> {
  const answers = new Map([...hostileAnswers(), ...canaryAnswers(canaries)]);
  const hostile = [...answers.keys()].filter((path) => only === undefined || path.includes(only));
  say(`${hostile.length} hostile answers on one host`);
  const half = good(0, GOOD / 2);
  const links = Array.from({ length: Math.max(half.length, hostile.length) }, (_, at) => [half[at], hostile[at]]);
  const home = page("home", ...links.flat().filter((link) => link !== undefined));
  const mixed = await openGood("127.0.0.21", home, answers);
  const calm = await openGood("127.0.0.22", page("calm", ...good(GOOD / 2, GOOD)), new Map());
  const seeds = [`${mixed.origin}/`, `${calm.origin}/`];
  if (only !== undefined) return seeds;
  for (const [at, canary] of canaries.entries()) {
    const led = await open(`127.0.2.${at + 1}`, ({ url }, response) => {
      if (isRobots(url)) return void response.writeHead(302, { location: `${canary}/robots.txt` }).end();
      response.writeHead(200, HTML).end(page("led"));
    });
    seeds.push(`${led.origin}/`);
    const listed = await open(`127.0.2.${at + 11}`, ({ url }, response) => {
      if (isRobots(url)) return void response.writeHead(200).end(`Sitemap: ${canary}/sitemap.xml\nUser-agent: *\n`);
      response.writeHead(200, HTML).end(page("listed"));
    });
    seeds.push(`${listed.origin}/`);
  }
  for (const [at, { answer }] of Object.values(BROKEN_HOSTS).entries()) {
    const broken = await open(`127.0.1.${at + 1}`, ({ url }, response) =>
      isRobots(url) ? none(response) : answer(response),
    );
    seeds.push(`${broken.origin}/broken`);
  }
  for (const [at, handler] of ENDLESS.entries()) {
    const endless = await open(`127.0.3.${at + 1}`, handler);
    seeds.push(`${endless.origin}/`);
  }
  return seeds;
}

const MAZE_PAGE = "<p>The same list of the same things, in another order.</p>".repeat(10);
/** Hosts that are silent, slow, without an end, or that grow while they are read. */
const ENDLESS: readonly SiteHandler[] = [
  ({ url }, response) => (isRobots(url) ? none(response) : undefined),
  async ({ url }, response) => {
    if (isRobots(url)) return none(response);
    response.writeHead(200, HTML);
    while (!response.destroyed) {
      response.write("<p>a");
      await sleep(500);
    }
  },
  async ({ url }, response) => {
    if (isRobots(url)) return none(response);
    response.writeHead(200, HTML);
    const chunk = Buffer.alloc(1_000_000, "x ");
    while (!response.destroyed)
      if (!response.write(chunk)) await Promise.race([happens(response, "drain"), sleep(1_000)]);
  },
  async (_, response) => {
    response.writeHead(200, { "content-type": "text/plain" });
    while (!response.destroyed) {
      response.write(`Disallow: /${"a".repeat(1_000)}\n`);
      await sleep(1);
    }
  },
  ({ url = "/" }, response) => {
    if (isRobots(url)) return none(response);
    const seed = Number(/\d+$/.exec(url)?.[0] ?? 1);
    const links = Array.from({ length: 20 }, (_, at) => `/list?sort=${(seed * 7 + at) % 997}&page=${seed + at}`);
    response.writeHead(200, HTML).end(page("maze", ...links).replace("</body>", `${MAZE_PAGE}</body>`));
  },
];

/** Resolves with the event, or with the error before it. */
const happens = (emitter: EventEmitter, event: string) => once(emitter, event).catch(() => undefined);

/** Sends a body without a length for some seconds, or until it is refused. */
async function pourInto(url: string, headers: Record<string, string>, bytes: number): Promise<void> {
  const request = httpRequest(url, { method: "POST", headers: { "transfer-encoding": "chunked", ...headers } });
  request.on("error", () => undefined);
  const refused = Promise.race([happens(request, "response"), happens(request, "close")]);
  let isRefused = false;
  void refused.then(() => {
    isRefused = true;
  });
  const chunk = Buffer.alloc(1_000_000, "a");
  for (let sent = 0; sent < bytes && !isRefused; sent += chunk.length)
    if (!request.write(chunk)) await Promise.race([happens(request, "drain"), refused, sleep(2_000)]);
  request.end();
  await Promise.race([refused, sleep(10_000)]);
  request.destroy();
}

const POST_PATHS = ["/sign-in", "/indexnow", "/api/crawls", "/mcp", "/v2/scrape", "/v1/crawl", "/console/x", "/crawl"];

/** What a stranger may send, again and again until the end. */
async function harass({ address }: Served, isOver: () => boolean): Promise<number> {
  let sent = 0;
  const forms = { "content-type": "application/x-www-form-urlencoded" };
  while (!isOver()) {
    for (const path of POST_PATHS) {
      await pourInto(`${address}${path}`, path === "/sign-in" ? forms : { "content-type": "application/json" }, 3e8);
      sent++;
    }
    const wrong = Array.from({ length: 50 }, (_, at) =>
      fetch(`${address}/api/crawls?cursor=${"x".repeat(at * 100)}`, { headers: { authorization: `Bearer ${at}` } })
        .then((response) => response.body?.cancel())
        .catch(() => undefined),
    );
    await Promise.all(wrong);
    sent += wrong.length;
    await sleep(1_000);
  }
  return sent;
}

/** The hostile paths that were asked for within this time and five seconds before it. */
function lastAsked(ms: number): string {
  const since = Date.now() - ms - 5_000;
  const paths = sites.flatMap(({ log }) =>
    log.filter(({ startedAt, path }) => startedAt >= since && !path.startsWith("/good/")),
  );
  return paths.map(({ path }) => path.slice(0, 60)).join(" ") || "nothing";
}

/** The longest time that /health took until the end, in milliseconds, and how often it took longer than promised. */
async function watchHealth({ address }: Served, isOver: () => boolean): Promise<{ slowest: number; late: number }> {
  let slowest = 0;
  let late = 0;
  const poller = fork(join(import.meta.dirname, "poll-health.ts"), [address]);
  poller.on("message", (ms: number) => {
    if (ms > MOST_HEALTH_MS) late += 1;
    if (ms > Math.max(slowest, MOST_HEALTH_MS)) say(`/health took ${Math.round(ms)} ms; before: ${lastAsked(ms)}`);
    slowest = Math.max(slowest, ms);
  });
  while (!isOver()) await sleep(TURN_MS);
  poller.disconnect();
  await once(poller, "exit");
  return { slowest, late };
}

/** The bytes of all processes at their peak, and the largest processes then. */
async function watchMemory(isOver: () => boolean): Promise<{ peak: number; largest: string }> {
  let peak = 0;
  let largest = "";
  while (!isOver()) {
    const sizes = marked().map((pid) => [pid, proportionalBytes(pid)] as const);
    const bytes = sizes.reduce((sum, [, size]) => sum + size, 0);
    if (bytes > peak) {
      const first = sizes.toSorted(([, a], [, b]) => b - a).slice(0, LARGEST);
      largest = first.map(([pid, size]) => `${megabytes(size)} ${programOf(pid)}`).join(", ");
    }
    if (bytes > Math.max(peak * 1.1, MOST_BYTES / 2)) say(`${megabytes(bytes)} in all: ${largest}`);
    peak = Math.max(peak, bytes);
    await sleep(MEMORY_EVERY_MS);
  }
  return { peak, largest };
}

/** The name of its program, and what a process of the browser is for. */
function programOf(pid: number): string {
  const command = commandOf(pid);
  return [basename(command.split(" ", 1)[0] ?? ""), /--type=(\S+)/.exec(command)?.[1] ?? ""].join(" ").trim();
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;

/** The slowest of these searches, in milliseconds. */
async function search({ address, token }: Served): Promise<number> {
  let slowest = 0;
  for (const words of SEARCHES) {
    const startedAt = performance.now();
    const response = await fetch(`${address}/api/search?q=${encodeURIComponent(words)}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    await response.arrayBuffer();
    slowest = Math.max(slowest, performance.now() - startedAt);
  }
  return slowest;
}

const dir = scratch();
// The installation is of a process group of its own, which a Ctrl-C at the terminal does not reach.
process.once("SIGINT", () => {
  for (const pid of marked()) process.kill(pid, "SIGKILL");
  if (!keep) dir.remove();
  process.exit(130);
});
const canaries = await openCanaries();
const seeds = await openTargets(canaries.origins);
const served = await serveWith(MARK, join(dir.path, "state"), []);
say(`the installation listens on ${served.address}; ${seeds.length} seeds`);
let isOver = false;
const over = () => isOver;
const watching = Promise.all([watchHealth(served, over), watchMemory(over), harass(served, over)]);
const out = join(dir.path, "out");
const flags = "--media --search --markdown --render auto --delay 0 --concurrency 4 --timeout 20 --max-attempts 2";
const startedAt = performance.now();
const args = [...seeds, ...flags.split(" "), "--limit", "2000", "--json", "--out", out];
const crawling = start("crawl", ...args, ...served.remote);
const progress = setInterval(async () => {
  const response = await fetch(`${served.address}/api/crawls?limit=1`, {
    headers: { authorization: `Bearer ${served.token}` },
    signal: AbortSignal.timeout(20_000),
  }).catch(() => null);
  const text = ((await response?.text().catch(() => "")) ?? "").slice(0, 20_000);
  const count = (field: string) => new RegExp(`"${field}":(\\d+)`).exec(text)?.[1] ?? "?";
  say(`${count("completed")} completed, ${count("finished")} of ${count("total")} finished`);
}, 20_000);
const ended = await crawling.ended;
clearInterval(progress);
const seconds = Math.round((performance.now() - startedAt) / 1_000);
say(`the crawl ended after ${seconds} s`);
const slowestSearch = await search(served);
isOver = true;
const [health, memory, sent] = await watching;
await served.close();
await sleep(3_000);
const left = marked().map(commandOf);
await Promise.all(sites.map((site) => site.close()));

const isWritten = ended.stdout.startsWith("{") && existsSync(join(out, "records.jsonl"));
const records: OutRecord[] = isWritten ? readRecords(out) : [];
if (records.length === 0) say(ended.stderr.slice(-2_000));
const byOutcome = Map.groupBy(records, ({ status, reason }) => `${status} ${reason ?? ""}`);
for (const [outcome, of] of [...byOutcome].toSorted(([, a], [, b]) => b.length - a.length))
  console.log(`${String(of.length).padStart(6)} ${outcome}`);
const goodOnes = records.filter(({ url, status }) => url.includes("/good/") && status === "completed");

const promises: [promise: string, isKept: boolean, measured: string][] = [
  [`all ${GOOD} good pages came`, goodOnes.length === GOOD, String(goodOnes.length)],
  [
    "/health answered within a second",
    health.late === 0,
    `${Math.round(health.slowest)} ms, later ${health.late} times`,
  ],
  ["each search answered within a second", slowestSearch <= MOST_SEARCH_MS, `${Math.round(slowestSearch)} ms`],
  [
    "all processes together stayed below 2 GiB",
    memory.peak < MOST_BYTES,
    `${megabytes(memory.peak)}: ${memory.largest}`,
  ],
  ["no address was asked that nobody named", canaries.hits().length === 0, canaries.hits().join(", ") || "none"],
  ["no process is left", left.length === 0, left.join("; ") || "none"],
];
for (const [promise, isKept, measured] of promises)
  console.log(`${isKept ? "kept  " : "BROKEN"} ${promise}: ${measured}`);
console.log(`${records.length} records in ${seconds} s, and ${sent} requests of strangers`);
if (keep) console.log(`The state and the output are in ${dir.path}.`);
else dir.remove();
process.exitCode = promises.every(([, isKept]) => isKept) ? 0 : 1;

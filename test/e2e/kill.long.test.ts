import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { ChangesView, CrawlView } from "../../src/api/views.ts";
import { startGeneratedSite } from "../sites/generated-site.ts";
import { HTML } from "../sites/handmade-site.ts";
import { startSite } from "../sites/site.ts";
import { walk } from "../sites/walk.ts";
import { beat, getOrPost } from "./api-calls.ts";
import { placeIn, type Running, readRecords, run, type Served, scratch, start, startWith } from "./cli.ts";
import { killAll } from "./kill-all.ts";
import { articleOf, until } from "./watched-site.ts";

/**
 * Rule 2 with real kills: SIGKILL of the command, of wrangler and of workerd at random moments, each followed by
 * `resume`, or for a watch by `watch` and `serve`. `KILLS` and `KILL_PAGES` set their numbers; `npm run test:kill` has
 * 20 kills of a crawl of 2,000 pages, with each store.
 */

const KILLS = Number(process.env.KILLS ?? 1);
const PAGES = Number(process.env.KILL_PAGES ?? 200);
/**
 * A kill costs at most these pages a second request: with packs the batch in flight, with files the page in flight. One
 * lane: one host.
 */
const PAGES_PER_KILL = { warc: 25, files: 1 };
const dir = scratch();

afterAll(() => dir.remove());

test.concurrent.each(["warc", "files"] as const)(
  `--store %s: ${KILLS} kills of a crawl of ${PAGES} pages end with the same set`,
  {
    timeout: Math.max(600_000, KILLS * 60_000),
  },
  async (store) => {
    const site = await startGeneratedSite({ pages: PAGES, links: 10, bytes: 3_000, delayMs: 5 });
    const { log } = site;
    const state = join(dir.path, store);
    const flags = ["--delay", "0", "--limit", String(PAGES * 2), "--store", store, "--state", state];
    for (let i = 0; i < KILLS; i++) {
      const running = i === 0 ? start("crawl", `${site.origin}/`, ...flags) : start("resume", "--state", state);
      // At a random page of this kill's share, or while the command starts.
      const share = (PAGES / (KILLS + 1)) * Math.random() * 1.5;
      const until = Math.min(log.length + 1 + share, PAGES - 10);
      let over = false;
      void running.ended.then(() => {
        over = true;
      });
      while (log.length < until && !over) await new Promise((resolve) => setTimeout(resolve, 1));
      expect(over, "the command ended before the kill").toBe(false);
      await killAll(running);
    }
    const out = `${state}-out`;
    const end = await run("resume", "--state", state, "--out", out);
    expect([end.code, end.stdout]).toEqual([0, expect.stringContaining("Completed:")]);

    const completed = readRecords(out).filter(({ status }) => status === "completed");
    const fetchedAgain = [...site.counts()].filter(([path, times]) => times > 1 && path !== "/robots.txt");
    const extra = fetchedAgain.reduce((sum, [, times]) => sum + times - 1, 0);
    console.log(`--store ${store}, ${KILLS} kills: ${extra} of ${PAGES} pages fetched again`);
    expect(new Set(completed.map(({ url }) => url))).toEqual(new Set(await walk(`${site.origin}/`)));
    expect(completed).toHaveLength(PAGES);
    expect(extra).toBeLessThanOrEqual(PAGES_PER_KILL[store] * KILLS);
    await site.close();
  },
);

/** A second of the watch's clock is a real millisecond. */
const SPEED = 1_000;
const WATCHED_PAGES = 30;
const EDITS_PER_KILL = 4;
const WORDS =
  "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa quebec romeo sierra".split(
    " ",
  );
/** Kills in the first crawl, and as many in visits. */
const WATCH_KILLS = Math.min(KILLS, 6);

test.concurrent(`${WATCH_KILLS} kills of a watch in its first crawl and as many in its visits cost no page and no change`, {
  timeout: 600_000,
}, async () => {
  // Words, because numbers are masked: pages that say the same but for a number have a template.
  const textOf = (i: number, edits: number) =>
    [i + edits, 3 * i + edits, Math.floor(i / WORDS.length)].map((n) => WORDS[n % WORDS.length]).join(", then ");
  const says = new Map(Array.from({ length: WATCHED_PAGES }, (_, i) => [`/${i}`, textOf(i, 0)]));
  const log: string[] = [];
  const site = await startSite(
    ({ url = "" }, response) => {
      log.push(url);
      const text = url === "/" ? "home" : says.get(url);
      const links = url === "/" ? [...says.keys()] : [];
      const body = articleOf(url, [text ?? ""], ...links);
      setTimeout(() => response.writeHead(text === undefined ? 404 : 200, HTML).end(body), 20);
    },
    { host: "127.0.0.58" },
  );
  const state = join(dir.path, "watch");
  const clock = { ORBWEAVER_CLOCK: `2031-01-01T00:00:00Z ${SPEED} ${new Date().toISOString()}` };
  const launch = (...args: string[]) => startWith(clock, [...args, "--state", state]);
  const serve = async (): Promise<[Running, Served]> => {
    const running = launch("serve", "--port", "0");
    const place = placeIn(await running.printed("Token: "));
    return [running, { ...place, pid: running.child.pid ?? 0, remote: [], close: async () => undefined }];
  };
  /** Resolves after so many further requests, or when `isOver`; `turn` runs between two looks. */
  const requests = async (count: number, turn: () => Promise<unknown>, isOver = () => false) => {
    for (const until = log.length + count; log.length < until && !isOver(); ) {
      await turn();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };

  let running = launch("watch", `${site.origin}/`, "--every", "1h", "--fixed", "--delay", "0", "--limit", "1000");
  const id = /Watch (\S+) started/.exec(await running.printed("started"))?.[1] ?? "";
  for (let i = 0; i < WATCH_KILLS; i++) {
    let isOver = false;
    const note = () => {
      isOver = true;
    };
    void running.printed("visited again").then(note, note);
    const share = Math.random() * (WATCHED_PAGES / (WATCH_KILLS + 1));
    await requests(
      share,
      () => Promise.resolve(),
      () => isOver,
    );
    await killAll(running);
    running = launch("watch", id);
  }
  await running.printed("visited again");
  await killAll(running);

  const edited = [...says.keys()].slice(0, EDITS_PER_KILL * WATCH_KILLS);
  for (let i = 0; i < WATCH_KILLS; i++) {
    const edits = edited.slice(i * EDITS_PER_KILL, (i + 1) * EDITS_PER_KILL);
    for (const url of edits) says.set(url, textOf(Number(url.slice(1)), 7));
    const [running, server] = await serve();
    await requests(1 + Math.random() * WATCHED_PAGES, () => beat(server));
    await killAll(running);
  }

  const [last, server] = await serve();
  const read = () => getOrPost<ChangesView>(server, `/api/crawls/${id}/changes`);
  await until(server, read, ({ changes }) => changes.length >= edited.length);
  // Each page is visited twice more, and nothing is told twice.
  const crawl = () => getOrPost<CrawlView>(server, `/api/crawls/${id}`);
  const visits = visitsOf(await crawl()) + 2 * WATCHED_PAGES;
  const { counts, status } = await until(server, crawl, (view) => visitsOf(view) >= visits);
  const { changes } = await read();
  expect(changes.map(({ kind, url }) => `${kind} ${new URL(url).pathname}`).toSorted()).toEqual(
    edited.map((url) => `changed ${url}`).toSorted(),
  );
  expect(changes.map(({ seq }) => seq)).toEqual(changes.map((_, i) => i + 1));
  expect([status, counts]).toEqual(["watching", expect.objectContaining({ completed: WATCHED_PAGES + 1, errored: 0 })]);
  await killAll(last);
  await site.close();
});

const visitsOf = ({ watching }: CrawlView) =>
  Object.values(watching?.visits ?? {}).reduce((sum: number, n) => sum + (n ?? 0), 0);

/**
 * How a crawl and the slowest searches share an installation: pages per second without and with searches beside them,
 * in turns, and the slowest answer. The index is that of bench/search-load.ts.
 *
 *     node bench/search-beside.ts [--pages 100000] [--crawled 3000] [--every 5] [--runs 3]
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { run, type Served, scratch, serve } from "../test/e2e/cli.ts";
import { DEFAULT_SIZE } from "../test/sites/generated-site.ts";
import { median } from "./median.ts";
import { fillIndex, QUERIES } from "./search-corpus.ts";
import { startSiteProcess } from "./site-process.ts";

const { values } = parseArgs({
  options: {
    pages: { type: "string", default: "100000" },
    crawled: { type: "string", default: "3000" },
    every: { type: "string", default: "5" },
    runs: { type: "string", default: "3" },
  },
});
const size = { ...DEFAULT_SIZE, pages: Number(values.crawled) };
const everyMs = Number(values.every) * 1_000;

const dir = scratch();
try {
  await (await serve(dir.path)).close();
  const db = new DatabaseSync(ledgerOf(dir.path));
  fillIndex(db, Number(values.pages));
  db.close();
  const served = await serve(dir.path);
  const alone: number[] = [];
  const beside: number[] = [];
  const answers: number[] = [];
  for (let round = 0; round < Number(values.runs); round++) {
    alone.push(await crawl(served));
    let isOver = false;
    const searching = search(served, answers, () => isOver);
    beside.push(await crawl(served));
    isOver = true;
    await searching;
    console.error(`round ${round + 1}: ${alone.at(-1)?.toFixed(1)} alone, ${beside.at(-1)?.toFixed(1)} beside`);
  }
  await served.close();
  console.log(
    `A slow search every ${values.every} s, ${answers.length} of them: the slowest answered in ${Math.round(Math.max(...answers))} ms, ` +
      `the median in ${Math.round(median(answers))} ms. Pages per second: ${median(alone).toFixed(1)} alone, ` +
      `${median(beside).toFixed(1)} beside them, ${(median(beside) / median(alone)).toFixed(2)} of it.`,
  );
} finally {
  dir.remove();
}

/** Pages per second by the site's log. */
async function crawl(served: Served): Promise<number> {
  const site = await startSiteProcess(size, [], () => undefined);
  try {
    const flags = ["--limit", "1000000", "--delay", "0", "--concurrency", "8", "--json"];
    const { code, stderr } = await run("crawl", `${site.origin}/`, ...flags, ...served.remote);
    if (code !== 0) throw new Error(`the crawl failed: ${stderr}`);
    const { pages, firstPageAt = 0, lastPageDoneAt = 0 } = await site.report();
    return (1_000 * pages) / (lastPageDoneAt - firstPageAt);
  } finally {
    await site.close();
  }
}

async function search({ address, token }: Served, answers: number[], isOver: () => boolean): Promise<void> {
  for (let at = 0; !isOver(); at++) {
    const query = new URLSearchParams({ q: QUERIES[at % QUERIES.length] ?? "" });
    const startedAt = performance.now();
    const answer = await fetch(`${address}/api/search?${query}`, { headers: { authorization: `Bearer ${token}` } });
    if (!answer.ok) throw new Error(`${query}: ${await answer.text()}`);
    await answer.arrayBuffer();
    answers.push(performance.now() - startedAt);
    await sleep(everyMs);
  }
}

function ledgerOf(state: string): string {
  const folder = join(state, "v3", "d1", "miniflare-D1DatabaseObject");
  return join(folder, readdirSync(folder).find((name) => /^[0-9a-f]{64}\.sqlite$/.test(name)) ?? "");
}

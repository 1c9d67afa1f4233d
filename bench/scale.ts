/**
 * Compares price and speed of a page in large and small crawls, and on many hosts and one.
 *
 *     npm run bench:scale -- [--pages 1000,10000,100000] [--hosts 1,10,1000] [--store warc|files]
 *                            [--minutes N] [--json]
 *
 * First it runs all sizes on one host, then the middle size on each number of hosts. There are no rests, because it
 * measures our own work. Pages are generated on request, on another core.
 *
 * A crawl reports every 10,000 pages on standard error. Ctrl-C, or N minutes, ends a crawl before its end; its line
 * then says how many of its pages it completed.
 */
import { parseArgs } from "node:util";
import { costUsd } from "../src/crawl/bounds/usage.ts";
import { type MeteredCrawl, meteredCrawl } from "./metered-crawl.ts";

const { values } = parseArgs({
  options: {
    pages: { type: "string", default: "1000,10000,100000" },
    hosts: { type: "string", default: "1,10,1000" },
    store: { type: "string" },
    minutes: { type: "string", default: "60" },
    json: { type: "boolean", default: false },
  },
});
const PROGRESS_PAGES = 10_000;
const sizes = values.pages.split(",").map(Number);
const middle = sizes[Math.floor(sizes.length / 2)] ?? 1_000;
const orders = [
  ...sizes.map((pages) => ({ pages, hosts: 1 })),
  ...values.hosts.split(",").map((hosts) => ({ pages: middle, hosts: Number(hosts) })),
].filter((order, at, all) => all.findIndex((one) => one.pages === order.pages && one.hosts === order.hosts) === at);

const interrupted = new AbortController();
process.once("SIGINT", () => interrupted.abort());
process.once("SIGTERM", () => interrupted.abort());

const crawls: MeteredCrawl[] = [];
if (!values.json)
  console.log(
    "| pages | hosts | pages/s | USD a million pages | rows read a page | rows written a page | CPU, ms a page | memory at most, MiB |\n| --- | --- | --- | --- | --- | --- | --- | --- |",
  );
for (const order of orders) {
  if (interrupted.signal.aborted) break;
  let last: MeteredCrawl = { ...order, pages: 0, seconds: 0, usage: {}, memory: 0 };
  const crawl = await meteredCrawl(
    { ...order, polite: false, store: values.store },
    {
      every: PROGRESS_PAGES,
      stop: AbortSignal.any([interrupted.signal, AbortSignal.timeout(Number(values.minutes) * 60_000)]),
      onProgress(soFar) {
        console.error(progressLine(soFar, last));
        last = soFar;
      },
    },
  );
  crawls.push(crawl);
  if (!values.json) console.log(line(crawl, order.pages));
}
if (values.json) console.log(JSON.stringify(crawls));

function line(crawl: MeteredCrawl, wanted: number): string {
  const { pages, hosts } = crawl;
  const cells = [
    pages < wanted ? `${pages.toLocaleString("en")} of ${wanted.toLocaleString("en")}` : pages.toLocaleString("en"),
    hosts.toLocaleString("en"),
    ...numbersOf(crawl),
  ];
  return `| ${cells.join(" | ")} |`;
}

/** The pages since the last line alone, but for memory, of which this is the peak. */
function progressLine(soFar: MeteredCrawl, last: MeteredCrawl): string {
  const usage = Object.fromEntries(
    Object.entries(soFar.usage).map(([resource, amount]) => [
      resource,
      amount - (last.usage[resource as keyof typeof last.usage] ?? 0),
    ]),
  );
  const since = { ...soFar, pages: soFar.pages - last.pages, seconds: soFar.seconds - last.seconds, usage };
  const [rate, usd, read, written, cpu, memory] = numbersOf(since);
  return `${soFar.pages} pages in ${soFar.seconds.toFixed(0)} s: now ${rate} pages/s, ${usd} USD a million, ${read} rows read and ${written} written a page, ${cpu} ms of CPU; memory ${memory} MiB; ${costUsd(soFar.usage).toFixed(3)} USD so far`;
}

function numbersOf({ pages: completed, seconds, usage, memory }: MeteredCrawl): string[] {
  const pages = Math.max(1, completed);
  return [
    (completed / Math.max(seconds, 0.001)).toFixed(1),
    ((costUsd(usage) / pages) * 1e6).toFixed(2),
    ((usage.ledgerRowsRead ?? 0) / pages).toFixed(1),
    ((usage.ledgerRowsWritten ?? 0) / pages).toFixed(2),
    ((usage.cpuMs ?? 0) / pages).toFixed(2),
    String(Math.round(memory / 1024 / 1024)),
  ];
}

/**
 * Compares price and speed of a page in large and small crawls, and on many hosts and one.
 *
 *     npm run bench:scale -- [--pages 1000,10000,100000] [--hosts 1,10,1000] [--store warc|files] [--json]
 *
 * First it runs all sizes on one host, then the middle size on each number of hosts. There are no rests, because it
 * measures our own work. Pages are generated on request, on another core.
 */
import { parseArgs } from "node:util";
import { costUsd } from "../src/crawl/usage.ts";
import { type MeteredCrawl, meteredCrawl } from "./metered-crawl.ts";

const { values } = parseArgs({
  options: {
    pages: { type: "string", default: "1000,10000,100000" },
    hosts: { type: "string", default: "1,10,1000" },
    store: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const sizes = values.pages.split(",").map(Number);
const middle = sizes[Math.floor(sizes.length / 2)] ?? 1_000;
const orders = [
  ...sizes.map((pages) => ({ pages, hosts: 1 })),
  ...values.hosts.split(",").map((hosts) => ({ pages: middle, hosts: Number(hosts) })),
].filter((order, at, all) => all.findIndex((one) => one.pages === order.pages && one.hosts === order.hosts) === at);

const crawls: MeteredCrawl[] = [];
if (!values.json)
  console.log(
    "| pages | hosts | pages/s | USD a million pages | memory at most, MiB |\n| --- | --- | --- | --- | --- |",
  );
for (const order of orders) {
  const crawl = await meteredCrawl({ ...order, polite: false, store: values.store });
  crawls.push(crawl);
  if (!values.json) console.log(line(crawl));
}
if (values.json) console.log(JSON.stringify(crawls));

function line({ pages, hosts, seconds, usage, memory }: MeteredCrawl): string {
  const cells = [
    pages.toLocaleString("en"),
    hosts.toLocaleString("en"),
    (pages / seconds).toFixed(1),
    ((costUsd(usage) / pages) * 1e6).toFixed(2),
    Math.round(memory / 1024 / 1024),
  ];
  return `| ${cells.join(" | ")} |`;
}

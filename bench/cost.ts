/**
 * The price of a crawl on Cloudflare, for one host and for a hundred. The bindings themselves count every operation
 * that Cloudflare bills.
 *
 *     npm run bench:cost -- [--pages 3000] [--hosts 1,100] [--store warc|files] [--json]
 *
 * A single host is crawled without rests, a hundred at the default pace. CPU time is that of workerd, an upper bound:
 * here it includes D1, R2, Queues and Durable Objects, for whose CPU Cloudflare does not bill.
 */
import { parseArgs } from "node:util";
import { costUsd, PRICES, RESOURCES } from "../src/crawl/bounds/usage.ts";
import { type MeteredCrawl, meteredCrawl } from "./metered-crawl.ts";

const { values } = parseArgs({
  options: {
    pages: { type: "string", default: "3000" },
    hosts: { type: "string", default: "1,100" },
    store: { type: "string" },
    json: { type: "boolean", default: false },
  },
});

const crawls: MeteredCrawl[] = [];
for (const hosts of values.hosts.split(",").map(Number)) {
  const crawl = await meteredCrawl({ hosts, pages: Number(values.pages), polite: hosts > 1, store: values.store });
  crawls.push(crawl);
  if (!values.json) print(crawl);
}
if (values.json) console.log(JSON.stringify(crawls));

function print({ hosts, pages, seconds, usage }: MeteredCrawl): void {
  console.log(`\n${pages} pages on ${hosts} host${hosts === 1 ? "" : "s"}, ${(pages / seconds).toFixed(1)} pages/s`);
  for (const resource of RESOURCES) {
    const perPage = (usage[resource] ?? 0) / pages;
    const perMillion = perPage * PRICES[resource];
    console.log(
      `${resource.padEnd(18)} ${perPage.toFixed(4).padStart(9)} a page  x ${String(PRICES[resource]).padStart(6)} USD a million = ${perMillion.toFixed(3).padStart(7)} USD per million pages`,
    );
  }
  console.log(`${"all".padEnd(18)} ${((costUsd(usage) / pages) * 1e6).toFixed(2).padStart(60)} USD per million pages`);
}

/**
 * Crawls 20 generated sites (test/sites/variant-site.ts) by the real pipeline, first with `keepDuplicates` and then as
 * usual, and prints how many duplicate fetches are saved and how many distinct pages are lost. By the sites' log: a
 * duplicate fetch is a request for a page that was requested before, by whatever URL. Exits 1 if less than 80% are
 * saved or a page is lost. Sites of a hundred pages save less: each rule is tested by a hundred URLs.
 *
 *     npm run bench:same-page [-- --pages 1000] [-- --sites 20]
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client } from "../src/cli/installation/client.ts";
import { startLocal } from "../src/cli/machine/workerd.ts";
import { pageOf, startVariantSites, VARIANT_SITES } from "../test/sites/variant-site.ts";

const { values } = parseArgs({
  options: { pages: { type: "string", default: "1000" }, sites: { type: "string", default: "20" } },
});
const SITES = VARIANT_SITES.slice(0, Number(values.sites)).map((site) => ({ ...site, pages: Number(values.pages) }));
const MIN_SAVED = 0.8;
const POLL_MS = 1_000;

interface Measured {
  /** By site: the pages that were stored. */
  pages: Set<string>[];
  requests: number[];
  seconds: number;
}

async function measure(client: Client, keepDuplicates: boolean): Promise<Measured> {
  const requested: string[][] = SITES.map(() => []);
  const sites = await startVariantSites(SITES, { host: "0.0.0.0" });
  try {
    const address = (i: number) => `http://127.0.7.${i + 1}:${sites.port}`;
    const { id } = await client.start({
      urls: SITES.map((_, i) => `${address(i)}/`),
      limit: 100_000,
      source: "links",
      keepDuplicates,
      politeness: { minDelayMs: 0, delayFactor: 0, maxConcurrencyPerHost: 2 },
    });
    let crawl = await client.crawl(id);
    while (crawl.status === "running") {
      await sleep(POLL_MS);
      crawl = await client.crawl(id);
    }
    const pages = SITES.map(() => new Set<string>());
    for await (const { url, status } of client.records(id, { status: "completed" })) {
      const i = SITES.findIndex((_, site) => url.startsWith(`${address(site)}/`));
      const site = SITES[i];
      const page = site === undefined ? null : pageOf(site, url.slice(address(i).length));
      if (status === "completed" && page !== null) pages[i]?.add(page);
    }
    for (const { path, site } of sites.log.map((entry) => ({ ...entry, site: hostIndexOf(entry.host) }))) {
      if (path !== "/robots.txt") requested[site]?.push(path);
    }
    return { pages, requests: requested.map(({ length }) => length), seconds: crawl.seconds };
  } finally {
    await sites.close();
  }
}

function hostIndexOf(host: string): number {
  return Number(host.split(":")[0]?.split(".")[3]) - 1;
}

const state = await mkdtemp(join(tmpdir(), "orbweaver-same-page-"));
const worker = await startLocal(state);
try {
  const client = new Client(worker.url, worker.token);
  const all = await measure(client, true);
  const learned = await measure(client, false);
  let [duplicates, kept, lost] = [0, 0, 0];
  for (const [i, { name }] of SITES.entries()) {
    const distinct = all.pages[i] ?? new Set();
    const before = (all.requests[i] ?? 0) - distinct.size;
    const now = (learned.requests[i] ?? 0) - distinct.size;
    const missing = [...distinct].filter((page) => !learned.pages[i]?.has(page));
    duplicates += before;
    kept += now;
    lost += missing.length;
    const saved = before === 0 ? "" : `${(100 * (1 - now / before)).toFixed(1)}% saved`;
    console.log(
      `${name}: ${distinct.size} pages, duplicate fetches ${before} -> ${now} ${saved}, lost ${missing.length}`,
    );
  }
  const saved = 1 - kept / duplicates;
  console.log(
    `all: duplicate fetches ${duplicates} -> ${kept}, ${(100 * saved).toFixed(1)}% saved, ${lost} pages lost`,
  );
  console.log(`${all.seconds.toFixed(0)} s with duplicates, ${learned.seconds.toFixed(0)} s without`);
  if (saved < MIN_SAVED || lost > 0) process.exitCode = 1;
} finally {
  await worker.dispose();
  await rm(state, { recursive: true, force: true, maxRetries: 3 });
}

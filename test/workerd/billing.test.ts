import { createExecutionContext, env } from "cloudflare:test";
import { expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import { type CrawlOptions, DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import { deliver } from "../../src/frontier/batch/deliver.ts";
import type { FrontierMessage } from "../../src/frontier/batch/message.ts";
import { depsOf } from "../../src/frontier/deps.ts";
import { installationMeter } from "../../src/lifecycle/installation-bill.ts";
import { startCrawl } from "../../src/lifecycle/start.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { World } from "./world.ts";

/** A crawl pays for its own batches, and the installation for what readers use. */

useModelLedger();

const READS = 50;
const FULL = "https://a.test/";

function get(path: string): Promise<Response> {
  const init = { headers: { authorization: "Bearer test-token" } };
  return Promise.resolve(app.request(path, init, env, createExecutionContext()));
}

/** Rows that a crawl of one page is billed for, whose batch is delivered as index.ts delivers it. */
async function rowsOfOnePage(): Promise<number> {
  const frontier = { sendBatch: async () => undefined } as unknown as Queue<FrontierMessage>;
  const url = `https://${crypto.randomUUID()}.test/`;
  const options: CrawlOptions = { ...DEFAULT_OPTIONS, urls: [url], source: "links", userAgent: "Test/1", dryRun: true };
  const crawl = (await startCrawl(options, { ...depsOf(env), frontier })) ?? "";
  const deps = { ...depsOf(env), frontier };
  const world = new World(() => ({ links: [] }));
  const messages = [{ body: { v: 2, crawl, urls: [url], epoch: 1 }, retry: () => undefined }];
  const batch = { messages } as unknown as MessageBatch<FrontierMessage>;
  await deliver(batch, "frontier", { ...deps, gate: world.deps.gate, clock: world.deps.clock }, "all");
  return (await deps.ledger.crawl(crawl))?.usage.ledgerRowsRead ?? 0;
}

test("reading one crawl does not raise the bill of another", async () => {
  const world = new World((url) => ({
    links: url === FULL ? Array.from({ length: 200 }, (_, i) => `${FULL}${i}`) : [],
  }));
  const read = await world.start([FULL]);
  await world.runToEnd(read);

  const before = await rowsOfOnePage();
  installationMeter.take();
  for (let i = 0; i < READS; i++) await get(`/api/crawls/${read}/records?limit=200`);
  // A row more or less, by where random ids lie in an index.
  expect(Math.abs((await rowsOfOnePage()) - before)).toBeLessThan(5);

  const { result } = (await (await get("/api/health")).json()) as {
    result: { bill: { usage: Record<string, number> } };
  };
  const counted = (result.bill.usage.ledgerRowsRead ?? 0) + (installationMeter.usage.ledgerRowsRead ?? 0);
  expect(counted).toBeGreaterThan(READS * 200);
});

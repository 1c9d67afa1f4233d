/**
 * The program that stands for Crawlee: `node crawlee-crawl.ts URL`. Prints `{completed, seconds}`.
 *
 * It keeps what Orbweaver keeps: every page's body, a record of it, and the state of the queue, on disk.
 */
import { CheerioCrawler, KeyValueStore } from "@crawlee/cheerio";

const url = process.argv[2];
if (url === undefined) throw new Error("usage: node crawlee-crawl.ts URL");
const min = Number(process.env.MIN ?? 8),
  max = Number(process.env.MAX ?? 8);
const par = process.env.PAR !== "0";

const store = await KeyValueStore.open();
const V1 = process.env.V1 ? { experiments: { requestLocking: false } } : {};
const HG = process.env.HG
  ? {
      preNavigationHooks: [
        (_: unknown, got: { useHeaderGenerator?: boolean }) => {
          got.useHeaderGenerator = false;
        },
      ],
    }
  : {};
const crawler = new CheerioCrawler({
  minConcurrency: min,
  maxConcurrency: max,
  ...V1,
  ...HG,
  ...(process.env.NOSESSION ? { useSessionPool: false, persistCookiesPerSession: false } : {}),
  requestHandler: async ({ request, $, body, enqueueLinks, pushData }) => {
    if (par) {
      await Promise.all([
        store.setValue(request.id ?? request.uniqueKey, body, { contentType: "text/html" }),
        pushData({ url: request.loadedUrl, title: $("title").text() }),
        enqueueLinks({ strategy: "same-hostname" }),
      ]);
    } else {
      await store.setValue(request.id ?? request.uniqueKey, body, { contentType: "text/html" });
      await pushData({ url: request.loadedUrl, title: $("title").text() });
      await enqueueLinks({ strategy: "same-hostname" });
    }
  },
});
const { requestsFinished, crawlerRuntimeMillis } = await crawler.run([url]);
process.stdout.write(`${JSON.stringify({ completed: requestsFinished, seconds: crawlerRuntimeMillis / 1000 })}\n`);

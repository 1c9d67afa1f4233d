/**
 * The program that stands for Crawlee: `node crawlee-crawl.ts URL,... [tuned | polite DELAY]`. Prints
 * `{completed, seconds}`.
 *
 * It keeps on disk what Orbweaver keeps: every page's body, a record of it, and the state of the queue. By default it
 * is CheerioCrawler with its defaults. With `tuned` it has the fastest settings that we found on this site:
 * - the older request queue, without request locking, a documented experiment. It waits ten seconds at the end, which
 *   the site's log does not count;
 * - no session pool: cookies per session, which Orbweaver does not have either;
 * - in both, Crawlee's own autoscaling from 1 to 200 requests at once: as fast as a fixed 8 or 32, and faster than 1
 *   or 2.
 *
 * With `polite` it waits DELAY seconds between two requests to a host, and starts with 100 requests at once.
 */
import { CheerioCrawler, KeyValueStore } from "@crawlee/cheerio";

const [urls, mode, delay] = process.argv.slice(2);
if (urls === undefined) throw new Error("usage: node crawlee-crawl.ts URL");

const bodies = await KeyValueStore.open();
const tuning =
  mode === "tuned"
    ? { experiments: { requestLocking: false }, useSessionPool: false, persistCookiesPerSession: false }
    : mode === "polite"
      ? { sameDomainDelaySecs: Number(delay), minConcurrency: 100 }
      : {};
const crawler = new CheerioCrawler({
  ...tuning,
  requestHandler: async ({ request, $, body, enqueueLinks, pushData }) => {
    await Promise.all([
      bodies.setValue(request.id ?? request.uniqueKey, body, { contentType: "text/html" }),
      pushData({ url: request.loadedUrl, title: $("title").text() }),
      enqueueLinks({ strategy: "same-hostname" }),
    ]);
  },
});
const { requestsFinished, crawlerRuntimeMillis } = await crawler.run(urls.split(","));
process.stdout.write(`${JSON.stringify({ completed: requestsFinished, seconds: crawlerRuntimeMillis / 1000 })}\n`);

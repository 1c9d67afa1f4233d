/**
 * The program that stands for Crawlee: `node crawlee-crawl.ts URL [tuned]`. Prints `{completed, seconds}`.
 *
 * It keeps what Orbweaver keeps, on disk: every page's body, a record of it, and the state of the queue. Without `tuned` it is
 * CheerioCrawler as it comes; with it, Crawlee at its fastest on this site, of all that was tried:
 * - the older request queue, without request locking, an experiment that its documents offer. It waits ten seconds at the end before it
 *   believes that it is done, which the site's log does not count against it;
 * - no session pool: cookies per session, which Orbweaver has not either;
 * - in both, Crawlee's own autoscaling from 1 to 200 requests at once: no slower than a fixed 8 or 32, and faster than 1 or 2.
 */
import { CheerioCrawler, KeyValueStore } from "@crawlee/cheerio";

const url = process.argv[2];
if (url === undefined) throw new Error("usage: node crawlee-crawl.ts URL");

const bodies = await KeyValueStore.open();
const tuning =
  process.argv[3] === "tuned"
    ? { experiments: { requestLocking: false }, useSessionPool: false, persistCookiesPerSession: false }
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
const { requestsFinished, crawlerRuntimeMillis } = await crawler.run([url]);
process.stdout.write(`${JSON.stringify({ completed: requestsFinished, seconds: crawlerRuntimeMillis / 1000 })}\n`);

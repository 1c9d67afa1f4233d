/**
 * The program that stands for Crawlee: `node crawlee-crawl.ts URL`. Prints `{completed, seconds}`.
 *
 * It keeps what Orbweaver keeps, on disk: every page's body, a record of it, and the state of the queue. The rest is Crawlee at
 * its fastest on this site, of all that was tried:
 * - the older request queue, without request locking, which its documents offer: about a third more pages per second. From
 *   some hundred pages on it waits ten seconds before it believes that it is done, which the site's log does not count;
 * - no session pool: cookies per session, which Orbweaver has not either: a little more;
 * - Crawlee's own autoscaling from 1 to 200 requests at once: no slower than a fixed 8 or 32, and faster than 1 or 2.
 */
import { CheerioCrawler, KeyValueStore } from "@crawlee/cheerio";

const url = process.argv[2];
if (url === undefined) throw new Error("usage: node crawlee-crawl.ts URL");

const bodies = await KeyValueStore.open();
const crawler = new CheerioCrawler({
  experiments: { requestLocking: false },
  useSessionPool: false,
  persistCookiesPerSession: false,
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

import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { systemClock } from "../core/clock.ts";
import { Ledger } from "../store/ledger.ts";
import { crawlOf } from "./crawl-routes.ts";
import { viewCrawl } from "./views.ts";

/**
 * /api/crawls/:id/events: a crawl as it changes, as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). Each
 * is a whole crawl, so one that was missed is no loss, and a reader that comes back needs to say nothing.
 */

/** A look is one row read of the ledger. */
const TICK_MS = 1_000;
const PAUSED_TICK_MS = 3_000;
/** A proxy drops a connection on which nothing comes. */
const SILENCE_MS = 15_000;
/** Then the reader connects again: an invocation that lasts for hours would be moved by a deploy, and forgotten by a reader that has gone. */
const LIFETIME_MS = 5 * 60_000;
const RETRY_MS = 1_000;

export const eventRoutes = new Hono<{ Bindings: Env }>();

eventRoutes.get("/:id/events", async (c) => {
  const ledger = new Ledger(c.env.LEDGER);
  let crawl: Awaited<ReturnType<Ledger["crawl"]>> = await crawlOf(c);
  const { id } = crawl;
  const until = systemClock.now() + LIFETIME_MS;
  return streamSSE(c, async (stream) => {
    let told = "";
    let toldAt = 0;
    while (!stream.aborted && systemClock.now() < until) {
      if (crawl === null) return stream.writeSSE({ event: "end", data: "deleted" });
      const data = JSON.stringify(viewCrawl(crawl));
      if (data !== told) {
        await stream.writeSSE({ event: "crawl", data, retry: RETRY_MS });
        [told, toldAt] = [data, systemClock.now()];
      } else if (systemClock.now() - toldAt > SILENCE_MS) {
        await stream.write(": still here\n\n");
        toldAt = systemClock.now();
      }
      if (crawl.finishedAt !== null) return stream.writeSSE({ event: "end", data: crawl.status });
      await stream.sleep(crawl.status === "paused" ? PAUSED_TICK_MS : TICK_MS);
      crawl = await ledger.crawl(id);
    }
  });
});

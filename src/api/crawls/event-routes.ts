import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { systemClock } from "../../core/clock.ts";
import { readWhole } from "../../frontier/shards/whole-crawl.ts";
import type { Ledger } from "../../store/ledger/ledger.ts";
import { wholeCrawlOf } from "./crawl-routes.ts";
import { viewCrawl } from "./crawl-schemas.ts";

/**
 * /api/crawls/:id/events: changes of a crawl as server-sent events
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html). Each event has the complete crawl, so a client may
 * miss events, and needs no event id when it reconnects.
 */

/** Each tick reads one row of the ledger. */
const TICK_MS = 1_000;
const PAUSED_TICK_MS = 3_000;
/** Proxies close silent connections, so a comment is sent after this time. */
const MAX_SILENCE_MS = 15_000;
/** Then the client reconnects: a deploy would end a long invocation, and a client that has left may go unnoticed. */
const LIFETIME_MS = 5 * 60_000;
const RECONNECT_MS = 1_000;

export const eventRoutes = new Hono<{ Bindings: Env }>();

eventRoutes.get("/:id/events", async (c) => {
  let crawl: Awaited<ReturnType<Ledger["crawl"]>> = await wholeCrawlOf(c);
  const { deps } = c.var;
  const { id } = crawl;
  const until = systemClock.now() + LIFETIME_MS;
  return streamSSE(c, async (stream) => {
    let told = "";
    let toldAt = 0;
    while (!stream.aborted && systemClock.now() < until) {
      if (crawl === null) return stream.writeSSE({ event: "end", data: "deleted" });
      const data = JSON.stringify(viewCrawl(crawl));
      if (data !== told) {
        await stream.writeSSE({ event: "crawl", data, retry: RECONNECT_MS });
        [told, toldAt] = [data, systemClock.now()];
      } else if (systemClock.now() - toldAt > MAX_SILENCE_MS) {
        await stream.write(": still here\n\n");
        toldAt = systemClock.now();
      }
      if (crawl.finishedAt !== null) return stream.writeSSE({ event: "end", data: crawl.status });
      await stream.sleep(crawl.status === "running" ? TICK_MS : PAUSED_TICK_MS);
      const row = await deps.ledger.crawl(id);
      crawl = row === null ? null : await readWhole(row, deps);
    }
  });
});

import { Hono } from "hono"; // the router that the project was asked to use
import { bodyLimit } from "hono/body-limit";
import { HTTPException } from "hono/http-exception";
import { VERSION } from "../core/version.ts";
import { batchesInFlight, lastFailure } from "../frontier/consumer.ts";
import { Heartbeats } from "../store/heartbeats.ts";
import { requireToken } from "./auth.ts";
import { cloudflareRoutes } from "./cloudflare-routes.ts";
import { crawlRoutes } from "./crawl-routes.ts";
import { docsRoutes } from "./docs-routes.ts";
import { eventRoutes } from "./event-routes.ts";
import { explainRoutes } from "./explain-routes.ts";
import { exportRoutes } from "./export-routes.ts";
import { failure, failureOf } from "./failure.ts";
import { insideRoutes } from "./inside-routes.ts";
import { replayRoutes } from "./replay-routes.ts";
import { safeHeaders } from "./safe-headers.ts";
import { scheduleRoutes } from "./schedule-routes.ts";
import { searchRoutes } from "./search-routes.ts";

/** The API: Cloudflare's own /crawl paths, and what theirs has not under /api/. Every error is JSON with a code and a sentence. */

/** A crawl of 1,000 seeds, patterns and headers has room in it many times over, and D1 takes rows of twice this. */
const MAX_BODY_BYTES = 1024 * 1024;

export const app = new Hono<{ Bindings: Env }>();

app.use("*", safeHeaders);

/** `busy` counts the batches in flight in this isolate: where there is but one, as locally, nought means that nothing is lost by stopping. */
app.get("/health", (c) => c.json({ ok: true, name: "orbweaver", version: VERSION, busy: batchesInFlight() }));

/** The description of the API, and the page to try it: they hold no data. */
app.route("/", docsRoutes);

/** Mirrored pages, which have a door of their own beside the usual one. */
app.route("/replay", replayRoutes);

app.use("*", requireToken);
// Behind the door: nobody else's body is read at all.
app.use(
  "*",
  bodyLimit({
    maxSize: MAX_BODY_BYTES,
    onError: () => {
      throw new HTTPException(413, { message: `The body of a request may have ${MAX_BODY_BYTES} bytes at the most.` });
    },
  }),
);
/** How this isolate does: `busy` as above, and what its last batch could not do. The heartbeat is everybody's. */
app.get("/api/health", async (c) => {
  const heartbeat = await new Heartbeats(c.env.LEDGER).last();
  return c.json({ success: true, result: { busy: batchesInFlight(), failure: lastFailure(), heartbeat } });
});
app.route("/api/crawls", crawlRoutes);
app.route("/api/crawls", exportRoutes);
app.route("/api/crawls", insideRoutes);
app.route("/api/crawls", eventRoutes);
app.route("/api/schedules", scheduleRoutes);
app.route("/api/explain", explainRoutes);
app.route("/api/search", searchRoutes);
for (const product of ["browser-rendering", "browser-run"]) {
  app.route(`/client/v4/accounts/:account/${product}/crawl`, cloudflareRoutes);
}

app.notFound((c) => failure(c, 404, "not-found", `There is nothing at ${c.req.method} ${c.req.path}.`));

app.onError(failureOf);

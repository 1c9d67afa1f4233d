import { Hono } from "hono"; // the router that the project was asked to use
import { VERSION } from "../core/version.ts";
import { levelOf } from "../crawl/database-room.ts";
import { identityIn } from "../fetch/identity.ts";
import { workload } from "../frontier/deps.ts";
import { readRoom } from "../frontier/require-room.ts";
import { installationKeys } from "../host/installation-keys.ts";
import { readOwnHosts } from "../url/own-host.ts";
import { requireToken } from "./auth.ts";
import { cloudflareRoutes } from "./cloudflare-routes.ts";
import { crawlRoutes } from "./crawl-routes.ts";
import { allowNamedOrigins } from "./cross-origin.ts";
import { deltaRoutes } from "./delta-routes.ts";
import { diffRoutes } from "./diff-routes.ts";
import { docsRoutes } from "./docs-routes.ts";
import { giveId, serveAndLog } from "./each-request.ts";
import { eventRoutes } from "./event-routes.ts";
import { explainRoutes } from "./explain-routes.ts";
import { exportRoutes } from "./export-routes.ts";
import { failure, failureOf } from "./failure.ts";
import { crawlFeedRoutes, feedRoutes } from "./feed-routes.ts";
import { fieldRoutes, storedFieldRoutes } from "./field-routes.ts";
import { findingRoutes } from "./finding-routes.ts";
import { firecrawlRoutes, firecrawlRoutesV1 } from "./firecrawl/firecrawl-routes.ts";
import { identityRoutes } from "./identity-routes.ts";
import { indexnowRoutes } from "./indexnow-routes.ts";
import { insideRoutes } from "./inside-routes.ts";
import { viewBill, viewDatabase, viewIdentity, viewMaxCost, viewOwnHosts } from "./installation-schemas.ts";
import { limitBody } from "./limit-body.ts";
import { markRoutes } from "./mark-routes.ts";
import { mcpRoutes } from "./mcp-routes.ts";
import { ownershipRoutes } from "./ownership-routes.ts";
import { passRoutes } from "./pass-routes.ts";
import { redirectToLatest } from "./redirect-to-latest.ts";
import { replayRoutes } from "./replay-routes.ts";
import { safeHeaders } from "./safe-headers.ts";
import { scheduleRoutes } from "./schedule-routes.ts";
import { screenshotRoutes } from "./screenshot-routes.ts";
import { searchRoutes } from "./search-routes.ts";
import { textPassRoutes } from "./text-pass-routes.ts";
import { topicRoutes } from "./topic-routes.ts";
import { versionRoutes } from "./version-routes.ts";
import { watchRoutes } from "./watch-routes.ts";
import { webhookRoutes } from "./webhook-routes.ts";

/**
 * The API: Cloudflare's /crawl paths, Firecrawl's under /v2 and /v1, and everything else under /api/. Every error is
 * JSON with a code and a sentence.
 */

/** Crawls that the health names for deletion. */
const MAX_NAMED = 5;

export const app = new Hono<{ Bindings: Env }>();

app.use("*", giveId, serveAndLog, safeHeaders);

/**
 * `busy` is the number of batches in flight in this isolate. Locally there is only one isolate: at 0 it can stop
 * without a loss.
 */
app.get("/health", (c) => c.json({ ok: true, name: "orbweaver", version: VERSION, busy: workload.batches }));

/** The description of the API, and the page to try it. They hold no data, so they need no token. */
app.route("/", docsRoutes);

/** The public keys that verify our requests. Everybody may know them. */
app.route("/", identityRoutes);

/** What owners say of their pages. Their key files tell who they are, so they need no token. */
app.route("/indexnow", indexnowRoutes);

/** Mirrored pages. Besides a token, they accept a replay key. */
app.route("/replay", replayRoutes);

/** Feeds of changes. They need a feed key instead of a token, because feed readers send no token. */
app.route("/feeds", feedRoutes);

app.use("*", allowNamedOrigins);
app.use("*", requireToken);
// After requireToken: the body of a request without a token is never read.
app.use("*", limitBody());
/** `busy` and `failure` are those of this isolate, the heartbeat is that of the installation. */
app.get("/api/health", async (c) => {
  const { heartbeats, installationUsage, installationKey, hook, roomNotes } = c.var.deps;
  const [heartbeat, bill, [key = ""]] = await Promise.all([
    heartbeats.last(),
    installationUsage.read(),
    installationKeys(c.env, installationKey),
  ]);
  const room = await readRoom(c.var.deps);
  const deletable = levelOf(room) === "room" ? [] : await roomNotes.largest(room, MAX_NAMED);
  const { batches: busy, failure } = workload;
  const result = {
    busy,
    failure,
    hasHook: hook !== null,
    heartbeat,
    bill: viewBill(bill),
    database: viewDatabase(room, deletable),
    maxCostUsd: viewMaxCost(c.env.MAX_COST_USD),
    identity: viewIdentity(identityIn(c.env), c.var.deps.clock.now()),
    ownership: { key, ...viewOwnHosts(readOwnHosts(c.env.OWN_HOSTS)) },
  };
  return c.json({ success: true, result });
});
app.use("/api/crawls/latest/*", redirectToLatest);
app.route("/api/crawls", crawlRoutes);
app.route("/api/crawls", watchRoutes);
app.route("/api/crawls", crawlFeedRoutes);
app.route("/api/crawls", diffRoutes);
app.route("/api/crawls", exportRoutes);
app.route("/api/crawls", deltaRoutes);
app.route("/api/crawls", insideRoutes);
app.route("/api/crawls", screenshotRoutes);
app.route("/api/crawls", eventRoutes);
app.route("/api/crawls", webhookRoutes);
app.route("/api/crawls", passRoutes);
app.route("/api/crawls", markRoutes);
app.route("/api/crawls", textPassRoutes);
app.route("/api/crawls", topicRoutes);
app.route("/api/crawls", findingRoutes);
app.route("/api/crawls", storedFieldRoutes);
app.route("/api/schedules", scheduleRoutes);
app.route("/api/explain", explainRoutes);
app.route("/api/fields", fieldRoutes);
app.route("/api/ownership", ownershipRoutes);
app.route("/api/search", searchRoutes);
app.route("/api/versions", versionRoutes);
app.route(
  "/mcp",
  mcpRoutes(async (request, c) => app.fetch(request, c.env, c.executionCtx)),
);
app.route("/v2", firecrawlRoutes);
app.route("/v1", firecrawlRoutesV1);
for (const product of ["browser-rendering", "browser-run"]) {
  app.route(`/client/v4/accounts/:account/${product}/crawl`, cloudflareRoutes);
}

app.notFound((c) => failure(c, 404, "not-found", `There is no route ${c.req.method} ${c.req.path}.`));

app.onError(failureOf);

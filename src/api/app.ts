import { Hono } from "hono"; // the router that the project was asked to use
import { LOCAL_HEARTBEAT } from "../core/local-heartbeat.ts";
import { VERSION } from "../core/version.ts";
import { identityIn } from "../fetch/request/identity.ts";
import { workload } from "../frontier/deps.ts";
import { installationKeys } from "../host/installation-keys.ts";
import { beat } from "../lifecycle/beat.ts";
import { readLedgers } from "../reading/all-ledgers.ts";
import { readOwnHosts } from "../url/own-host.ts";
import { requireToken } from "./access/auth.ts";
import { allowNamedOrigins } from "./access/cross-origin.ts";
import { identityRoutes } from "./access/identity-routes.ts";
import {
  viewBill,
  viewFullest,
  viewHeartbeat,
  viewIdentity,
  viewLedgers,
  viewMaxCost,
  viewOwnHosts,
} from "./access/installation-schemas.ts";
import { ownershipRoutes } from "./access/ownership-routes.ts";
import { safeHeaders } from "./access/safe-headers.ts";
import { extractRoutes, storedExtractRoutes } from "./analysis/extract-routes.ts";
import { fieldRoutes, storedFieldRoutes } from "./analysis/field-routes.ts";
import { findingRoutes } from "./analysis/finding-routes.ts";
import { insideRoutes } from "./analysis/inside-routes.ts";
import { markRoutes } from "./analysis/mark-routes.ts";
import { passRoutes } from "./analysis/pass-routes.ts";
import { searchRoutes } from "./analysis/search-routes.ts";
import { textPassRoutes } from "./analysis/text-pass-routes.ts";
import { topicRoutes } from "./analysis/topic-routes.ts";
import { diffRoutes } from "./changes/diff-routes.ts";
import { crawlFeedRoutes, feedRoutes } from "./changes/feed-routes.ts";
import { indexnowRoutes } from "./changes/indexnow-routes.ts";
import { redirectToLatest } from "./changes/redirect-to-latest.ts";
import { versionRoutes } from "./changes/version-routes.ts";
import { watchRoutes } from "./changes/watch-routes.ts";
import { webhookRoutes } from "./changes/webhook-routes.ts";
import { cloudflareRoutes } from "./cloudflare/cloudflare-routes.ts";
import { crawlRoutes } from "./crawls/crawl-routes.ts";
import { giveId, serveAndLog } from "./crawls/each-request.ts";
import { eventRoutes } from "./crawls/event-routes.ts";
import { listRoutes } from "./crawls/list-routes.ts";
import { scheduleRoutes } from "./crawls/schedule-routes.ts";
import { docsRoutes } from "./docs/docs-routes.ts";
import { backgroundRoutes } from "./exports/background-routes.ts";
import { deltaRoutes } from "./exports/delta-routes.ts";
import { exportRoutes } from "./exports/export-routes.ts";
import { absentRoutes } from "./firecrawl/absent-routes.ts";
import { monitorRoutes } from "./firecrawl/monitor-routes.ts";
import { firecrawlRoutes, firecrawlRoutesV1 } from "./firecrawl/firecrawl-routes.ts";
import { parseRoutes } from "./firecrawl/parse-routes.ts";
import { importRoutes } from "./imports/import-routes.ts";
import { mcpRoutes } from "./mcp/mcp-routes.ts";
import { explainRoutes } from "./records/explain-routes.ts";
import { screenshotRoutes } from "./records/screenshot-routes.ts";
import { replayRoutes } from "./replay/replay-routes.ts";
import { failure, failureOf } from "./requests/failure.ts";
import { limitBody } from "./requests/limit-body.ts";
import { sessionRoutes } from "./sessions/session-routes.ts";

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

/** The description of the API. It holds no data, so it needs no token. */
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
// Answers of an archive, and uploads, are longer than other requests.
app.route("/api/imports", importRoutes);
app.route("/v2/parse", parseRoutes);
// After requireToken: the body of a request without a token is never read.
app.use("*", limitBody());
/** The process that started the Worker on this machine sends its heartbeats, because no cron comes here. */
app.use(LOCAL_HEARTBEAT, async (c, next) => {
  if (c.env.BOOT === undefined || c.req.method !== "POST") return next();
  await beat(c.env);
  return c.body(null, 204);
});
/** `busy` and `failure` are those of this isolate, the heartbeat is that of the installation. */
app.get("/api/health", async (c) => {
  const { installationUsage, installationKey, hook } = c.var.deps;
  const [{ found, silent }, bill, [key = ""]] = await Promise.all([
    readLedgers(c.var.deps, MAX_NAMED),
    installationUsage.read(),
    installationKeys(c.env, installationKey),
  ]);
  const { batches: busy, failure } = workload;
  const result = {
    busy,
    failure,
    hasHook: hook !== null,
    heartbeat: viewHeartbeat(found),
    bill: viewBill(bill),
    database: viewFullest(found),
    ledgers: viewLedgers(found, silent),
    maxCostUsd: viewMaxCost(c.env.MAX_COST_USD),
    identity: viewIdentity(identityIn(c.env), c.var.deps.clock.now()),
    ownership: { key, ...viewOwnHosts(readOwnHosts(c.env.OWN_HOSTS)) },
  };
  return c.json({ success: true, result });
});
app.use("/api/crawls/latest/*", redirectToLatest);
app.route("/api/crawls", crawlRoutes);
app.route("/api/crawls", listRoutes);
app.route("/api/crawls", watchRoutes);
app.route("/api/crawls", crawlFeedRoutes);
app.route("/api/crawls", diffRoutes);
app.route("/api/crawls", exportRoutes);
app.route("/api/crawls", backgroundRoutes);
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
app.route("/api/crawls", storedExtractRoutes);
app.route("/api/schedules", scheduleRoutes);
app.route("/api/explain", explainRoutes);
app.route("/api/fields", fieldRoutes);
app.route("/api/extract", extractRoutes);
app.route("/api/ownership", ownershipRoutes);
app.route("/api/search", searchRoutes);
app.route("/api/sessions", sessionRoutes);
app.route("/api/versions", versionRoutes);
app.route(
  "/mcp",
  mcpRoutes(async (request, c) => app.fetch(request, c.env, c.executionCtx)),
);
app.route("/v2", absentRoutes("v2"));
app.route("/v1", absentRoutes("v1"));
app.route("/v2", firecrawlRoutes);
app.route("/v2/monitor", monitorRoutes);
app.route("/v1", firecrawlRoutesV1);
for (const product of ["browser-rendering", "browser-run"]) {
  app.route(`/client/v4/accounts/:account/${product}/crawl`, cloudflareRoutes);
}

app.notFound((c) => failure(c, 404, "not-found", `There is no route ${c.req.method} ${c.req.path}.`));

app.onError(failureOf);

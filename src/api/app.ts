import { Hono } from "hono"; // the router that the project was asked to use
import { HTTPException } from "hono/http-exception";
import { ZodError } from "zod";
import { batchesInFlight, lastFailure } from "../frontier/consumer.ts";
import { Heartbeats } from "../store/heartbeats.ts";
import { requireToken } from "./auth.ts";
import { cloudflareRoutes } from "./cloudflare-routes.ts";
import { crawlRoutes } from "./crawl-routes.ts";
import { explainRoutes } from "./explain-routes.ts";
import { scheduleRoutes } from "./schedule-routes.ts";
import { RequestProblem } from "./schemas.ts";

/** The API: Cloudflare's own /crawl paths, and what theirs has not under /api/. Every error is JSON with a code and a sentence. */

export const VERSION = "0.1.0";

export const app = new Hono<{ Bindings: Env }>();

/** `busy` counts the batches in flight in this isolate: where there is but one, as locally, nought means that nothing is lost by stopping. */
app.get("/health", (c) => c.json({ ok: true, name: "orbweaver", version: VERSION, busy: batchesInFlight() }));

app.use("*", requireToken);
/** How this isolate does: `busy` as above, and what its last batch could not do. The heartbeat is everybody's. */
app.get("/api/health", async (c) => {
  const heartbeat = await new Heartbeats(c.env.LEDGER).last();
  return c.json({ success: true, result: { busy: batchesInFlight(), failure: lastFailure(), heartbeat } });
});
app.route("/api/crawls", crawlRoutes);
app.route("/api/schedules", scheduleRoutes);
app.route("/api/explain", explainRoutes);
for (const product of ["browser-rendering", "browser-run"]) {
  app.route(`/client/v4/accounts/:account/${product}/crawl`, cloudflareRoutes);
}

app.notFound((c) => c.json(failure("not-found", `There is nothing at ${c.req.method} ${c.req.path}.`), 404));

app.onError((error, c) => {
  if (error instanceof RequestProblem) return c.json(failure(error.code, error.message), 400);
  if (error instanceof ZodError) return c.json(failure("invalid-request", sentencesOf(error)), 400);
  if (error instanceof SyntaxError) return c.json(failure("invalid-json", "The body is not JSON."), 400);
  if (error instanceof HTTPException) {
    const codes: Record<number, string> = { 401: "unauthorized", 404: "not-found", 409: "conflict", 503: "no-token" };
    return c.json(failure(codes[error.status] ?? "error", error.message), error.status);
  }
  console.error("request failed", c.req.method, c.req.path, error);
  return c.json(failure("internal", "Something of ours failed. The Worker's log has the particulars."), 500);
});

/** Cloudflare's envelope, with a code that programs can read. */
function failure(code: string, message: string) {
  return { success: false, result: null, errors: [{ code, message }], messages: [] };
}

function sentencesOf(error: ZodError): string {
  return error.issues.map(({ path, message }) => `${path.join(".") || "body"}: ${message}`).join("; ");
}

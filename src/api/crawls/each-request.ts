import type { MiddlewareHandler } from "hono";
import { type RequestIdVariables, requestId } from "hono/request-id";
import { matchedRoutes } from "hono/route";
import { systemClock } from "../../core/clock.ts";
import { logError, logInfo } from "../../core/log.ts";
import { type Deps, depsOf } from "../../frontier/deps.ts";
import { hintTold } from "../../frontier/visits/notice-hint.ts";
import { installationMeter, settleInstallationBill } from "../../lifecycle/installation-bill.ts";

/**
 * Gives every request an id, its stores and a line in the log, and adds its usage to the installation's bill.
 */

declare module "hono" {
  interface ContextVariableMap extends RequestIdVariables {
    /** Made for this request. */
    deps: Deps;
  }
}

/** The caller's `X-Request-Id`, or a new one. */
export const giveId: MiddlewareHandler<{ Bindings: Env }> = requestId();

/** The log names the route, not the path: a path may hold a page's URL or a replay key. */
export const serveAndLog: MiddlewareHandler<{ Bindings: Env }> = async (c, next) => {
  const startedAt = systemClock.now();
  c.set("deps", depsOf(c.env, installationMeter));
  await next();
  for (const deps of c.var.deps.ledgers.opened) await hintTold(deps);
  logInfo("request", {
    id: c.var.requestId,
    method: c.req.method,
    route: matchedRoutes(c).at(-1)?.path,
    status: c.res.status,
    ms: systemClock.now() - startedAt,
  });
  const settled = settleInstallationBill(c.var.deps);
  c.executionCtx.waitUntil(settled.catch((error: unknown) => logError("usage-not-stored", error)));
};

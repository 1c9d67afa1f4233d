import { Hono } from "hono";
import { GUEST_LIMITS } from "../../host/guest-limits.ts";
import { installationKeys } from "../../host/installation-keys.ts";
import { readOwnership } from "../../reading/explain/read-ownership.ts";
import { installationOf } from "../crawls/crawl-routes.ts";
import { toSeed } from "../crawls/crawl-request.ts";
import { type OwnershipView, ownershipQuery } from "./ownership-schemas.ts";

/** /api/ownership: whether a host is the operator's own, and how its owner shows it. */

export const ownershipRoutes = new Hono<{ Bindings: Env }>();

ownershipRoutes.get("/", async (c) => {
  const { url: given } = ownershipQuery.parse(c.req.query());
  const installation = installationOf(c.env);
  const url = toSeed(given, "url", installation);
  const [key = ""] = await installationKeys(c.env, c.var.deps.installationKey);
  const report = await readOwnership(url, { userAgent: installation.userAgent, key }, c.var.deps);
  const result: OwnershipView = { ...report, limits: report.isOwn ? null : GUEST_LIMITS };
  return c.json({ success: true, result });
});

import { Hono } from "hono";
import { GUEST_LIMITS } from "../../host/guest-limits.ts";
import { installationKeys } from "../../host/installation-keys.ts";
import { readOwnership } from "../../reading/explain/read-ownership.ts";
import { canonicalize } from "../../url/canonicalize.ts";
import { installationOf } from "../crawls/crawl-routes.ts";
import { checkHost } from "../crawls/fetchable-host.ts";
import { RequestProblem } from "../requests/request-problem.ts";
import { type OwnershipView, ownershipQuery } from "./ownership-schemas.ts";

/** /api/ownership: whether a host is the operator's own, and how its owner shows it. */

export const ownershipRoutes = new Hono<{ Bindings: Env }>();

ownershipRoutes.get("/", async (c) => {
  const { url: given } = ownershipQuery.parse(c.req.query());
  const url = canonicalize(given);
  if (url === null)
    throw new RequestProblem(
      "invalid-url",
      "The host needs an http or https URL, such as https://example.com/.",
      "url",
    );
  const installation = installationOf(c.env);
  checkHost(url, "url", installation);
  const [key = ""] = await installationKeys(c.env, c.var.deps.installationKey);
  const report = await readOwnership(url, { userAgent: installation.userAgent, key }, c.var.deps);
  const result: OwnershipView = { ...report, limits: report.isOwn ? null : GUEST_LIMITS };
  return c.json({ success: true, result });
});

import { Hono } from "hono";
import { explain } from "../../reading/explain/explain.ts";
import { toOptions } from "../crawls/crawl-request.ts";
import { installationOf } from "../crawls/crawl-routes.ts";
import { explainRequest, viewExplanation } from "./explain-schemas.ts";

/** /api/explain: what a new crawl would decide for a URL. For an existing crawl, see /api/crawls/:id/explain. */

export const explainRoutes = new Hono<{ Bindings: Env }>();

explainRoutes.post("/", async (c) => {
  const { url, crawl } = explainRequest.parse(await c.req.json());
  const installation = installationOf(c.env);
  const options = toOptions(crawl, installation);
  const explanation = await explain(url, { options }, c.var.deps, installation.privateAccess);
  return c.json({ success: true, result: viewExplanation(explanation) });
});

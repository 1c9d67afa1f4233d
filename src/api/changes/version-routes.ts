import { Hono } from "hono";
import { versionsPage } from "../../crawl/page/url-version.ts";
import { canonicalize } from "../../url/canonicalize.ts";
import { findCrawl } from "../crawls/crawl-routes.ts";
import { RequestProblem } from "../requests/request-problem.ts";
import { versionsQuery, viewVersions } from "./version-schemas.ts";

/** /api/versions: what the crawls have fetched of a URL, and when. */

export const versionRoutes = new Hono<{ Bindings: Env }>();

versionRoutes.get("/", async (c) => {
  const { url: given, crawl: id, limit, cursor } = versionsQuery.parse(c.req.query());
  const url = canonicalize(given);
  if (url === null) throw new RequestProblem("invalid-url", `url: ${given} is not an http or https URL.`, "url");
  const crawl = id === undefined ? null : (await findCrawl(id, c.var.deps)).id;
  const found = await c.var.deps.versions.list(url, { crawl, cursor, limit: limit + 1 });
  return c.json({ success: true, result: viewVersions(url, versionsPage(found, limit)) });
});

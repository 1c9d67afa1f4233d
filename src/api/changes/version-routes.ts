import { Hono } from "hono";
import { versionsPage } from "../../crawl/page/url-version.ts";
import { describeSilent, listVersions } from "../../reading/all-crawls.ts";
import { partOfUrl } from "../../frontier/shards/whole-crawl.ts";
import { canonicalize } from "../../url/canonicalize.ts";
import { findAnyCrawl } from "../crawls/crawl-routes.ts";
import { RequestProblem } from "../requests/request-problem.ts";
import { versionsQuery, viewVersions } from "./version-schemas.ts";

/** /api/versions: what the crawls have fetched of a URL, and when. */

export const versionRoutes = new Hono<{ Bindings: Env }>();

versionRoutes.get("/", async (c) => {
  const { url: given, crawl: id, limit, cursor } = versionsQuery.parse(c.req.query());
  const url = canonicalize(given);
  if (url === null) throw new RequestProblem("invalid-url", `url: ${given} is not an http or https URL.`, "url");
  const asked = id === undefined ? null : await findAnyCrawl(id, c.var.deps);
  // A crawl over several ledgers has the URL in one of its parts.
  const part = asked === null ? null : await partOfUrl(asked, url, c.var.deps);
  const crawl = part?.crawl.id ?? asked?.id ?? null;
  const { found, silent } = await listVersions(c.var.deps, url, { crawl, cursor, limit: limit + 1 });
  const result = viewVersions(url, versionsPage(found, limit));
  return c.json({ success: true, result, errors: [], messages: describeSilent(silent) });
});

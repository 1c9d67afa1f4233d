import type { MiddlewareHandler } from "hono";
import { newestCrawl } from "../crawls/crawl-routes.ts";
import { refusal } from "../requests/request-problem.ts";

/**
 * /api/crawls/latest: the newest crawl. A redirect names it by its id, so that the parts of an answer, and what follows
 * it, are of the same crawl although another one may start meanwhile.
 */

const LATEST = "/api/crawls/latest";

/** Throws 404 if there is no crawl. 307 keeps the method and the body (RFC 9110, section 15.4.8). */
export const redirectToLatest: MiddlewareHandler<{ Bindings: Env }> = async (c) => {
  if (c.req.method === "DELETE")
    throw refusal(400, "Name the crawl to delete by its id, because the latest may be another.");
  const { id } = await newestCrawl(c.var.deps);
  const { pathname, search } = new URL(c.req.url);
  return c.redirect(`/api/crawls/${id}${pathname.slice(LATEST.length)}${search}`, 307);
};

import { Hono } from "hono";
import { SearchIndex } from "../store/search-index.ts";
import { RequestProblem, searchQuery } from "./schemas.ts";
import { isoOrNull, type SearchView } from "./views.ts";

/** GET /api/search: what was kept, by its words. */
export const searchRoutes = new Hono<{ Bindings: Env }>();

searchRoutes.get("/", async (c) => {
  const { q, crawl = null, limit, cursor } = searchQuery.parse(c.req.query());
  const index = new SearchIndex(c.env.LEDGER);
  const found = await index.search({ query: q, crawl, limit, offset: cursor });
  if (found === null) throw new RequestProblem("invalid-request", "q: name a word to look for.");
  const result: SearchView = {
    hits: found.hits.map((hit) => ({ ...hit, fetchedAt: isoOrNull(hit.fetchedAt) })),
    cursor: found.more ? String(cursor + limit) : null,
    indexed: found.hits.length > 0 || (await index.holdsAny(crawl)),
  };
  return c.json({ success: true, result });
});

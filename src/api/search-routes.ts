import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import type { Crawl } from "../crawl/crawl.ts";
import { parseQuery, type Term } from "../search/query.ts";
import { Ledger } from "../store/ledger.ts";
import { SearchHits } from "../store/search-hits.ts";
import { RequestProblem, SEARCH_DEPTH, searchQuery } from "./schemas.ts";
import { type SearchView, viewHit } from "./views.ts";

/** /api/search: pages by what they say, over all crawls or in one. */

/** More than anybody types; each costs a look into the index. */
const MOST_TERMS = 32;

export const searchRoutes = new Hono<{ Bindings: Env }>();

searchRoutes.get("/", async (c) => {
  const { q, crawl: id, limit, cursor: offset } = searchQuery.parse(c.req.query());
  const terms = termsOf(q);
  const crawl = id === undefined ? null : await new Ledger(c.env.LEDGER).crawl(id);
  if (id !== undefined && crawl === null) throw new HTTPException(404, { message: `There is no crawl ${id}.` });
  const index = new SearchHits(c.env.LEDGER);
  const { hits, total } = await index.find(terms, { crawl: crawl?.id ?? null, limit, offset });
  const end = offset + limit;
  const result: SearchView = {
    hits: hits.map(viewHit),
    total,
    cursor: end < Math.min(total, SEARCH_DEPTH) ? String(end) : null,
    note: hits.length > 0 ? null : await whyNothing(crawl, index),
  };
  return c.json({ success: true, result });
});

function termsOf(query: string): Term[] {
  const terms = parseQuery(query);
  if (terms.length > MOST_TERMS)
    throw new RequestProblem("invalid-query", `A query may have ${MOST_TERMS} words at the most.`);
  if (terms.every(({ excluded }) => excluded))
    throw new RequestProblem("invalid-query", "The query names no word to look for, such as: crawler -robots");
  return terms;
}

/** Where no query at all could find anything. */
async function whyNothing(crawl: Crawl | null, index: SearchHits): Promise<string | null> {
  if (crawl !== null)
    return crawl.options.search ? null : "This crawl was started without search, so none of its pages is indexed.";
  return (await index.isEmpty())
    ? "Nothing is indexed here: only the pages of crawls that are started with search are."
    : null;
}

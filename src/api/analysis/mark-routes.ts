import { Hono } from "hono";
import { storesOf } from "../../frontier/shards/over-parts.ts";
import { MAX_CRAWL_MARKS } from "../../store/learned/marks.ts";
import { canonicalize } from "../../url/canonicalize.ts";
import { anyCrawlOf } from "../crawls/crawl-routes.ts";
import { refusal } from "../requests/request-problem.ts";
import { type MarkedView, markRequest, marksQuery, viewMarks } from "./mark-schemas.ts";

/** /api/crawls/:id/marks: what a person says of pages. */

export const markRoutes = new Hono<{ Bindings: Env }>();

markRoutes.get("/:id/marks", async (c) => {
  const { label, url: given } = marksQuery.parse(c.req.query());
  const crawl = await anyCrawlOf(c);
  const url = given === undefined ? undefined : (canonicalize(given) ?? given);
  const all = await storesOf(crawl, c.var.deps).marks.list(crawl.id);
  const shown = all.filter((mark) => (label ?? mark.label) === mark.label && (url ?? mark.url) === mark.url);
  return c.json({ success: true, result: viewMarks(all, shown) });
});

markRoutes.post("/:id/marks", async (c) => {
  const { urls: given, label } = markRequest.parse(await c.req.json());
  const crawl = await anyCrawlOf(c);
  const { marks, clock } = storesOf(crawl, c.var.deps);
  const urls = [...new Set(given.map((url) => canonicalize(url) ?? url))];
  if (label === null) await marks.remove(crawl.id, urls);
  const { missing, isFull } =
    label === null ? { missing: [], isFull: false } : await marks.put(crawl.id, urls, label, clock.now());
  if (isFull)
    throw refusal(409, `A crawl has at most ${MAX_CRAWL_MARKS.toLocaleString("en")} marks. Remove some first.`);
  const result: MarkedView = { marked: urls.length - missing.length, missing };
  return c.json({ success: true, result });
});

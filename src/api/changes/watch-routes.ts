import { Hono } from "hono";
import { visitAll, watchCrawl } from "../../lifecycle/watch.ts";
import { readWatchMonth } from "../../reading/watch/watch-month.ts";
import { readWatchVisits } from "../../reading/watch/watch-visits.ts";
import { findPaceProblem, watchRequest } from "../crawls/crawl-request.ts";
import { conflict, crawlOf, refuseImport } from "../crawls/crawl-routes.ts";
import { viewCrawl } from "../crawls/crawl-schemas.ts";
import { RequestProblem, refusal } from "../requests/request-problem.ts";
import { type ChangesView, changesQuery, newestQuery, viewChange, viewNewest } from "./change-schemas.ts";
import { whyExpired } from "./expired-cursor.ts";
import { viewMonth } from "./month-schemas.ts";
import { viewVisits } from "./visits-schemas.ts";

/** /api/crawls/:id/watch, /visits, /month and /changes: crawls that stay, what they visit, and what changed. */

export const watchRoutes = new Hono<{ Bindings: Env }>();

const GO_ON =
  "To read on, leave `since` out: then the list begins with the oldest change that is kept. What became of the pages meanwhile is in a full export, as of `/delta`.";

/** Makes a crawl a watch, or changes how often a watch visits. */
watchRoutes.post("/:id/watch", async (c) => {
  const watch = watchRequest.parse(await c.req.json());
  const crawl = await crawlOf(c);
  refuseImport(crawl, "watched", "Start a watch of the site: it fetches the pages as they are now.");
  const problem = findPaceProblem(watch, crawl.options.politeness);
  if (problem !== null) throw new RequestProblem("invalid-request", `everyS: ${problem}.`, "everyS");
  if (!(await watchCrawl(crawl.id, watch, c.var.deps))) throw conflict(crawl, "watched");
  return c.json({ success: true, result: viewCrawl(await crawlOf(c)) });
});

watchRoutes.get("/:id/changes", async (c) => {
  const { since, kind, limit } = changesQuery.parse(c.req.query());
  const crawl = await crawlOf(c);
  const isCursor = /^\d+$/.test(since ?? "");
  const at = since === undefined || isCursor ? 0 : Date.parse(since);
  const from = { after: isCursor ? Number(since) : 0, at };
  const listed = await c.var.deps.changes.list(crawl.id, { ...from, kinds: kind ?? null, limit });
  const known = { since: from.after, given: since ?? "" };
  const expired = isCursor ? await whyExpired(crawl, known, c.var.deps) : null;
  if (expired !== null) throw refusal(410, `${expired} ${GO_ON}`);
  // Where none is kept, later ones follow the last that there was.
  const cursor = isCursor || listed.cursor > 0 ? listed.cursor : crawl.changes;
  const result: ChangesView = { changes: listed.changes.map(viewChange), cursor, hasMore: listed.hasMore };
  return c.json({ success: true, result });
});

watchRoutes.get("/:id/visits", async (c) => {
  const visits = await readWatchVisits(await crawlOf(c), c.var.deps);
  return c.json({ success: true, result: viewVisits(visits) });
});

/** Makes all pages due now, beside the budget of the watch. */
watchRoutes.post("/:id/visits", async (c) => {
  const crawl = await crawlOf(c);
  if (crawl.options.watch === null)
    throw refusal(409, "This crawl is no watch. Make it one by POST /api/crawls/ID/watch: then its visits begin.");
  if (crawl.status === "running" && crawl.watchingSince === null)
    throw refusal(409, "The first crawl of this watch has not ended: it is fetching the pages now.");
  if (!(await visitAll(crawl.id, c.var.deps))) throw conflict(crawl, "visited");
  return c.json({ success: true, result: viewCrawl(await crawlOf(c)) }, 202);
});

watchRoutes.get("/:id/month", async (c) => {
  const month = await readWatchMonth(await crawlOf(c), c.var.deps);
  return c.json({ success: true, result: viewMonth(month) });
});

watchRoutes.get("/:id/newest-changes", async (c) => {
  const { before, kind, limit } = newestQuery.parse(c.req.query());
  const crawl = await crawlOf(c);
  const found = await c.var.deps.changes.newest(crawl.id, { before, kinds: kind ?? null, limit: limit + 1 });
  return c.json({ success: true, result: viewNewest(found, limit) });
});

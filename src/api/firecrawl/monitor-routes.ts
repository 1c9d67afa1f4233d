import { type Context, Hono } from "hono";
import type { Crawl } from "../../crawl/crawl.ts";
import { isOpenStatus } from "../../crawl/page/status.ts";
import { homeOf } from "../../frontier/ledgers.ts";
import { deleteCrawl } from "../../lifecycle/delete-crawl.ts";
import { amendCrawl, resumeCrawl } from "../../lifecycle/start.ts";
import { pauseByUser } from "../../lifecycle/stop.ts";
import { visitAll, watchCrawl } from "../../lifecycle/watch.ts";
import { listWatches } from "../../reading/all-crawls.ts";
import { findPaceProblem } from "../crawls/crawl-request.ts";
import { conflict, crawlOf, findCrawl, installationOf, openHome, secretOf, startWith } from "../crawls/crawl-routes.ts";
import { RequestProblem, refusal } from "../requests/request-problem.ts";
import { FirecrawlProblem } from "./firecrawl-failure.ts";
import { toMonitorWebhook } from "./firecrawl-webhook.ts";
import { currentCheck, findCheck, listChecks } from "./monitor-checks.ts";
import { readCheckPages } from "./monitor-pages.ts";
import { monitorWebhooks, viewCheck, viewMonitor } from "./monitor-view.ts";
import { checkQuery, checksQuery, monitorChange, monitorRequest, monitorsQuery } from "./requests/monitor-request.ts";
import { optionsOfMonitor } from "./requests/read-request.ts";

/** /v2/monitor: watches, as Firecrawl's clients know them. */

type Api = Context<{ Bindings: Env }>;

/** Watches in all. Theirs are counted by an offset. */
const MOST = 1_000;

export const monitorRoutes = new Hono<{ Bindings: Env }>();

monitorRoutes.post("/", async (c) => {
  const options = optionsOfMonitor(monitorRequest.parse(await c.req.json()), installationOf(c.env));
  const id = await startWith(options, c.var.deps);
  const crawl = await findCrawl(id, openHome(c, id));
  return c.json({ success: true, data: await viewMonitor(crawl, c.var.deps), ...secretOf(options) });
});

monitorRoutes.get("/", async (c) => {
  const { limit, offset } = monitorsQuery.parse(c.req.query());
  const found = (await listWatches(c.var.deps, MOST)).found;
  const shown = found.slice(offset, offset + limit);
  const data = await Promise.all(shown.map((crawl) => viewMonitor(crawl, homeOf(c.var.deps, crawl.id))));
  return c.json({ success: true, data, pagination: { limit, offset, hasMore: found.length > offset + limit } });
});

monitorRoutes.get("/:id", async (c) => showMonitor(c));

monitorRoutes.patch("/:id", async (c) => {
  const change = monitorChange.parse(await c.req.json());
  const crawl = await monitorOf(c);
  const { deps } = c.var;
  const { name, status, schedule: everyS, retentionDays: keepDays, webhook } = change;
  const made = webhook == null ? null : toMonitorWebhook(webhook, installationOf(c.env));
  if (everyS !== undefined) {
    const problem = findPaceProblem({ everyS }, crawl.options.politeness);
    if (problem !== null) throw new RequestProblem("invalid-request", `schedule: ${problem}.`, "schedule");
  }
  if (everyS !== undefined || keepDays !== undefined) {
    const watch = {
      ...crawl.options.watch,
      ...(everyS === undefined ? {} : { everyS }),
      ...(keepDays === undefined ? {} : { keepDays }),
    };
    if (!(await watchCrawl(crawl.id, watch, deps))) throw conflict(crawl, "changed");
  }
  if (name !== undefined && !(await amendCrawl(crawl, { name }, deps))) throw conflict(crawl, "changed");
  if (webhook !== undefined) {
    const before = await monitorWebhooks(crawl.id, deps);
    // In this order, so that nothing is told to nobody.
    const sealed = made === null ? null : await deps.sealedValues.sealWebhook(made);
    if (sealed !== null && !(await deps.webhooks.add(crawl.id, sealed, deps.clock.now())))
      throw refusal(409, "This monitor has too many webhooks: remove one by DELETE /api/crawls/ID/webhooks/WEBHOOK.");
    for (const { id } of before) await deps.webhooks.remove(crawl.id, id);
  }
  if (status === "paused" && crawl.status !== "paused") await pauseByUser(crawl, deps);
  if (status === "active" && crawl.status === "paused") await resumeCrawl(crawl.id, deps);
  return showMonitor(c, made?.secret);
});

monitorRoutes.delete("/:id", async (c) => {
  const crawl = await monitorOf(c);
  await deleteCrawl(crawl.id, true, c.var.deps);
  return c.json({ success: true });
});

/** The first crawl of a watch visits all pages already. */
monitorRoutes.post("/:id/run", async (c) => {
  const crawl = await monitorOf(c);
  const isInFirstCrawl = crawl.status === "running" && crawl.watchingSince === null;
  if (!isInFirstCrawl && !(await visitAll(crawl.id, c.var.deps))) throw conflict(crawl, "run");
  const now = await monitorOf(c);
  return c.json({ success: true, data: await viewCheck(now, await currentCheck(now, c.var.deps), c.var.deps) });
});

monitorRoutes.get("/:id/checks", async (c) => {
  const { limit, offset, status } = checksQuery.parse(c.req.query());
  const crawl = await monitorOf(c);
  const found = await listChecks(crawl, { limit: limit + 1, offset }, c.var.deps);
  const wanted = found.slice(0, limit).filter((check) => status === undefined || check.status === status);
  const data = await Promise.all(wanted.map((check) => viewCheck(crawl, check, c.var.deps)));
  return c.json({ success: true, data, pagination: { limit, offset, hasMore: found.length > limit } });
});

monitorRoutes.get("/:id/checks/:check", async (c) => {
  const { limit, skip, status } = checkQuery.parse(c.req.query());
  const crawl = await monitorOf(c);
  const check = await findCheck(crawl, c.req.param("check"), c.var.deps);
  if (check === null) throw new FirecrawlProblem(404, "NOT_FOUND", `There is no check ${c.req.param("check")}.`);
  const [view, { pages, hasMore }] = await Promise.all([
    viewCheck(crawl, check, c.var.deps),
    readCheckPages(crawl, check, { skip, limit, status }, c.var.deps),
  ]);
  const next = new URL(c.req.url);
  next.searchParams.set("skip", String(skip + limit));
  return c.json({
    success: true,
    data: { ...view, pages },
    pagination: { limit, offset: skip, hasMore },
    ...(hasMore ? { next: next.href } : {}),
  });
});

async function showMonitor(c: Api, webhookSecret?: string): Promise<Response> {
  const data = await viewMonitor(await monitorOf(c), c.var.deps);
  return c.json({ success: true, data, ...(webhookSecret === undefined ? {} : { webhookSecret }) });
}

/** Throws 404 for a crawl that is no watch, or was cancelled. */
async function monitorOf(c: Api): Promise<Crawl & { options: { watch: NonNullable<Crawl["options"]["watch"]> } }> {
  const crawl = await crawlOf(c);
  const { watch } = crawl.options;
  if (watch === null || !isOpenStatus(crawl.status))
    throw new FirecrawlProblem(404, "NOT_FOUND", `The crawl ${crawl.id} is no watch that goes on.`);
  return { ...crawl, options: { ...crawl.options, watch } };
}

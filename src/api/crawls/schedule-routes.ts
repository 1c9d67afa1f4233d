import { Hono } from "hono";
import { cronProblem, nextOccurrence } from "../../lifecycle/cron.ts";
import { findId } from "../records/find-by-id.ts";
import { RequestProblem, refusal } from "../requests/request-problem.ts";
import { requireSession } from "../sessions/require-session.ts";
import { toUndividedOptions } from "./crawl-request.ts";
import { installationOf, secretOf } from "./crawl-routes.ts";
import { scheduleRequest, viewSchedule } from "./schedule-schemas.ts";

/** /api/schedules: crawls that start at set times. */

const NOT_BY_SCHEDULE = "A schedule cannot start crawls over several ledgers: it claims each crawl in one ledger.";

export const scheduleRoutes = new Hono<{ Bindings: Env }>();

scheduleRoutes.get("/", async (c) => {
  const schedules = await c.var.deps.schedules.list();
  return c.json({ success: true, result: schedules.map(viewSchedule) });
});

scheduleRoutes.post("/", async (c) => {
  const request = scheduleRequest.parse(await c.req.json());
  const now = c.var.deps.clock.now();
  const problem = cronProblem(request.cron, now);
  if (problem !== null) {
    throw new RequestProblem(
      "invalid-cron",
      `"${request.cron}" is not a cron expression with five fields in UTC, such as "0 3 * * *": ${problem}`,
    );
  }
  const options = toUndividedOptions(request.crawl, installationOf(c.env), NOT_BY_SCHEDULE, "crawl.shards");
  await requireSession(options, c.var.deps);
  const schedule = {
    id: crypto.randomUUID(),
    cron: request.cron,
    options: await c.var.deps.sealedValues.sealOptions(options),
    modifiedWithinS: request.modifiedWithinS,
    createdAt: now,
    nextAt: nextOccurrence(request.cron, now),
  };
  await c.var.deps.schedules.add(schedule);
  const view = viewSchedule({ ...schedule, lastCrawlId: null, lastStartedAt: null });
  return c.json({ success: true, result: { ...view, ...secretOf(options) } }, 201);
});

scheduleRoutes.delete("/:id", async (c) => {
  const ids = (await c.var.deps.schedules.list()).map((schedule) => schedule.id);
  const id = findId("schedule", c.req.param("id"), ids);
  if (!(await c.var.deps.schedules.remove(id))) throw refusal(404, `There is no schedule ${id}.`);
  return c.json({ success: true, result: { id } });
});

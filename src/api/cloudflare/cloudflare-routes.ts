import { Hono } from "hono";
import { cancelByUser } from "../../lifecycle/stop.ts";
import { readingOf } from "../../reading/records/read-formats.ts";
import { readRecords } from "../../reading/records/read-records.ts";
import { crawlOf, installationOf, startWith } from "../crawls/crawl-routes.ts";
import { RequestProblem } from "../requests/request-problem.ts";
import { type Message, recordMessages } from "./cloudflare-messages.ts";
import { readCloudflareRequest } from "./cloudflare-request.ts";
import { cloudflareQuery, viewJob, viewJobRecord } from "./cloudflare-schemas.ts";

/**
 * Cloudflare's /crawl: https://developers.cloudflare.com/api/resources/browser_rendering/subresources/crawl/ Paths,
 * parameters, statuses and envelope are the same, so Cloudflare's client works with another base URL:
 * docs/cloudflare.md.
 */
export const cloudflareRoutes = new Hono<{ Bindings: Env }>();

cloudflareRoutes.post("/", async (c) => {
  const { options, messages } = readCloudflareRequest(
    await c.req.json(),
    installationOf(c.env),
    c.var.deps.clock.now(),
  );
  return c.json(success(await startWith(options, c.var.deps), messages));
});

cloudflareRoutes.get("/:id", async (c) => {
  const { cursor: number, limit, status } = cloudflareQuery.parse(c.req.query());
  const crawl = await crawlOf(c);
  const deps = c.var.deps;
  const after = number === 0 ? "" : await deps.records.urlOf(crawl.id, number);
  if (after === null)
    throw new RequestProblem("invalid-cursor", `cursor: no answer about this crawl had the cursor ${number}.`);
  const { formats } = crawl.options;
  const { records, cursor } = await readRecords(
    crawl,
    { cursor: after, limit, status, formats, sort: "url", order: "asc" },
    await readingOf(crawl, { formats }, deps),
  );
  const next = cursor === null ? null : await deps.records.numberOf(crawl.id, cursor);
  const result = {
    ...viewJob(crawl),
    records: records.map(viewJobRecord),
    ...(next === null ? {} : { cursor: String(next) }),
  };
  return c.json(success(result, recordMessages(records)));
});

/** A crawl that has ended keeps its status. This is not an error, because the crawl is over, as the caller wants. */
cloudflareRoutes.delete("/:id", async (c) => {
  const crawl = await crawlOf(c);
  const cancelled = await cancelByUser(crawl, c.var.deps);
  const message = cancelled ? "Crawl job cancelled." : `Crawl job had ended already: ${crawl.status}.`;
  return c.json(success({ job_id: crawl.id, message }, []));
});

function success<T>(result: T, messages: Message[]) {
  return { success: true, result, errors: [], messages };
}

import { type Context, Hono, type MiddlewareHandler } from "hono";
import { costUsd } from "../../crawl/bounds/usage.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import { requireRoom } from "../../frontier/batch/require-room.ts";
import { importAnswers } from "../../frontier/imports/import-answers.ts";
import { startImport } from "../../lifecycle/import.ts";
import { canonicalize, MAX_URL_LENGTH } from "../../url/canonicalize.ts";
import { crawlOf, installationOf } from "../crawls/crawl-routes.ts";
import { viewCrawl } from "../crawls/crawl-schemas.ts";
import { limitBody } from "../requests/limit-body.ts";
import { RequestProblem, refusal } from "../requests/request-problem.ts";
import { importEnd, importRequest, MAX_RECORDS_BYTES } from "./import-schemas.ts";
import { readRecords } from "./read-records.ts";

/**
 * /api/imports: crawls whose answers come from an archive. The client reads the archive, and sends its answers in
 * portions that fit into a request; nothing is fetched.
 */

type Api = { Bindings: Env };

export const importRoutes = new Hono<Api>();

importRoutes.post("/", limitBody(), async (c) => {
  const { urls, ...order } = importRequest.parse(await c.req.json());
  const seeds = urls.flatMap((url) => canonicalize(url) ?? []).filter((url) => url.length <= MAX_URL_LENGTH);
  if (seeds.length === 0) throw new RequestProblem("invalid-url", "None of `urls` is an http or https URL.", "urls");
  const { userAgent, documents, maxCostUsd } = installationOf(c.env);
  const installation = { userAgent, documents: [...documents], maxCostUsd: Number.isNaN(maxCostUsd) ? 0 : maxCostUsd };
  const crawl = await startImport({ ...order, urls: [...new Set(seeds)] }, installation, c.var.deps);
  if (crawl === null) throw refusal(409, "The crawl of this archive is being deleted. Try again when it is gone.");
  const { id, status, counters } = crawl;
  const settled = counters.discovered - counters.queued - counters.pending;
  return c.json({ success: true, result: { id, status, settled } }, 201);
});

/** A body so long is read only for an import that takes it. */
const requireOpenImport: MiddlewareHandler<Api> = async (c, next) => {
  await openImport(c);
  await next();
};

importRoutes.post("/:id/records", requireOpenImport, limitBody(MAX_RECORDS_BYTES), async (c) => {
  const crawl = await openImport(c);
  const captures = await readRecords(new Uint8Array(await c.req.arrayBuffer()));
  await requireRoom(c.var.deps);
  const settled = await importAnswers(crawl, captures, installationOf(c.env).privateAccess, c.var.deps);
  return c.json({ success: true, result: { settled } });
});

importRoutes.post("/:id/end", limitBody(), async (c) => {
  const { leftOut } = importEnd.parse(await c.req.json());
  const crawl = await importOf(c);
  const { imports, clock } = c.var.deps;
  const state = await imports.close(crawl.id, leftOut, clock.now());
  if (state?.status === "paused")
    throw refusal(409, `${state.queued.toLocaleString("en")} of its answers have not been read. Send them again.`);
  return c.json({ success: true, result: viewCrawl(await crawlOf(c)) });
});

/** Throws 404 for a crawl that fetches. */
async function importOf(c: Context<Api>): Promise<Crawl> {
  const crawl = await crawlOf(c);
  if (crawl.purpose === "import") return crawl;
  throw refusal(404, `${crawl.id} is no import: its pages are fetched.`);
}

/** An import that takes answers. Throws 409 for one that has ended, or has reached its cost limit. */
async function openImport(c: Context<Api>): Promise<Crawl> {
  const crawl = await importOf(c);
  if (crawl.status !== "paused")
    throw refusal(409, `This import is ${crawl.status.replaceAll("_", " ")}, so it takes no more answers.`);
  const { maxCostUsd } = crawl.options;
  if (maxCostUsd > 0 && costUsd(crawl.usage) >= maxCostUsd)
    throw refusal(409, `This import has reached its cost limit of ${maxCostUsd} USD: give it another \`maxCostUsd\`.`);
  return crawl;
}

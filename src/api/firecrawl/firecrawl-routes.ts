import { type Context, Hono } from "hono";
import { cancelByUser } from "../../lifecycle/stop.ts";
import { crawlOf, installationOf, secretOf, startWith } from "../crawls/crawl-routes.ts";
import { readExtractJob } from "./extract-job.ts";
import { FirecrawlProblem } from "./firecrawl-failure.ts";
import { readJobErrors } from "./job-errors.ts";
import { type JobView, readDocuments, viewJobStatus } from "./job-status.ts";
import { listActive } from "./list-active.ts";
import { mapSite } from "./map-site.ts";
import { extractRequest } from "./requests/extract-request.ts";
import {
  batchRequest,
  crawlRequestV2,
  mapRequest,
  scrapeRequest,
  searchRequest,
  statusQuery,
} from "./requests/firecrawl-requests.ts";
import { optionsOfBatch, optionsOfCrawl, optionsOfExtract } from "./requests/read-request.ts";
import { crawlFromV1, mapFromV1, scrapeFromV1 } from "./requests/version-one.ts";
import { scrapePage } from "./scrape-page.ts";
import { searchPages } from "./search-pages.ts";
import { watchJob } from "./watch-job.ts";

/**
 * Version 2 of Firecrawl's API (https://docs.firecrawl.dev/api-reference/v2-introduction), and as much of version 1 as
 * LangChain's loader uses, over the same operations as our own API: docs/firecrawl.md.
 */

type Api = Context<{ Bindings: Env }>;

export const firecrawlRoutes = new Hono<{ Bindings: Env }>();
export const firecrawlRoutesV1 = new Hono<{ Bindings: Env }>();

firecrawlRoutes.post("/scrape", async (c) => scrape(c, await c.req.json()));
firecrawlRoutesV1.post("/scrape", async (c) => scrape(c, scrapeFromV1(await c.req.json())));

firecrawlRoutes.post("/map", async (c) => {
  const { id, links } = await map(c, await c.req.json());
  return c.json({ success: true, id, links });
});
/** In version 1 the links are URLs alone. */
firecrawlRoutesV1.post("/map", async (c) => {
  const { links } = await map(c, mapFromV1(await c.req.json()));
  return c.json({ success: true, links: links.map(({ url }) => url) });
});

firecrawlRoutes.post("/search", async (c) => {
  const web = await searchPages(searchRequest.parse(await c.req.json()), c.var.deps);
  return c.json({ success: true, id: c.var.requestId, data: { web }, creditsUsed: 0 });
});

firecrawlRoutes.get("/crawl/active", async (c) => {
  return c.json({ success: true, crawls: await listActive(c.var.deps) });
});
firecrawlRoutes.post("/crawl", async (c) => startCrawlJob(c, await c.req.json()));
firecrawlRoutesV1.post("/crawl", async (c) => startCrawlJob(c, crawlFromV1(await c.req.json())));

firecrawlRoutes.post("/batch/scrape", async (c) => {
  refuseIdempotencyKey(c);
  const { options, invalid } = optionsOfBatch(batchRequest.parse(await c.req.json()), installationOf(c.env));
  const id = await startWith(options, c.var.deps);
  return c.json({ success: true, id, url: jobUrl(c, id), invalidURLs: invalid, ...secretOf(options) });
});

for (const routes of [firecrawlRoutes, firecrawlRoutesV1]) {
  routes.post("/extract", async (c) => {
    const options = optionsOfExtract(extractRequest.parse(await c.req.json()), installationOf(c.env));
    return c.json({ success: true, id: await startWith(options, c.var.deps) });
  });
  routes.get("/extract/:id", async (c) => {
    const crawl = await crawlOf(c);
    if (crawl.options.extract === null)
      throw new FirecrawlProblem(404, "NOT_FOUND", "The crawl asks no model: ask GET /v2/crawl/:id for its pages.");
    return c.json(await readExtractJob(crawl, c.var.deps));
  });
}

for (const [routes, job] of [
  [firecrawlRoutes, "/crawl/:id"],
  [firecrawlRoutes, "/batch/scrape/:id"],
  [firecrawlRoutesV1, "/crawl/:id"],
] as const) {
  routes.get(job, showJob);
  routes.delete(job, cancelJob);
  routes.get(`${job}/errors`, async (c) => c.json(await readJobErrors(await crawlOf(c), c.var.deps)));
}

async function scrape(c: Api, body: unknown): Promise<Response> {
  const data = await scrapePage(scrapeRequest.parse(body), installationOf(c.env), c.var.deps);
  return c.json({ success: true, data });
}

async function map(c: Api, body: unknown) {
  return { id: c.var.requestId, links: await mapSite(mapRequest.parse(body), installationOf(c.env), c.var.deps) };
}

async function startCrawlJob(c: Api, body: unknown): Promise<Response> {
  refuseIdempotencyKey(c);
  const options = optionsOfCrawl(crawlRequestV2.parse(body), installationOf(c.env));
  const id = await startWith(options, c.var.deps);
  return c.json({ success: true, id, url: jobUrl(c, id), ...secretOf(options) });
}

/** The state of a job with some of its documents; over a WebSocket, all of them as they come. */
async function showJob(c: Api): Promise<Response> {
  const query = statusQuery.parse(c.req.query());
  const crawl = await crawlOf(c);
  if (c.req.header("upgrade")?.toLowerCase() === "websocket") {
    const protocol = c.req.header("sec-websocket-protocol") ?? null;
    return watchJob(crawl.id, protocol, c.var.deps, (work) => c.executionCtx.waitUntil(work));
  }
  const { data, cursor } = await readDocuments(crawl, query, c.var.deps);
  const answer: JobView & { next?: string; data: typeof data } = { ...(await viewJobStatus(crawl, c.var.deps)), data };
  // Their clients follow an absolute URL, and those of version 1 as long as there is the key at all.
  if (cursor !== null) answer.next = nextUrl(c, cursor);
  return c.json(answer);
}

/** A job that has ended keeps its status, and is cancelled for the caller all the same only if it was. */
async function cancelJob(c: Api): Promise<Response> {
  const crawl = await crawlOf(c);
  await cancelByUser(crawl, c.var.deps);
  const { status } = await viewJobStatus(await crawlOf(c), c.var.deps);
  return c.json({ success: true, status });
}

function jobUrl(c: Api, id: string): string {
  const { origin, pathname } = new URL(c.req.url);
  return `${origin}${pathname}/${id}`;
}

function nextUrl(c: Api, cursor: string): string {
  const url = new URL(c.req.url);
  url.searchParams.set("cursor", cursor);
  return url.href;
}

/** A second request with the same key would start a second job. */
function refuseIdempotencyKey(c: Api): void {
  if (c.req.header("x-idempotency-key") === undefined) return;
  throw new FirecrawlProblem(
    400,
    "BAD_REQUEST",
    "x-idempotency-key: keys are not remembered here. Leave it out, and ask GET /v2/crawl/active before you start a job again.",
  );
}

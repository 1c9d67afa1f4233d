import { type Context, Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { clockOf } from "../core/clock.ts";
import type { Crawl } from "../crawl/crawl.ts";
import type { CrawlOptions } from "../crawl/crawl-options.ts";
import type { Format } from "../crawl/page-format.ts";
import { statusOf } from "../crawl/reason.ts";
import { batchesInFlight } from "../frontier/consumer.ts";
import { depsOf } from "../frontier/deps.ts";
import { deleteCrawl } from "../lifecycle/delete-crawl.ts";
import { retryCrawl } from "../lifecycle/retry.ts";
import { amendCrawl, cancelCrawl, resumeCrawl, startCrawl } from "../lifecycle/start.ts";
import { contentTypeCharset } from "../media/charset.ts";
import { explain } from "../reading/explain.ts";
import { hostStatuses } from "../reading/host-status.ts";
import { readFormats } from "../reading/read-formats.ts";
import { readRecords } from "../reading/read-records.ts";
import { Ledger } from "../store/ledger.ts";
import { keptPage } from "../store/read-mirror.ts";

import { Sitemaps } from "../store/sitemaps.ts";
import { canonicalize } from "../url/canonicalize.ts";
import { FOREIGN } from "./foreign.ts";
import {
  amendRequest,
  crawlRequest,
  deleteQuery,
  explainQuery,
  formattedRecordsQuery,
  type Installation,
  pageQuery,
  retryRequest,
  toOptions,
} from "./schemas.ts";
import {
  type CrawlDetail,
  type DeletionView,
  isoOrNull,
  viewCrawl,
  viewExplanation,
  viewFormatted,
  viewHost,
  viewRefusals,
  viewSitemaps,
} from "./views.ts";

/** /api/crawls: crawls and what they hold, in our own words. */

type Api = { Bindings: Env };
export const MOST_LISTED = 200;
/** Sitemaps that could not be read, named with a crawl. */
const MOST_PROBLEMS = 10;

export const crawlRoutes = new Hono<Api>();

crawlRoutes.get("/", async (c) => {
  const crawls = await new Ledger(c.env.LEDGER).crawls(MOST_LISTED);
  return c.json({ success: true, result: crawls.map(viewCrawl) });
});

crawlRoutes.post("/", async (c) => {
  const request = crawlRequest.parse(await c.req.json());
  const id = await startWith(toOptions(request, installationOf(c.env)), c.env);
  return c.json({ success: true, result: { id } }, 201);
});

crawlRoutes.get("/:id", async (c) => {
  const crawl = await crawlOf(c);
  const [refusals, sitemaps] = await Promise.all([
    new Ledger(c.env.LEDGER).refusals(crawl.id),
    new Sitemaps(c.env.LEDGER).report(crawl.id, MOST_PROBLEMS),
  ]);
  const result: CrawlDetail = {
    ...viewCrawl(crawl),
    sitemaps: viewSitemaps(sitemaps),
    refused: viewRefusals(refusals),
  };
  return c.json({ success: true, result });
});

/** Records in the order of their URLs; `cursor` goes on after the last one of the page before. */
crawlRoutes.get("/:id/records", async (c) => {
  const query = formattedRecordsQuery.parse(c.req.query());
  const { records, cursor } = await readRecords(await crawlOf(c), query, depsOf(c.env));
  return c.json({ success: true, result: { records: records.map(viewFormatted), cursor } });
});

/** A page as the server sent it, or in the format asked for. It is somebody else's: it must not run as ours. */
crawlRoutes.get("/:id/page", async (c) => {
  const query = pageQuery.parse(c.req.query());
  const url = canonicalize(query.url);
  if (url === null) throw new HTTPException(404, { message: "Name a page by its http or https URL: ?url=https://..." });
  const crawl = await crawlOf(c);
  const page = query.format === undefined ? await sentPage(c, crawl, url) : await pageIn(query.format, c, crawl, url);
  if (page === null) throw new HTTPException(404, { message: `The mirror holds no page for ${url} in this crawl.` });
  return page;
});

async function sentPage(c: Context<Api>, crawl: Crawl, url: string): Promise<Response | null> {
  const page = await keptPage(crawl, url, depsOf(c.env));
  if (page === null) return null;
  return new Response(page.body, { headers: { ...FOREIGN, "content-type": servableType(page.contentType) } });
}

const TEXT_FORMATS: Partial<Record<Format, string>> = {
  html: "text/html",
  rawHtml: "text/html",
  markdown: "text/markdown",
  text: "text/plain",
};

async function pageIn(format: Format, c: Context<Api>, crawl: Crawl, url: string): Promise<Response | null> {
  const read = await readFormats(crawl, url, [format], depsOf(c.env));
  if (read === null) return null;
  const value = read.formatted[format];
  const type = TEXT_FORMATS[format];
  if (type === undefined) return c.json({ success: true, result: value });
  return new Response(String(value), { headers: { ...FOREIGN, "content-type": `${type}; charset=utf-8` } });
}

/**
 * wrangler's local proxy puts HTML through HTMLRewriter, which answers 500 for an encoding that it does not know, and for one that does not
 * hold ASCII: those go unnamed.
 */
function servableType(contentType = "application/octet-stream"): string {
  const [type = ""] = contentType.split(";", 1);
  const encoding = contentTypeCharset(contentType);
  return encoding === null || /^(?:utf-16|iso-2022)/.test(encoding) ? type : `${type}; charset=${encoding}`;
}

/** What each of its hosts is doing and waits for; those with most URLs queued first. */
crawlRoutes.get("/:id/hosts", async (c) => {
  const crawl = await crawlOf(c);
  const now = clockOf(c.env).now();
  const hosts = await hostStatuses(crawl, depsOf(c.env));
  return c.json({ success: true, result: hosts.map((host) => viewHost(host, now)) });
});

/** What was, or would be, decided for a URL, rule by rule. */
crawlRoutes.get("/:id/explain", async (c) => {
  const { url } = explainQuery.parse(c.req.query());
  const crawl = await crawlOf(c);
  const explanation = await explain(url, { crawl }, depsOf(c.env), installationOf(c.env).allowPrivate);
  return c.json({ success: true, result: viewExplanation(explanation) });
});

/** Changes the limits of a crawl that has not ended: one that is paused for its cost goes on when it is resumed. */
crawlRoutes.patch("/:id", async (c) => {
  const limits = amendRequest.parse(await c.req.json());
  const crawl = await crawlOf(c);
  const given = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
  if (!(await amendCrawl(crawl.id, given, depsOf(c.env)))) throw conflict(crawl, "changed");
  return c.json({ success: true, result: viewCrawl(await crawlOf(c)) });
});

crawlRoutes.post("/:id/pause", async (c) => {
  const crawl = await crawlOf(c);
  if (!(await new Ledger(c.env.LEDGER).pause(crawl.id, clockOf(c.env).now()))) throw conflict(crawl, "paused");
  return c.json({ success: true, result: viewCrawl(await crawlOf(c)) });
});

/** Sets a paused crawl going; a running one is sent again under a new epoch, which is what one needs after a kill. */
crawlRoutes.post("/:id/resume", async (c) => {
  const crawl = await crawlOf(c);
  if (!(await resumeCrawl(crawl.id, depsOf(c.env)))) throw conflict(crawl, "resumed");
  return c.json({ success: true, result: viewCrawl(await crawlOf(c)) });
});

crawlRoutes.post("/:id/cancel", async (c) => {
  const crawl = await crawlOf(c);
  if (!(await cancelCrawl(crawl.id, "cancelled_by_user", depsOf(c.env)))) throw conflict(crawl, "cancelled");
  return c.json({ success: true, result: viewCrawl(await crawlOf(c)) });
});

/** Takes up again what failed; without a body everything that errored. */
crawlRoutes.post("/:id/retry", async (c) => {
  const text = await c.req.text();
  const { status, reason, limit } = retryRequest.parse(text === "" ? {} : JSON.parse(text));
  const crawl = await crawlOf(c);
  const retry = {
    status: status ?? (reason === undefined ? "errored" : statusOf(reason)),
    reason: reason ?? null,
    limit: limit ?? null,
  };
  const answer = await retryCrawl(crawl, retry, depsOf(c.env));
  if (answer.kind === "full")
    throw new HTTPException(409, {
      message: `This crawl has all the ${crawl.options.limit} pages that its limit allows: name a higher limit.`,
    });
  if (answer.kind === "ending")
    throw new HTTPException(409, { message: "This crawl is still being cancelled: try again in a minute." });
  return c.json({ success: true, result: { retried: answer.retried, crawl: viewCrawl(await crawlOf(c)) } });
});

/** Deletes a crawl with all it kept. From then on it is nowhere; what is left of it is removed by the heartbeat, or by asking again. */
crawlRoutes.delete("/:id", async (c) => {
  const id = c.req.param("id");
  const { force } = deleteQuery.parse(c.req.query());
  // Locally all that is in flight is in this isolate: `BOOT` is set there.
  const isQuiet = () => c.env.BOOT !== undefined && batchesInFlight() === 0;
  const deletion = await deleteCrawl(id, force, depsOf(c.env), isQuiet);
  if (deletion.kind === "none") throw new HTTPException(404, { message: `There is no crawl ${id}.` });
  if (deletion.kind === "running")
    throw new HTTPException(409, { message: "This crawl is running: cancel it first, or delete it by force." });
  const { done, waitsUntil } = deletion;
  const result: DeletionView = { id, done, waitsUntil: isoOrNull(waitsUntil) };
  return c.json({ success: true, result }, 202);
});

/** The crawl that a path names. Throws 404. */
export async function crawlOf(c: Context<Api>): Promise<Crawl> {
  const id = c.req.param("id") ?? "";
  const crawl = await new Ledger(c.env.LEDGER).crawl(id);
  if (crawl === null) throw new HTTPException(404, { message: `There is no crawl ${id}.` });
  return crawl;
}

/** Starts a crawl and names it. */
export async function startWith(options: CrawlOptions, env: Env): Promise<string> {
  const id = await startCrawl(options, depsOf(env));
  if (id === null) throw new Error("a crawl without a schedule was not made");
  return id;
}

export function installationOf(env: Env): Installation {
  return {
    userAgent: env.USER_AGENT,
    store: (env.STORE as string) === "files" ? "files" : "warc",
    allowPrivate: env.ALLOW_PRIVATE === "true",
  };
}

function conflict(crawl: Crawl, done: string): HTTPException {
  return new HTTPException(409, {
    message: `This crawl is ${crawl.status.replaceAll("_", " ")}, so it cannot be ${done}.`,
  });
}

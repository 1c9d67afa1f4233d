import { Hono } from "hono";
import { FirecrawlProblem } from "./firecrawl-failure.ts";

/** Paths of Firecrawl's API that there are not here, with the reason. docs/firecrawl.md lists them. */

const NO_AGENT =
  "no agent looks for pages here: give the pages to POST /v2/extract with a schema or a prompt, or start a crawl";
const NO_BROWSER =
  "no browser is handed out: start a crawl with renderOptions (wait, scroll, click, fill in) by POST /api/crawls";
const NO_FEEDBACK = "nobody collects feedback here";
const NO_CATALOGUE =
  "there is no catalogue of papers, code or tools: POST /v2/search finds pages that were crawled here";
const NO_ACCOUNT = "there is no account and there are no credits: GET /api/health has the bill of the installation";
const OF_VERSION_TWO = "under /v1 there is none: use /v2, which newer clients do";

/** `PATH/*` is the path itself and all below it. */
const ABSENT: Record<"v1" | "v2", Record<string, string>> = {
  v2: {
    "/agent/*": NO_AGENT,
    "/browser/*": NO_BROWSER,
    "/scrape/:id/interact": NO_BROWSER,
    "/feedback": NO_FEEDBACK,
    "/search/:id/feedback": NO_FEEDBACK,
    "/search/research/*": NO_CATALOGUE,
    "/search/developer": NO_CATALOGUE,
    "/team/*": NO_ACCOUNT,
    "/concurrency-check": NO_ACCOUNT,
    "/crawl/params-preview": "options are not made of a prompt: give the options themselves",
  },
  v1: {
    "/batch/*": OF_VERSION_TWO,
    "/search": OF_VERSION_TWO,
    "/deep-research/*": NO_AGENT,
    "/llmstxt/*": "crawl the site, and export it: orbweaver export ID --format llms-full",
    "/team/*": NO_ACCOUNT,
  },
};

/** Routes that say why they have nothing. They come before others of the same form. */
export function absentRoutes(version: "v1" | "v2"): Hono<{ Bindings: Env }> {
  const routes = new Hono<{ Bindings: Env }>();
  for (const [path, why] of Object.entries(ABSENT[version])) {
    routes.all(path, (c) => {
      throw new FirecrawlProblem(404, "NOT_FOUND", `There is no ${c.req.path} here: ${why}.`);
    });
  }
  return routes;
}

import { Hono } from "hono";
import { PICTURE_TYPE } from "../../fetch/browser/capture-view.ts";
import { readScreenshot } from "../../reading/records/read-screenshot.ts";
import { canonicalize } from "../../url/canonicalize.ts";
import { crawlWithUrl } from "../crawls/crawl-routes.ts";
import { FOREIGN } from "../foreign.ts";
import { refusal } from "../requests/request-problem.ts";
import { urlQuery } from "./record-schemas.ts";

/** /api/crawls/:id/screenshot: the picture of a page. */

export const screenshotRoutes = new Hono<{ Bindings: Env }>();

/** The type is ours to say, and no browser guesses another one: nothing of a picture can run. */
screenshotRoutes.get("/:id/screenshot", async (c) => {
  const { url } = urlQuery.parse(c.req.query());
  const canonical = canonicalize(url) ?? url;
  const crawl = await crawlWithUrl(c, canonical);
  const found = await readScreenshot(crawl, canonical, c.var.deps);
  if (found.kind === "none") throw refusal(404, `This crawl has no picture of ${url}: ${found.why}.`);
  return new Response(found.picture, {
    headers: { ...FOREIGN, "content-type": PICTURE_TYPE, "x-content-type-options": "nosniff" },
  });
});

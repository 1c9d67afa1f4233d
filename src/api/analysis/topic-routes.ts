import { Hono } from "hono";
import { hasTopic } from "../../crawl/crawl-options.ts";
import { readTopicReport } from "../../reading/analysis/read-topic-report.ts";
import { anyCrawlOf } from "../crawls/crawl-routes.ts";
import { refusal } from "../requests/request-problem.ts";
import { viewTopic } from "./topic-schemas.ts";

/** /api/crawls/:id/topic: the subject of a crawl. */

export const topicRoutes = new Hono<{ Bindings: Env }>();

topicRoutes.get("/:id/topic", async (c) => {
  const crawl = await anyCrawlOf(c);
  if (!hasTopic(crawl.options))
    throw refusal(404, "This crawl has no subject. Start one with: orbweaver crawl URL --topic WORDS");
  return c.json({ success: true, result: viewTopic(crawl.options, await readTopicReport(crawl, c.var.deps)) });
});

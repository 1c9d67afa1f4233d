import { Hono } from "hono";
import { storesOf } from "../../frontier/shards/over-parts.ts";
import type { StartedPass } from "../../passes/start-pass.ts";
import { problemOfExamples, startClassification, startTopics } from "../../passes/text/start-text-pass.ts";
import { readTextPass } from "../../reading/analysis/read-text-pass.ts";
import { chooseExamples } from "../../reading/records/choose-examples.ts";
import { anyCrawlOf, wholeCrawlOf } from "../crawls/crawl-routes.ts";
import { viewTopics } from "../crawls/page-group-schemas.ts";
import { RequestProblem, refusal } from "../requests/request-problem.ts";
import { classificationRequest, viewClassification } from "./classification-schemas.ts";
import { type StartedPassView, viewPass } from "./pass-schemas.ts";

/** /api/crawls/:id/topics and /api/crawls/:id/classification: what passes make of the texts of a crawl. */

export const textPassRoutes = new Hono<{ Bindings: Env }>();

textPassRoutes.post("/:id/topics", async (c) => {
  const answer = await startTopics(await wholeCrawlOf(c), c.var.deps);
  return c.json({ success: true, result: startedOf(answer, "searched for topics") }, 202);
});

textPassRoutes.get("/:id/topics", async (c) => {
  const crawl = await anyCrawlOf(c);
  const found = await readTextPass(crawl, "topics", c.var.deps);
  if (found !== null) return c.json({ success: true, result: viewTopics(found.pass, found.result) });
  throw refusal(404, `This crawl has no topics yet. To find them: orbweaver clusters ${crawl.id}`);
});

textPassRoutes.post("/:id/classification", async (c) => {
  const text = await c.req.text();
  const { examples: given } = classificationRequest.parse(text === "" ? {} : JSON.parse(text));
  const crawl = await wholeCrawlOf(c);
  const examples = await chooseExamples(crawl, given, storesOf(crawl, c.var.deps));
  const problem = problemOfExamples(examples);
  if (problem !== null) throw new RequestProblem("invalid-request", problem, "examples");
  const answer = await startClassification(crawl, examples, c.var.deps);
  const started = startedOf(answer, "classified");
  return c.json({ success: true, result: { ...started, missing: examples.missing } }, 202);
});

textPassRoutes.get("/:id/classification", async (c) => {
  const crawl = await anyCrawlOf(c);
  const found = await readTextPass(crawl, "classify", c.var.deps);
  if (found !== null) return c.json({ success: true, result: viewClassification(found.pass, found.result) });
  throw refusal(
    404,
    `This crawl is not classified yet. Mark pages, or write examples: orbweaver classify ${crawl.id} --examples FILE`,
  );
});

/** `done`: what the crawl cannot be. */
function startedOf(answer: StartedPass, done: string): StartedPassView {
  if (answer.kind === "refused") throw refusal(409, `This crawl cannot be ${done}: ${answer.why}.`);
  return { ...viewPass(answer.pass), alreadyRunning: answer.kind === "already-running" };
}

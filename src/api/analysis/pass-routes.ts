import { Hono } from "hono";
import { storesOf } from "../../frontier/shards/over-parts.ts";
import { startPass } from "../../passes/start-pass.ts";
import { countIndexed, reindexUsd } from "../../passes/text/reindex-search.ts";
import { readInlinks } from "../../reading/analysis/read-inlinks.ts";
import { readSections } from "../../reading/analysis/read-sections.ts";
import { canonicalize } from "../../url/canonicalize.ts";
import { anyCrawlOf, wholeCrawlOf } from "../crawls/crawl-routes.ts";
import { RequestProblem, refusal } from "../requests/request-problem.ts";
import { inlinksQuery, viewInlinks } from "./inlinks-schemas.ts";
import { passRequest, type ReindexPriceView, type StartedPassView, viewPass } from "./pass-schemas.ts";
import { viewSections } from "./section-schemas.ts";

/**
 * /api/crawls/:id/passes: what reads a whole crawl afterwards. /api/crawls/:id/inlinks and /sections: what it found of
 * links, and of kinds of pages.
 */

export const passRoutes = new Hono<{ Bindings: Env }>();

passRoutes.post("/:id/passes", async (c) => {
  const text = await c.req.text();
  const options = passRequest.parse(text === "" ? {} : JSON.parse(text));
  const answer = await startPass(await wholeCrawlOf(c), c.var.deps, options);
  if (answer.kind === "refused") throw refusal(409, `This crawl cannot be analyzed: ${answer.why}.`);
  const result: StartedPassView = { ...viewPass(answer.pass), alreadyRunning: answer.kind === "already-running" };
  return c.json({ success: true, result }, 202);
});

passRoutes.get("/:id/passes", async (c) => {
  const crawl = await anyCrawlOf(c);
  return c.json({ success: true, result: (await c.var.deps.passes.list(crawl.id)).map(viewPass) });
});

passRoutes.get("/:id/passes/reindex-price", async (c) => {
  const crawl = await wholeCrawlOf(c);
  const pages = countIndexed(crawl);
  const result: ReindexPriceView = { pages, maxUsd: reindexUsd(pages) };
  return c.json({ success: true, result });
});

passRoutes.get("/:id/inlinks", async (c) => {
  const { url: given, ...page } = inlinksQuery.parse(c.req.query());
  const crawl = await anyCrawlOf(c);
  const url = canonicalize(given) ?? given;
  const answer = await readInlinks(crawl, url, page, storesOf(crawl, c.var.deps));
  if (answer.kind === "found") return c.json({ success: true, result: viewInlinks(url, answer) });
  const command = `orbweaver analyze ${crawl.id}`;
  if (answer.kind === "no-pass") throw refusal(409, `This crawl is not analyzed yet. To analyze it: ${command}`);
  if (answer.kind === "bad-cursor")
    throw new RequestProblem(
      "invalid-request",
      "cursor: the crawl was analyzed again since. Begin without a cursor.",
      "cursor",
    );
  const time = new Date(answer.analyzedAt).toISOString();
  throw refusal(404, `The analysis of ${time} has no ${url}. To analyze the crawl again: ${command}`);
});

passRoutes.get("/:id/sections", async (c) => {
  const crawl = await anyCrawlOf(c);
  const found = await readSections(crawl, c.var.deps);
  if (found !== null) return c.json({ success: true, result: viewSections(found) });
  throw refusal(404, `This crawl has no sections yet. Analyze it first: orbweaver analyze ${crawl.id}`);
});

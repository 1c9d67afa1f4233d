import { Hono } from "hono";
import { type DiffResult, diffPage } from "../../frontier/visits/diff-page.ts";
import { canonicalize } from "../../url/canonicalize.ts";
import { crawlOf } from "../crawls/crawl-routes.ts";
import { RequestProblem, refusal } from "../requests/request-problem.ts";
import { diffQuery, viewDiff } from "./diff-schemas.ts";

/** GET /api/crawls/:id/diff: what changed between two versions of a page. */

export const diffRoutes = new Hono<{ Bindings: Env }>();

diffRoutes.get("/:id/diff", async (c) => {
  const { url: given, from = null, to = null, full: isFull } = diffQuery.parse(c.req.query());
  const url = canonicalize(given);
  if (url === null) throw new RequestProblem("invalid-url", `url: ${given} is not an http or https URL.`, "url");
  if (from !== null && to !== null && from > to)
    throw new RequestProblem("invalid-request", "from: it must not be later than to.", "from");
  const crawl = await crawlOf(c);
  const result = await diffPage(crawl, url, { from, to, isFull }, c.var.deps);
  if (result.kind !== "diff") throw refusal(404, explainMissing(url, result));
  return c.json({ success: true, result: viewDiff(url, result) });
});

function explainMissing(url: string, result: Exclude<DiffResult, { kind: "diff" }>): string {
  if (result.kind === "none") return `This crawl keeps no version of ${url}.`;
  const at = new Date(result.version.fetchedAt).toISOString();
  return result.kind === "first"
    ? `This crawl keeps no version of ${url} before that of ${at}, so there is nothing to compare it with.`
    : `The version of ${url} of ${at} has no content that could be compared.`;
}

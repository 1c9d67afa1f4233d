import { type Context, Hono } from "hono";
import type { Crawl } from "../../crawl/crawl.ts";
import { requireRoom } from "../../frontier/batch/require-room.ts";
import { addSeeds, closeList } from "../../lifecycle/list.ts";
import { RequestProblem, refusal } from "../requests/request-problem.ts";
import { toSeed } from "./crawl-request.ts";
import { crawlOf, installationOf } from "./crawl-routes.ts";
import { type ListView, listRequest } from "./list-schemas.ts";

/** /api/crawls/:id/urls: the seeds of a crawl that come in portions, because one request cannot have them all. */

type Api = { Bindings: Env };

export const listRoutes = new Hono<Api>();

listRoutes.post("/:id/urls", async (c) => {
  const { urls, last } = listRequest.parse(await c.req.json());
  const crawl = await openList(c);
  await requireRoom(c.var.deps);
  const installation = installationOf(c.env);
  const refused: ListView["refused"] = [];
  const seeds = new Map<number, string>();
  for (const [index, url] of urls.entries())
    try {
      seeds.set(index, toSeed(url, `urls.${index}`, installation));
    } catch (error) {
      if (!(error instanceof RequestProblem)) throw error;
      refused.push({ index, code: error.code, message: error.message });
    }
  const { added, tooMany } = await addSeeds(crawl, [...seeds.values()], c.var.deps);
  for (const [index, url] of seeds)
    if (tooMany.has(url))
      refused.push({
        index,
        code: "too-many-hosts",
        message: `The crawl has no room for another host: crawl ${url} with a list of its own.`,
      });
  const { counters } = await crawlOf(c);
  if (last && !(await closeList(crawl.id, c.var.deps)))
    throw refusal(409, "This crawl has ended meanwhile, so it was not started.");
  const total = counters.discovered;
  const known = urls.length - refused.length - added;
  const result: ListView = { added, known, refused, total, beyondLimit: Math.max(0, total - crawl.options.limit) };
  return c.json({ success: true, result });
});

/** Throws 404, or 409 for a crawl that takes no list. */
async function openList(c: Context<Api>): Promise<Crawl> {
  const crawl = await crawlOf(c);
  if (crawl.takesList) return crawl;
  const why = "only a crawl that was begun with `POST /api/crawls?list=NAME` does, until its list is complete";
  throw refusal(409, `This crawl takes no more seeds: ${why}.`);
}

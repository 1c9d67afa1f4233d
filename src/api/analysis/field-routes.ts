import { Hono } from "hono";
import { compileFields } from "../../crawl/page/page-fields.ts";
import { homeOf } from "../../frontier/ledgers.ts";
import { checkFetchedFields, checkStoredFields } from "../../reading/records/check-fields.ts";
import { readStoredFields } from "../../reading/records/read-stored-fields.ts";
import { canonicalize } from "../../url/canonicalize.ts";
import { crawlRequest, toOptions } from "../crawls/crawl-request.ts";
import { crawlOf, findCrawl, installationOf } from "../crawls/crawl-routes.ts";
import { refusal } from "../requests/request-problem.ts";
import { fieldsRequest, storedFieldsRequest, viewFields, viewReread } from "./field-schemas.ts";

/** Fields by rules: of one page before a crawl, and of stored pages by other rules than those of their crawl. */

export const fieldRoutes = new Hono<{ Bindings: Env }>();
export const storedFieldRoutes = new Hono<{ Bindings: Env }>();

fieldRoutes.post("/", async (c) => {
  const { url: written, fields, crawl: id, propose } = fieldsRequest.parse(await c.req.json());
  const { deps } = c.var;
  const rules = compileFields(fields);
  const request = { rulesOf: (url: string) => rules(url) ?? {}, propose };
  if (id === undefined) {
    const planned = crawlRequest.parse({ url: written, crawlPurposes: ["search"], contentUse: "reference" });
    const options = toOptions(planned, installationOf(c.env));
    const [url = ""] = options.urls;
    const check = await checkFetchedFields({ ...request, url }, options, deps);
    return c.json({ success: true, result: viewFields(check) });
  }
  const crawl = await findCrawl(id, deps);
  const url = canonicalize(written.trim()) ?? written;
  const check = await checkStoredFields(crawl, { ...request, url }, homeOf(deps, crawl.id));
  if (check === null) throw refusal(404, `The crawl stores no page for ${url}.`);
  return c.json({ success: true, result: viewFields(check) });
});

storedFieldRoutes.post("/:id/fields", async (c) => {
  const { fields, cursor, limit } = storedFieldsRequest.parse(await c.req.json());
  const crawl = await crawlOf(c);
  const found = await readStoredFields(crawl, { cursor, limit, rulesOf: compileFields(fields) }, c.var.deps);
  return c.json({ success: true, result: { records: found.records.map(viewReread), cursor: found.cursor } });
});

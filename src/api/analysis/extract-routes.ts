import { Hono } from "hono";
import { modelUsd, readPrices } from "../../crawl/page/model-budget.ts";
import type { Extraction } from "../../extract/extraction.ts";
import type { InstalledModel } from "../../fetch/model/installed-model.ts";
import type { Models } from "../../frontier/deps.ts";
import { homeOf } from "../../frontier/ledgers.ts";
import { startExtraction } from "../../passes/extract/start-extraction.ts";
import { extractFetched, extractRecords, extractStored } from "../../reading/records/extract-values.ts";
import { readExtractedPage, readExtraction } from "../../reading/records/read-extraction.ts";
import { canonicalize } from "../../url/canonicalize.ts";
import { crawlRequest, toOptions } from "../crawls/crawl-request.ts";
import { crawlOf, findCrawl, installationOf } from "../crawls/crawl-routes.ts";
import { RequestProblem, refusal } from "../requests/request-problem.ts";
import { extractRequest, storedExtractRequest, viewExtract, viewValued } from "./extract-schemas.ts";
import { extractionQuery } from "./extraction-schemas.ts";
import { type StartedPassView, viewPass } from "./pass-schemas.ts";
import { viewExtraction } from "./view-extraction.ts";

/** Values by a model: of one page, and of the stored pages of a crawl. */

const NO_PRICES =
  "it needs the prices of the model for a million tokens: give them too (modelPrices, --model-prices), such as 0.4,1.6, or set MODEL_PRICES.";

export const extractRoutes = new Hono<{ Bindings: Env }>();
export const storedExtractRoutes = new Hono<{ Bindings: Env }>();

extractRoutes.post("/", async (c) => {
  const { url: written, crawl: id, schema, prompt, evidence } = extractRequest.parse(await c.req.json());
  const { deps } = c.var;
  const extraction = { schema, prompt, evidence } as Extraction;
  const model = modelOf(deps);
  if (id === undefined) {
    const options = toOptions(crawlRequest.parse({ url: written }), installationOf(c.env));
    const [url = ""] = options.urls;
    return c.json({ success: true, result: viewExtract(await extractFetched(url, extraction, model, options, deps)) });
  }
  const crawl = await findCrawl(id, deps);
  const url = canonicalize(written.trim()) ?? written;
  const check = await extractStored(crawl, url, extraction, model, homeOf(deps, crawl.id));
  if (check === null) throw refusal(404, `The crawl stores no page with text for ${url}.`);
  return c.json({ success: true, result: viewExtract(check) });
});

storedExtractRoutes.post("/:id/extract", async (c) => {
  const { cursor, limit, modelCalls, modelCostUsd, modelPrices, ...asked } = storedExtractRequest.parse(
    await c.req.json(),
  );
  const crawl = await crawlOf(c);
  const model = modelOf(c.var.deps);
  const written = modelPrices || crawl.options.modelPrices || (installationOf(c.env).model?.prices ?? "");
  const prices = readPrices(written);
  if (prices === null && modelCostUsd !== null)
    throw new RequestProblem("no-prices", `modelCostUsd: ${NO_PRICES}`, "modelCostUsd");
  const most = { calls: modelCalls, usd: modelCostUsd, prices: prices ?? { input: 0, output: 0 } };
  const found = await extractRecords(crawl, { cursor, limit }, asked as Extraction, model, most, c.var.deps);
  const { calls, input, output } = found.spent;
  const spent = {
    ...{ calls, inputTokens: input, outputTokens: output },
    costUsd: modelUsd(found.spent, { ...crawl.options, modelPrices: written }),
  };
  return c.json({ success: true, result: { spent, records: found.records.map(viewValued), cursor: found.cursor } });
});

storedExtractRoutes.get("/:id/extraction", async (c) => {
  const { url } = extractionQuery.parse(c.req.query());
  const crawl = await crawlOf(c);
  const { deps } = c.var;
  const [state, page] = await Promise.all([
    readExtraction(crawl, deps),
    url === undefined ? null : readExtractedPage(crawl, canonicalize(url.trim()) ?? url, deps),
  ]);
  return c.json({ success: true, result: viewExtraction(crawl, state, page) });
});

storedExtractRoutes.post("/:id/extraction", async (c) => {
  const crawl = await crawlOf(c);
  if (crawl.modelGaps.failed > 0) await c.var.deps.extractions.askAgain(crawl.id);
  const answer = await startExtraction(crawl, c.var.deps);
  if (answer.kind === "refused") throw refusal(409, `No model can be asked about this crawl: ${answer.why}.`);
  const result: StartedPassView = { ...viewPass(answer.pass), alreadyRunning: answer.kind === "already-running" };
  return c.json({ success: true, result }, 202);
});

/** Throws a refusal if the installation has none. */
function modelOf({ model }: Models): InstalledModel {
  if (typeof model === "string") throw refusal(409, model);
  return model;
}

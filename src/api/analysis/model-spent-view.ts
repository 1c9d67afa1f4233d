import * as z from "zod";
import type { Crawl } from "../../crawl/crawl.ts";
import { modelUsd } from "../../crawl/page/model-budget.ts";
import { cost, count, objectOf } from "../requests/fields.ts";

/** What a crawl has spent on its model, and which pages lack an answer. */

export const modelSpentView = objectOf({
  calls: count.describe("Calls of the model, also those that brought nothing."),
  inputTokens: count.describe(
    "Tokens of the questions, as its server counts them. A call that is out counts as estimated.",
  ),
  outputTokens: count.describe("Tokens of the answers, likewise."),
  costUsd: cost.nullable().describe("Their cost by `modelPrices`, in US dollars. null: there are no prices."),
  failedPages: count.describe(
    "Pages on which the model's server failed when it was asked last. `POST /api/crawls/:id/extraction` asks again.",
  ),
  leftPages: count.describe(
    "Pages that nobody asked about, because `modelCalls` or `modelCostUsd` was reached. `PATCH` gives other limits.",
  ),
  problem: z.string().nullable().describe("What the server said of the last page on which it failed. null: of none."),
})
  .nullable()
  .describe(
    "What the crawl has spent on its model, and which pages lack an answer. null: it has asked none, and does not extract.",
  );

export function viewModelSpent({ model, modelGaps, options }: Pick<Crawl, "model" | "modelGaps" | "options">) {
  if (model.calls === 0 && options.extract === null) return null;
  const { calls, input, output } = model;
  const { failed: failedPages, left: leftPages, why: problem } = modelGaps;
  const spent = { calls, inputTokens: input, outputTokens: output, costUsd: modelUsd(model, options) };
  return { ...spent, failedPages, leftPages, problem };
}

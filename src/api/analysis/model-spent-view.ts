import type { Crawl } from "../../crawl/crawl.ts";
import { modelUsd } from "../../crawl/page/model-budget.ts";
import { cost, count, objectOf } from "../requests/fields.ts";

/** What a crawl has spent on its model. */

export const modelSpentView = objectOf({
  calls: count.describe("Calls of the model, also those that brought nothing."),
  inputTokens: count.describe(
    "Tokens of the questions, as its server counts them. A call that is out counts as estimated.",
  ),
  outputTokens: count.describe("Tokens of the answers, likewise."),
  costUsd: cost.nullable().describe("Their cost by `modelPrices`, in US dollars. null: there are no prices."),
})
  .nullable()
  .describe("What the crawl has spent on its model. null: it has asked none, and does not extract.");

export function viewModelSpent({ model, options }: Pick<Crawl, "model" | "options">) {
  if (model.calls === 0 && options.extract === null) return null;
  const { calls, input, output } = model;
  return { calls, inputTokens: input, outputTokens: output, costUsd: modelUsd(model, options) };
}

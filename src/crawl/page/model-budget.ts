import type { Tokens } from "../../extract/ask-for-values.ts";
import type { CrawlOptions } from "../crawl-options.ts";
import type { ModelSpent } from "./model-spent.ts";

/** What a crawl may spend on its model, and what it has spent. */

/** Null for no limit; prices in US dollars for a million tokens. */
export interface ModelBudget {
  calls: number | null;
  usd: number | null;
  prices: Tokens;
}

type Options = Pick<CrawlOptions, "modelCalls" | "modelCostUsd" | "modelPrices">;

const MILLION = 1_000_000;

export function budgetOf({ modelCalls, modelCostUsd, modelPrices }: Options): ModelBudget {
  const prices = readPrices(modelPrices) ?? { input: 0, output: 0 };
  return { calls: modelCalls || null, usd: modelCostUsd || null, prices };
}

/** In US dollars; null if the prices are not known. */
export function modelUsd({ input, output }: ModelSpent, { modelPrices }: Options): number | null {
  const prices = readPrices(modelPrices);
  return prices === null ? null : usdAt(prices, { input, output });
}

/** In US dollars. */
export function usdAt(prices: Tokens, { input, output }: Tokens): number {
  return (input * prices.input + output * prices.output) / MILLION;
}

/** Prices as they are written: `0.4,1.6` for a million tokens of questions and of answers. Null if they are not. */
export function readPrices(written: string): Tokens | null {
  const [, input, output] = /^\s*(\d{1,6}(?:\.\d{1,6})?)\s*,\s*(\d{1,6}(?:\.\d{1,6})?)\s*$/.exec(written) ?? [];
  return input === undefined || output === undefined ? null : { input: Number(input), output: Number(output) };
}

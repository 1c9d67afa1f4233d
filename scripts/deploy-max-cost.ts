import { InvalidArgumentError } from "commander"; // as in deploy.ts
import { UserError } from "../src/cli/errors.ts";
import { readDefaultCost } from "../src/crawl/bounds/default-cost.ts";
import { commands } from "./deploy-commands.ts";
import type { Installation } from "./deploy-config.ts";
import type { Say } from "./deploy-steps.ts";
import type { Wrangler } from "./wrangler.ts";

/**
 * The cost limit of crawls that set none. It is stored as a secret, because those outlive a deploy, unless a variable
 * of the configuration has it.
 */

/** Parses --max-cost. */
export function parseMaxCost(text: string): string {
  const cost = readDefaultCost(text);
  if (text.trim() === "" || Number.isNaN(cost))
    throw new InvalidArgumentError('It is a number of US dollars, such as 5, or "none".');
  return cost === 0 ? "none" : String(cost);
}

/** Throws UserError before anything is done, if the configuration sets the limit. */
export function checkMaxCost({ maxCost, file }: Installation, wanted: string | undefined): void {
  if (wanted === undefined || maxCost === undefined) return;
  throw new UserError(
    `${file} has MAX_COST_USD = "${maxCost}", and a Worker can have the limit in one place only. Change it there, or remove it.`,
  );
}

export async function setMaxCost(
  { maxCost }: Installation,
  wrangler: Wrangler,
  wanted: string | undefined,
  say: Say,
): Promise<void> {
  if (wanted !== undefined) await wrangler.ok(commands.putMaxCost, "The cost limit could not be set.", wanted);
  const limit = wanted ?? maxCost;
  if (limit !== undefined)
    say(`Cost limit  ${limit === "none" ? "none" : `${limit} USD for each crawl that sets none`}`);
}

/** For the owner of a new installation. */
export function adviseMaxCost({ maxCost }: Installation, wanted: string | undefined): string[] {
  if (maxCost !== undefined || wanted !== undefined) return [];
  return [
    "",
    "A crawl may cost any amount, unless it has --max-cost. Set a limit for all: npm run deploy -- --max-cost 5",
  ];
}

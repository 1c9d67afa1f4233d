import type { Feature } from "./feature.ts";

/** Fields that are read from pages by the crawl's rules. */
export const fields: Feature<"fields"> = {
  wants: ({ row, context }) => ({ fields: context.rulesOf(row.url) }),
};

import type { Web } from "./web.ts";

/** A small platform for the site `web`: the first seed has no faults; others have some, three kills and consumers. */
export function disturbedPlan(seed: number, web: Web, faultRate: number) {
  return {
    seed,
    web,
    consumers: seed % 2 === 0 ? 3 : 1,
    batchSize: 5,
    maxRetries: 1_000,
    failures: 1_000,
    faults: { rate: seed === 1 ? 0 : faultRate, budget: 40, kills: seed === 1 ? 0 : 3 },
  };
}

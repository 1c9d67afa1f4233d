import type { Web } from "./web.ts";

/** The pace of a host with this delay, which is never much longer. */
export function politenessOf(minDelayMs: number) {
  return { minDelayMs, maxDelayMs: 500, delayFactor: 0, maxConcurrencyPerHost: 1, maxBytesPerSecond: 0 };
}

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

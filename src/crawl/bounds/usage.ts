/** The platform usage of a crawl, in the units that Cloudflare bills, and its cost. */

/** Prices of the paid plan beyond what it includes, in US dollars for a million of each, read on 2026-11-21. */
export const PRICES = {
  /** Writes, reads and deletes of messages, per 64 KB: https://developers.cloudflare.com/queues/platform/pricing/ */
  queueOperations: 0.4,
  /**
   * Invocations from outside and by the queue; a call of another Worker through a service binding is none:
   * https://developers.cloudflare.com/workers/platform/pricing/#service-bindings
   */
  workerRequests: 0.3,
  /** Milliseconds: https://developers.cloudflare.com/workers/platform/pricing/ */
  cpuMs: 0.02,
  /** Each call of a Durable Object's method: https://developers.cloudflare.com/durable-objects/platform/pricing/ */
  gateRequests: 0.15,
  /** GB-seconds that a Durable Object is in memory for its requests, at 128 MB. */
  gateGbSeconds: 12.5,
  /** Its storage is billed as D1's rows are. */
  gateRowsWritten: 1,
  /** https://developers.cloudflare.com/d1/platform/pricing/ */
  ledgerRowsRead: 0.001,
  ledgerRowsWritten: 1,
  /** Class A and B operations: https://developers.cloudflare.com/r2/pricing/ */
  mirrorWrites: 4.5,
  mirrorReads: 0.36,
  /** Seconds that a browser is open, at 0.09 for an hour: https://developers.cloudflare.com/browser-run/pricing/ */
  browserSeconds: 25,
} as const;

type Resource = keyof typeof PRICES;
/** The amount of each resource. Unused resources may be missing. */
export type Usage = Partial<Record<Resource, number>>;

export const RESOURCES = Object.keys(PRICES) as Resource[];

export function costUsd(usage: Usage): number {
  return RESOURCES.reduce((sum, resource) => sum + ((usage[resource] ?? 0) * PRICES[resource]) / 1_000_000, 0);
}

export function addUsage(to: Usage, usage: Usage): void {
  for (const resource of RESOURCES) {
    const amount = usage[resource];
    if (amount !== undefined) to[resource] = (to[resource] ?? 0) + amount;
  }
}

/** A share of it: 0 to 1. */
export function shareOf(usage: Usage, share: number): Usage {
  return Object.fromEntries(Object.entries(usage).map(([resource, amount]) => [resource, amount * share]));
}

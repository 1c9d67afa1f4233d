import type { Politeness } from "../crawl/crawl-options.ts";
import { hostKey } from "../url/host-key.ts";

/** Delays each URL by the number of URLs before it on the same host, so that they come at about its pace. */
export function spreadByHost({ minDelayMs, maxConcurrencyPerHost }: Politeness): (url: string) => number {
  const counts = new Map<string, number>();
  return (url) => {
    const host = hostKey(url);
    const before = counts.get(host) ?? 0;
    counts.set(host, before + 1);
    return Math.ceil((before * minDelayMs) / maxConcurrencyPerHost);
  };
}

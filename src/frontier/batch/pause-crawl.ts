import type { Deps } from "../deps.ts";

/** Pauses a crawl until somebody resumes it. `reason`: for people, in its status and its notices. */
export async function pauseCrawl(
  crawl: string,
  reason: string,
  { ledger, clock }: Pick<Deps, "ledger" | "clock">,
): Promise<void> {
  await ledger.pause(crawl, clock.now(), { reason });
  await ledger.setWaitingFor(crawl, reason);
}

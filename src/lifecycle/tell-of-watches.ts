import type { Deps } from "../frontier/deps.ts";
import { tellChanges } from "../notices/tell-changes.ts";
import { dayOf } from "../store/watch-hosts.ts";
import type { Deeds } from "./deed.ts";

/** The heartbeat's part: writes into the outbox what changed in watches, and which hosts are in trouble no more. */

/** Changes are gathered for so long, so that a new design of a site is told in few messages. */
const GATHER_MS = 60_000;
/** Webhooks, and hosts, that one heartbeat tells of. */
const MOST = 100;

export async function tellOfWatches(deps: Deps, deeds: Deeds): Promise<void> {
  const now = deps.clock.now();
  for (const webhook of await deps.toldChanges.waiting(GATHER_MS, MOST, now))
    await deeds.attempt("tell", webhook.crawl, () => tellChanges(webhook, deps));
  for (const trouble of await deps.toldTroubles.ended(dayOf(now), MOST))
    await deeds.attempt("tell", trouble.crawl, () => deps.toldTroubles.tellEnd(trouble, now));
}

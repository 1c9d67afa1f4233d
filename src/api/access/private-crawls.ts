import type { Context } from "hono";
import { onEachLedger } from "../../frontier/ledgers.ts";
import type { Identity } from "./tokens.ts";

/**
 * What was read with a session is its owner's: whoever holds a token with all rights. For others, agents among them,
 * such a crawl is not there, unless its owner has shared it.
 */

/** A request on behalf of an agent has it, whatever its token may do. */
export const ON_BEHALF = "x-orbweaver-on-behalf";

/** Hides private crawls from the rest of the request. */
export function hidePrivateCrawls(c: Context<{ Bindings: Env }>, { access }: Pick<Identity, "access">): void {
  if (access === "all" && c.req.header(ON_BEHALF) === undefined) return;
  for (const { ledger, versions } of onEachLedger(c.var.deps)) {
    ledger.seesPrivate = false;
    versions.seesPrivate = false;
  }
}

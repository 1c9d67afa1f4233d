import { decideScope } from "../../scope/scope.ts";
import { hostKey, originOf } from "../../url/host-key.ts";
import type { Deps } from "../deps.ts";
import type { PageWork } from "../work.ts";

/** Whether scope and robots.txt let a URL be requested that has no row. `work`: a page of the same host. */
export async function mayAsk(
  url: string,
  { row, context }: Pick<PageWork, "row" | "context">,
  deps: Pick<Deps, "gate">,
): Promise<boolean> {
  if (!decideScope(context.scope, url, row.depth).accept) return false;
  const { agent, uses, rightsOn } = context;
  const asked = { origin: originOf(url), url, agent, uses, ...rightsOn(url) };
  const { decision } = await deps.gate(hostKey(url)).recall(asked);
  return decision?.allowed === true;
}

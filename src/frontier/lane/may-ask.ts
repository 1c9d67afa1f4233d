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
  return decideScope(context.scope, url, row.depth).accept && robotsAllow(url, { context }, deps);
}

/** Whether robots.txt lets a URL of the lane's host be requested, whatever the scope is. */
export async function robotsAllow(
  url: string,
  { context }: Pick<PageWork, "context">,
  deps: Pick<Deps, "gate">,
): Promise<boolean> {
  const { agent, uses, rightsOn } = context;
  const asked = { origin: originOf(url), url, agent, uses, ...rightsOn(url) };
  const { decision } = await deps.gate(hostKey(url)).recall(asked);
  return decision?.allowed === true;
}

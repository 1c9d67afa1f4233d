import { decideScope } from "../scope/scope.ts";
import { hostKey, originOf } from "../url/host-key.ts";
import type { Deps } from "./deps.ts";
import type { PageWork } from "./work.ts";

/** Finds the URL by which a host shows how it answers for a page that does not exist: soft-404.ts. */

/** Returns a URL in the same folder with a random name; null if robots.txt or scope refuses it. */
export async function findSibling({ row, context }: PageWork, deps: Deps): Promise<string | null> {
  const name = `no-such-page-${Math.floor(deps.random() * 36 ** 8).toString(36)}`;
  const extension = /\.\w{2,5}$/.exec(new URL(row.url).pathname)?.[0] ?? "";
  const url = new URL(name + extension, row.url).href;
  return (await mayAsk(url, { row, context }, deps)) ? url : null;
}

/** Whether scope and robots.txt let a URL be requested that has no row. `work`: a page of the same host. */
export async function mayAsk(
  url: string,
  { row, context }: Pick<PageWork, "row" | "context">,
  deps: Deps,
): Promise<boolean> {
  if (!decideScope(context.scope, url, row.depth).accept) return false;
  const { agent, uses, rightsOn } = context;
  const asked = { origin: originOf(url), url, agent, uses, ...rightsOn(url) };
  const { decision } = await deps.gate(hostKey(url)).recall(asked);
  return decision?.allowed === true;
}

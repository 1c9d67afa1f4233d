import { readContext } from "../frontier/batch/admit.ts";
import { dispatchNow } from "../frontier/batch/message.ts";
import { lookAgain } from "../frontier/commit/look-again.ts";
import { settleWithheld } from "../frontier/commit/settle-withheld.ts";
import { BatchHook } from "../frontier/hook/ask-hook.ts";
import type { ContextDeps, LookAgainDeps, WithheldDeps } from "../frontier/needs.ts";
import type { PrivateAccess } from "../url/private-access.ts";

/**
 * Makes up for looks at pages of a nearer way that were interrupted after their commit. False if the crawl is gone, or
 * if another look was faster.
 */
export async function lookAgainAt(
  id: string,
  deps: ContextDeps & LookAgainDeps & WithheldDeps,
  access: PrivateAccess,
): Promise<boolean> {
  const context = await readContext(id, deps, access);
  if (context === null) return false;
  const hook = deps.hook === null ? null : new BatchHook(deps.hook, deps);
  const looked = await lookAgain(context, deps, hook);
  const last = looked.pop();
  const moved = last === undefined ? [] : [...looked, await settleWithheld(last, deps, hook)];
  for (const each of moved)
    if (each.state?.status === "running") await dispatchNow(deps, { crawl: id, epoch: each.state.epoch }, each);
  return moved.length > 0;
}

import type { Waiting } from "../batch/admit.ts";
import type { Deps } from "../deps.ts";
import type { PageSteps } from "../features/feature.ts";
import { HOOK_CALLS } from "../features/hooked-pages.ts";
import { FEATURES } from "../features/list.ts";
import type { Work } from "../work.ts";
import type { Need } from "./invocations.ts";

/** How many Worker invocations a URL may need, so that its batch begins no URL that it cannot end. */

/** `steps`: those of the features, as far as they are open. */
export function neededInvocations(work: Work, steps: readonly PageSteps[]): Need {
  // A page that is stored already may have to be fetched again.
  const need = { now: work.kind === "page" && work.lost ? 2 : 1, toLearn: 0, atEnd: 0 };
  for (const step of steps) {
    const { now = 0, toLearn = 0, atEnd = 0 } = step.invocations?.(work) ?? {};
    need.now += now;
    need.toLearn += toLearn;
    need.atEnd += atEnd;
  }
  return need;
}

/**
 * The URLs about which the hook would be asked alone, beyond what a batch may start: each takes a call before it is
 * fetched, too.
 */
export function waitForInvocations(works: readonly Work[], { hook, limits }: Pick<Deps, "hook" | "limits">): Waiting[] {
  if (hook === null) return [];
  let left = limits.invocations - HOOK_CALLS;
  return works.flatMap((work, i) => {
    if (work.hint.askAlone !== true) return [];
    const { now, toLearn, atEnd } = neededInvocations(work, FEATURES);
    left -= 1 + now + toLearn + atEnd;
    return left >= 0 || i === 0 ? [] : [{ work, delayMs: 0, why: null }];
  });
}

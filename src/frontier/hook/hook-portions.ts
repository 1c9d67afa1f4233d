import type { HookProblem } from "./hook-caller.ts";

/**
 * Asks the hook about many items in portions, because each call has a time limit. The items of a call that fails are
 * asked about again in halves, as far as calls are left.
 */

/** What a call may carry, in characters. An item counts as 400 at least, so a call has at most 2,500 items. */
export const PORTION = 1_000_000;
export const MIN_ITEM_WEIGHT = 400;
/** First calls: the largest sitemap has 50,000 URLs. With more items, calls are larger. */
const MAX_CALLS = 20;
/** Calls for items whose first call failed: each may take as long as the time limit of the hook. */
const MAX_SECOND_CALLS = 24;
/** First calls that fail without any that succeeds: the hook is broken, and is not asked about the rest. */
const MAX_FIRST_FAILURES = 3;

export interface FailedPortion<Item> {
  items: readonly Item[];
  problem: HookProblem;
  /** Whether these items were asked about a second time. */
  isSecond: boolean;
}

/** `weightOf`: in characters. `calls`: how many may be made, at least one. `ask` returns what a call failed with. */
export async function askInPortions<Item, Verdict>(
  items: readonly Item[],
  weightOf: (item: Item) => number,
  calls: number,
  ask: (items: Item[]) => Promise<readonly Verdict[] | HookProblem>,
): Promise<{ answers: Map<Item, Verdict>; failed: FailedPortion<Item>[] }> {
  const answers = new Map<Item, Verdict>();
  let failed: FailedPortion<Item>[] = [];
  const askPortion = async (portion: readonly Item[], isSecond: boolean): Promise<void> => {
    const verdicts = await ask([...portion]);
    if (!Array.isArray(verdicts)) failed.push({ items: portion, problem: verdicts as HookProblem, isSecond });
    else for (const [i, item] of portion.entries()) answers.set(item, verdicts[i] as Verdict);
  };
  const portions = toPortions(items, weightOf, Math.min(calls, MAX_CALLS));
  for (const portion of portions) {
    const [first] = failed;
    if (first !== undefined && answers.size === 0 && failed.length >= MAX_FIRST_FAILURES)
      failed.push({ items: portion, problem: first.problem, isSecond: false });
    else await askPortion(portion, false);
  }
  // A hook that answers nothing is broken: halves would only take more time.
  if (answers.size === 0) return { answers, failed };
  for (let left = Math.min(calls - portions.length, MAX_SECOND_CALLS); left >= 2; left -= 2) {
    const largest = failed.toSorted((a, b) => b.items.length - a.items.length)[0];
    if (largest === undefined || (largest.items.length === 1 && largest.isSecond)) break;
    failed = failed.filter((portion) => portion !== largest);
    const middle = Math.ceil(largest.items.length / 2);
    for (const half of [largest.items.slice(0, middle), largest.items.slice(middle)])
      if (half.length > 0) await askPortion(half, true);
  }
  return { answers, failed };
}

/** At most `calls` portions. */
function toPortions<Item>(items: readonly Item[], weightOf: (item: Item) => number, calls: number): Item[][] {
  const weights = items.map((item) => Math.max(MIN_ITEM_WEIGHT, weightOf(item)));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const heaviest = weights.reduce((most, weight) => Math.max(most, weight), 0);
  const most = Math.max(PORTION, Math.ceil(total / calls) + heaviest);
  const portions: Item[][] = [];
  let room = 0;
  for (const [i, item] of items.entries()) {
    const weight = weights[i] ?? 0;
    if (room < weight) {
      portions.push([]);
      room = most;
    }
    portions.at(-1)?.push(item);
    room -= weight;
  }
  return portions;
}

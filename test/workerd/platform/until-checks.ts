import { expect, vi } from "vitest";
import type { Crawl } from "../../../src/crawl/crawl.ts";
import { TOPIC_EXHAUSTED } from "../../../src/crawl/page/status.ts";
import * as judging from "../../../src/topic/course/is-exhausted.ts";
import { RECENT_PAGES } from "../../../src/topic/course/topic-state.ts";
import { expectCountersExact, expectIndexExact } from "../ledger-invariant.ts";
import { endsOf } from "./checks.ts";
import { type Deed, isGivenUp } from "./deeds.ts";
import type { Platform } from "./platform.ts";

/** What must hold for a crawl that ended because it found too little on its subject. */

/** The sites of the model have few pages, so the last six decide, as if they came again and again. */
export const JUDGED_PAGES = 6;

export function judgeByFewPages(): void {
  const { isExhausted } = judging;
  vi.spyOn(judging, "isExhausted").mockImplementation((state, until) => {
    const last = state.recent.slice(-JUDGED_PAGES);
    if (last.length < JUDGED_PAGES) return false;
    const recent = Array.from({ length: RECENT_PAGES }, (_, i) => last[i % JUDGED_PAGES] as number);
    return isExhausted({ ...state, recent }, until);
  });
}

interface Undisturbed {
  /** The ends of the crawl without `until`. */
  ends: readonly string[];
  deeds: readonly Deed[];
  /** Whether faults make it give up URLs. */
  again: boolean;
}

/**
 * Every row has ended: as without `until`, or cancelled for the reason that the crawl gives. Only what users and faults
 * do beside may end a row in another way. Returns whether the crawl ended so.
 */
export async function expectExhausted(
  platform: Platform,
  { id, status, options, counters }: Crawl,
  { ends, deeds, again }: Undisturbed,
): Promise<boolean> {
  if (status !== TOPIC_EXHAUSTED) return false;
  expect(options.until, "the share of a crawl that ended").toBeGreaterThan(0);
  // A lesson whose answer was lost is learned once more.
  const twice = platform.faults.total;
  expect(counters.completed + twice, "pages before the end").toBeGreaterThanOrEqual(JUDGED_PAGES);
  const db = platform.database.bindingOf(null);
  await expectCountersExact(id, db);
  await expectIndexExact(id, db);
  const allowed = [
    "cancelled topic-exhausted",
    ...(deeds.includes("cancel") ? ["cancelled cancelled"] : []),
    ...(deeds.includes("time limit") ? ["cancelled time-limit"] : []),
    ...(deeds.includes("limit") ? ["skipped limit"] : []),
  ];
  const expected = new Set(ends);
  for (const end of await endsOf(platform, id)) {
    const how = end.slice(end.indexOf(" ") + 1);
    if (!expected.has(end) && !allowed.includes(how) && !(again && isGivenUp(end))) expect.fail(`it left ${end}`);
  }
  return true;
}

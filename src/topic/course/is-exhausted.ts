import { RECENT_PAGES, RELEVANT, type TopicState } from "./topic-state.ts";

/** Whether fewer than this share (0 to 1) of the last 200 pages were relevant. Before 200 pages it never is. */
export function isExhausted({ recent }: TopicState, until: number): boolean {
  if (recent.length < RECENT_PAGES) return false;
  return recent.filter((hundredths) => hundredths >= RELEVANT * 100).length < until * recent.length;
}

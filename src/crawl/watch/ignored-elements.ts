import { ALL_BUT } from "../../media/html/fields/all-but.ts";
import type { Watch } from "./watch.ts";

/**
 * The selectors of the elements of a page that do not count for changes: those that are ignored, and all that are not
 * watched. On a page where no watched element is, all others count: a new design hides no change.
 */
export function ignoredElementsOf(watch: Pick<Watch, "ignore" | "only"> | null): readonly string[] {
  const { ignore, only = [] } = watch ?? {};
  const ignored = ignore?.selectors ?? [];
  if (only.length === 0) return ignored;
  return [...ignored, ...only.map((selector) => `${ALL_BUT}${selector}`)];
}

import type { Crawl } from "../../crawl/crawl.ts";
import type { Store } from "../../store/store.ts";

/**
 * Why the changes after this one cannot be told; null if all of them are there. Ask after they were read: `--keep`
 * removes the oldest at any moment. `since`: the number of the last change that the reader knows. `given`: the cursor
 * as it was given.
 */
export async function whyExpired(
  { id, changes: newest }: Pick<Crawl, "id" | "changes">,
  { since, given }: { since: number; given: string },
  { changes }: Pick<Store, "changes">,
): Promise<string | null> {
  if (since > newest) return `The cursor ${given} is of a change that this crawl does not have.`;
  if (await changes.hasAllAfter(id, since)) return null;
  return `The cursor ${given} has expired: changes after it were deleted.`;
}

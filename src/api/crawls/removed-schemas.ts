import type * as z from "zod";
import type { Removed } from "../../crawl/watch/removed.ts";
import { count, objectOf, time } from "../requests/fields.ts";

/** What a watch has removed, in the answers of /api/crawls. */

export const removedView = objectOf({
  versions: count.describe("Number of versions of pages."),
  visits: count.describe("Number of records of visits without a change."),
  changes: count.describe("Number of changes."),
  bytes: count.describe("Size of the packs that went, in bytes."),
  until: time.describe("What is older was removed, as far as nothing needs it."),
})
  .nullable()
  .describe("What the watch has removed so far, because `keepDays` are over. null: nothing.");

export function viewRemoved(removed: Removed | null): z.output<typeof removedView> {
  if (removed === null) return null;
  const { packs: _, until, ...numbers } = removed;
  return { ...numbers, until: new Date(until).toISOString() };
}

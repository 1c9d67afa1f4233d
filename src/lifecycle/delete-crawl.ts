import { withReserve } from "../frontier/batch/require-room.ts";
import { logWarning } from "../core/log.ts";
import { endPasses } from "../passes/mend-passes.ts";
import type { Deeds } from "./deed.ts";
import type { RemoveDeps } from "./needs.ts";
import { deleteParts } from "./shards/delete-parts.ts";

/**
 * Deletes a crawl with all of its pages. The API or the end of the retention begins it, and the heartbeat finishes it.
 * It works in a full database too.
 */

/**
 * Chunks removed in one request and in one heartbeat. Each costs up to three calls to R2 and two to D1, which allows 50
 * on the free plan.
 */
const REQUEST_CHUNKS = 5;
const BEAT_CHUNKS = 10;

type Deletion =
  | { kind: "none" }
  /** A running crawl is deleted only with `force`. */
  | { kind: "running" }
  /** `waitsUntil`: pages in flight may arrive until then, so no rows were removed yet; null when removing has begun. */
  | { kind: "deleting"; done: boolean; waitsUntil: number | null };

/**
 * Hides the crawl for good and removes its first chunks; another call removes the next ones. There is no wait when
 * `isQuiet`, called after the crawl was stopped, says that no page at all is in flight.
 */
export async function deleteCrawl(
  id: string,
  force: boolean,
  deps: RemoveDeps,
  isQuiet: () => boolean = () => false,
): Promise<Deletion> {
  const now = deps.clock.now();
  const crawl = await withReserve(deps, () => deps.deletions.mark(id, force, now));
  if (crawl === null) return { kind: "none" };
  const { deletingAt, shards } = crawl;
  if (deletingAt === null) return { kind: "running" };
  await endPasses(id, deps);
  if (shards !== null)
    // The heartbeat begins with those whose ledgers fail now.
    await deleteParts(shards, isQuiet(), deps).catch((error: unknown) => {
      logWarning("parts-not-deleted", { crawl: id, error: String(error) });
    });
  if (deletingAt > now && !isQuiet()) return { kind: "deleting", done: false, waitsUntil: deletingAt };
  const { left } = await removeChunks(id, REQUEST_CHUNKS, deps);
  return { kind: "deleting", done: left !== "more", waitsUntil: null };
}

/**
 * Begins to delete the crawls whose retention is over, then removes a bounded number of chunks of all deleted crawls.
 * `deleted` lists the crawls that are completely removed.
 */
export async function removeDeleted(
  deps: RemoveDeps,
  deeds: Deeds,
): Promise<{ outdated: string[]; deleted: string[] }> {
  const { outdated, due } = await withReserve(deps, () => deps.deletions.due(deps.clock.now(), BEAT_CHUNKS));
  let chunks = BEAT_CHUNKS;
  const deleted = await deeds.attemptEach("delete", due, async (id) => {
    if (chunks === 0) return false;
    const { left, removed } = await removeChunks(id, chunks, deps);
    chunks -= removed;
    return left === "done";
  });
  return { outdated, deleted };
}

/** Objects go before rows: after an interruption a remaining row still leads to its object. */
async function removeChunks(id: string, limit: number, deps: RemoveDeps) {
  const { deletions, mirror, packs } = deps;
  for (let removed = 1; ; removed++) {
    if ((await packs.removeSome(id)) && removed < limit) continue;
    const urls = await deletions.nextUrls(id);
    await mirror.remove(id, urls);
    const left = await withReserve(deps, () => deletions.removeRows(id, urls));
    if (left !== "more" || removed === limit) return { left, removed };
  }
}

import type { Deps } from "../frontier/deps.ts";

/** How a crawl and all that it kept is removed: begun by the API or by the end of its retention, finished by the heartbeat. */

/** Chunks removed while a request waits, and in one heartbeat. Each costs up to three calls of R2, and two of D1, which has 50 on the free plan. */
const REQUEST_CHUNKS = 5;
const BEAT_CHUNKS = 10;

export type Deletion =
  | { kind: "none" }
  /** It goes on: only force deletes a running crawl. */
  | { kind: "running" }
  /** `waitsUntil`: pages in flight may still arrive until then, so nothing was removed; null where it goes on at once. */
  | { kind: "deleting"; done: boolean; waitsUntil: number | null };

/**
 * Hides the crawl for good and removes its first chunks. May be repeated, and then removes the next ones. `isQuiet` says, after the crawl
 * was stopped, that nothing at all is in flight, so that there is nothing to wait for.
 */
export async function deleteCrawl(
  id: string,
  force: boolean,
  deps: Deps,
  isQuiet: () => boolean = () => false,
): Promise<Deletion> {
  const now = deps.clock.now();
  const crawl = await deps.deletions.mark(id, force, now);
  if (crawl === null) return { kind: "none" };
  const { deletingAt } = crawl;
  if (deletingAt === null) return { kind: "running" };
  if (deletingAt > now && !isQuiet()) return { kind: "deleting", done: false, waitsUntil: deletingAt };
  const { left } = await removeChunks(id, REQUEST_CHUNKS, deps);
  return { kind: "deleting", done: left !== "more", waitsUntil: null };
}

/**
 * Begins with the crawls whose retention is over, and goes on with all that are being deleted, a bounded number of chunks. `deleted` are
 * those of which nothing is left.
 */
export async function removeDeleted(deps: Deps): Promise<{ outdated: string[]; deleted: string[] }> {
  const { outdated, due } = await deps.deletions.due(deps.clock.now(), BEAT_CHUNKS);
  const deleted: string[] = [];
  let chunks = BEAT_CHUNKS;
  for (const id of due) {
    if (chunks === 0) break;
    const { left, taken } = await removeChunks(id, chunks, deps);
    chunks -= taken;
    if (left === "done") deleted.push(id);
  }
  return { outdated, deleted };
}

/** Objects before rows: a row that is still there leads to its object, whatever was interrupted. */
async function removeChunks(id: string, most: number, { deletions, mirror, packs }: Deps) {
  for (let taken = 1; ; taken++) {
    if ((await packs.removeSome(id)) && taken < most) continue;
    const urls = await deletions.nextUrls(id);
    await mirror.remove(id, urls);
    const left = await deletions.removeRows(id, urls);
    if (left !== "more" || taken === most) return { left, taken };
  }
}

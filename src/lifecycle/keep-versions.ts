import { DAY_MS } from "../core/clock.ts";
import type { Deps } from "../frontier/deps.ts";
import { packNameAt } from "../store/mirror/packs.ts";
import type { KeepingWatch, KeepPlace } from "../store/watches/old-versions.ts";
import type { Deeds } from "./deed.ts";
import { PACKS_PER_BEAT } from "./rows-per-beat.ts";

/**
 * Removes what a watch with `keepDays` keeps no longer: old changes, old versions, then the packs that nothing needs
 * any more, with the records of visits in them. A lap over all of them takes some heartbeats.
 */

/** Changes and versions that a heartbeat looks at, for each watch. */
const CHANGES = 2_000;
const VERSIONS = 2_000;
/** One call of R2 deletes up to so many objects. */
const PACKS_AT_ONCE = 1_000;
/** The rest between two laps, as a part of the time that versions are kept, at least a day. */
const REST = 0.1;

type KeepDeps = Pick<Deps, "oldVersions" | "packs" | "clock">;

export interface RemovedNow {
  changes: number;
  versions: number;
  packs: number;
}

const NOTHING: RemovedNow = { changes: 0, versions: 0, packs: 0 };

export async function removeOldVersions(deps: KeepDeps, deeds: Deeds): Promise<RemovedNow> {
  const removed = { ...NOTHING };
  for (const watch of await deps.oldVersions.watches()) {
    await deeds.attempt("keep", watch.id, async () => {
      const { changes, versions, packs } = await removeNext(watch, deps);
      removed.changes += changes;
      removed.versions += versions;
      removed.packs += packs;
    });
  }
  return removed;
}

async function removeNext(
  { id, keepDays, place }: KeepingWatch,
  { oldVersions, packs, clock }: KeepDeps,
): Promise<RemovedNow> {
  const now = clock.now();
  const keepMs = keepDays * DAY_MS;
  const rested = place === null || place.endedAt === 0 ? Number.POSITIVE_INFINITY : Math.abs(now - place.endedAt);
  if (rested < Math.max(keepMs * REST, DAY_MS)) return NOTHING;
  const start: KeepPlace = { url: "", fetchedAt: 0, pack: null, endedAt: 0 };
  const from = place === null || place.endedAt > 0 ? start : place;
  const cutoff = now - keepMs;
  if (from.pack === null) {
    const changes = await oldVersions.removeChanges(id, cutoff, CHANGES);
    if (changes === CHANGES) {
      await oldVersions.notePlace(id, from);
      return { ...NOTHING, changes };
    }
    const { removed, last } = await oldVersions.removeOld(id, from, cutoff, VERSIONS);
    await oldVersions.notePlace(id, last === null ? { ...start, pack: "" } : { ...start, ...last });
    return { ...NOTHING, changes, versions: removed };
  }
  const { names, last } = await oldVersions.unneededPacks(id, from.pack, packNameAt(cutoff), PACKS_PER_BEAT);
  // Objects go before rows: after an interruption a remaining row still leads to its object.
  for (let at = 0; at < names.length; at += PACKS_AT_ONCE) {
    const portion = names.slice(at, at + PACKS_AT_ONCE);
    await packs.remove(id, portion);
    await oldVersions.forgetPacks(id, portion, cutoff);
  }
  await oldVersions.notePlace(id, last === null ? { ...start, endedAt: now } : { ...start, pack: last });
  return { ...NOTHING, packs: names.length };
}

import { logError } from "../../core/log.ts";
import {
  type DatabaseRoom,
  type Deletable,
  describeNoRoom,
  lacksRoom,
  levelOf,
} from "../../crawl/bounds/database-room.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import { isDatabaseFull } from "../../store/installation/database-size.ts";
import type { Deps, RoomDeps } from "../deps.ts";

/** What stops while the database has too little room. */

/** Pauses crawls, beside what says how full the database is. */
export type PauseDeps = RoomDeps & Pick<Deps, "ledger" | "clock">;

/** A crawl that may have to pause. */
type Pausable = Pick<Crawl, "id" | "watchingSince">;

/** Crawls that a reason names for deletion. */
const NAMED = 3;
/** A watch that a database has paused which refused to grow goes on by itself after so long, if there is room. */
const ROOM_REFUSED_MS = 3_600_000;

/** A crawl is not started, resumed or retried. `message` is for people: why, and what to delete. */
export class NoRoom extends Error {}

/** Costs a query only before the first one of these stores. */
export async function readRoom({ databaseSize, roomNotes, databaseLimit }: RoomDeps): Promise<DatabaseRoom> {
  if (databaseSize.bytes === null) await roomNotes.look();
  const bytes = databaseSize.bytes ?? 0;
  return { bytes, ...(await databaseLimit(bytes)) };
}

/** Throws NoRoom if a crawl, or a watch, has no room to go on. */
export async function requireRoom(deps: RoomDeps, isWatch = false): Promise<void> {
  const room = await readRoom(deps);
  if (!lacksRoom(room, { isWatch })) return;
  const why = describeNoRoom(room, await deps.roomNotes.largest(room, NAMED), { isWatch });
  throw new NoRoom(`${why.charAt(0).toUpperCase()}${why.slice(1)}.`);
}

/** Why the crawl must pause now, for people, and when it may go on. Null if it has room. */
export async function reachedRoom(
  crawl: Omit<Pausable, "id">,
  deps: RoomDeps & Pick<Deps, "clock">,
): Promise<RoomPause | null> {
  const room = await readRoom(deps);
  if (!lacksRoom(room, { isWatch: crawl.watchingSince !== null })) return null;
  return pauseOf(crawl, room, await deps.roomNotes.largest(room, NAMED), { nextAt: deps.clock.now() });
}

interface RoomPause {
  why: string;
  /** When the heartbeat may resume it, if it is a watch by then. */
  resumeAt: number;
}

/** `nextAt`: when a watch may go on. In its first crawl a watch has the room of a crawl, and goes on by itself too. */
function pauseOf(
  { watchingSince }: Omit<Pausable, "id">,
  room: DatabaseRoom,
  deletable: readonly Deletable[],
  { nextAt, isRefused = false }: { nextAt: number; isRefused?: boolean },
): RoomPause {
  return { why: describeNoRoom(room, deletable, { isWatch: watchingSince !== null, isRefused }), resumeAt: nextAt };
}

/**
 * Pauses a crawl that has no room. A pause that cannot be written is logged: the crawl then stands still, because its
 * messages are dropped, and the heartbeat tries again.
 */
export async function pauseForRoom(crawl: Pausable, deps: PauseDeps): Promise<boolean> {
  const reached = await reachedRoom(crawl, deps);
  return reached !== null && pauseWith(crawl.id, reached, deps);
}

/** Pauses the crawls of a batch that the database has refused, whatever its limit is said to be. */
export async function pauseRefused(crawls: readonly string[], deps: PauseDeps): Promise<void> {
  const room = await readRoom(deps);
  const deletable = await deps.roomNotes.largest(room, NAMED).catch(() => []);
  for (const id of crawls) {
    const crawl = await deps.ledger.crawl(id).catch(() => null);
    if (crawl === null) continue;
    const nextAt = deps.clock.now() + ROOM_REFUSED_MS;
    await pauseWith(id, pauseOf(crawl, room, deletable, { nextAt, isRefused: levelOf(room) !== "full" }), deps);
  }
}

async function pauseWith(id: string, { why, resumeAt }: RoomPause, deps: PauseDeps): Promise<boolean> {
  const { ledger, clock } = deps;
  try {
    return await withReserve(deps, async () => {
      const isPaused = await ledger.pause(id, clock.now(), { reason: why, resumeAt });
      await ledger.setWaitingFor(id, why);
      return isPaused;
    });
  } catch (error) {
    if (!isDatabaseFull(error)) throw error;
    logError("not-paused-without-room", error, { crawl: id });
    return false;
  }
}

/** Work that must succeed in a full database too. It gives up the reserve, and so may be done twice. */
export async function withReserve<T>({ roomNotes }: Pick<Deps, "roomNotes">, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isDatabaseFull(error)) throw error;
    await roomNotes.releaseReserve();
    return work();
  }
}

import { systemClock } from "../../core/clock.ts";
import { logWarning } from "../../core/log.ts";
import { DATABASE_LIMIT_BYTES, type DatabaseRoom, readDatabaseLimit } from "../../crawl/bounds/database-room.ts";

/** At which size the installation's database is full. */

/**
 * What crawls leave free of a disk, in bytes: for the mirror's objects, which fill it too and faster, for what is in
 * flight, for journals, and so that a deletion always has room.
 */
const RESERVE_BYTES = 48_000_000;
/** Real time for which what is free is not asked again. */
const KNOWN_FOR_MS = 1_000;

/** What was free on this machine's disk, in bytes, and when. */
let known = { freeBytes: 0, at: Number.NEGATIVE_INFINITY };

/**
 * On Cloudflare DATABASE_LIMIT, or the paid plan's limit. On this machine the size of the database and what is free on
 * the disk of the state folder, or DATABASE_LIMIT if that is less.
 */
export function databaseLimitOf({
  DATABASE_LIMIT,
  DIAGNOSIS,
}: Pick<Env, "DATABASE_LIMIT" | "DIAGNOSIS">): (bytes: number) => Promise<Omit<DatabaseRoom, "bytes">> {
  const set = limitOf(DATABASE_LIMIT);
  const limit = { limitBytes: set ?? DATABASE_LIMIT_BYTES, diskFreeBytes: null };
  if (DIAGNOSIS === undefined) return async () => limit;
  return async (bytes) => {
    const freeBytes = await freeBytesOf(DIAGNOSIS);
    const limitBytes = bytes + Math.max(0, freeBytes - RESERVE_BYTES);
    return set !== null && set < limitBytes ? limit : { limitBytes, diskFreeBytes: freeBytes };
  };
}

/** A setting that is no size is as good as none, and the log says so. */
function limitOf(setting: string | undefined): number | null {
  const limit = readDatabaseLimit(setting);
  if (!Number.isNaN(limit)) return limit;
  logWarning("database-limit-unreadable", { setting });
  return null;
}

async function freeBytesOf(diagnosis: Fetcher): Promise<number> {
  const now = systemClock.now();
  if (now - known.at < KNOWN_FOR_MS) return known.freeBytes;
  const { freeBytes } = await (await diagnosis.fetch("http://diagnosis/disk")).json<{ freeBytes: number }>();
  known = { freeBytes, at: now };
  return freeBytes;
}

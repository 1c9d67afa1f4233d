import { bytes as describeSize } from "../../core/shown-values.ts";

/** How full the installation's database is, and what stops at which share of its limit. */

/** Sizes in bytes. `bytes` are in use: what a deletion has freed does not count. */
export interface DatabaseRoom {
  bytes: number;
  limitBytes: number;
  /** What is free on the disk of the state folder, where that is the limit: on one's own machine. Null otherwise. */
  diskFreeBytes: number | null;
}

/**
 * D1 counts decimal units. "Maximum database size: 10 GB (Workers Paid) / 500 MB (Free)":
 * https://developers.cloudflare.com/d1/platform/limits/
 */
export const DATABASE_LIMIT_BYTES = 10_000_000_000;
export const FREE_DATABASE_LIMIT = "500 MB";

/** Shares of the limit at which crawls pause, and watches too. */
const CRAWLS_PAUSE_AT = 0.9;
const WATCHES_PAUSE_AT = 0.95;
/** What has been said of a level holds until the share is so much below it, so that it is not said again and again. */
const SLACK = 0.02;

/** `filling`: crawls are paused. `full`: watches too. */
export const ROOM_LEVELS = ["room", "filling", "full"] as const;
export type RoomLevel = (typeof ROOM_LEVELS)[number];

export function levelOf(room: DatabaseRoom): RoomLevel {
  return levelAt(shareOf(room));
}

/** The level to tell of, after `told` was told. */
export function levelAfter(told: RoomLevel, room: DatabaseRoom): RoomLevel {
  const share = shareOf(room);
  const rank = (level: RoomLevel) => ROOM_LEVELS.indexOf(level);
  if (rank(levelAt(share)) >= rank(told)) return levelAt(share);
  const slack = levelAt(share + SLACK);
  return rank(slack) < rank(told) ? slack : told;
}

function levelAt(share: number): RoomLevel {
  if (share >= WATCHES_PAUSE_AT) return "full";
  return share >= CRAWLS_PAUSE_AT ? "filling" : "room";
}

export function shareOf({ bytes, limitBytes }: Pick<DatabaseRoom, "bytes" | "limitBytes">): number {
  return bytes / limitBytes;
}

/** Whether a crawl must stand still. A watch is one from the end of its first crawl on. */
export function lacksRoom(room: DatabaseRoom, { isWatch }: { isWatch: boolean }): boolean {
  const level = levelOf(room);
  return level === "full" || (level === "filling" && !isWatch);
}

/** Such as "9.1 GB of 10 GB (91%)", or "9.1 MB, and its disk has 50 MB left". */
export function describeRoom(room: DatabaseRoom): string {
  const { bytes, limitBytes, diskFreeBytes } = room;
  if (diskFreeBytes !== null) return `${describeSize(bytes)}, and its disk has ${describeSize(diskFreeBytes)} left`;
  return `${describeSize(bytes)} of ${describeSize(limitBytes)} (${percentOf(room)}%)`;
}

/** Whole percents, rounded down: a threshold is reached when it is shown. */
export function percentOf(room: DatabaseRoom): number {
  return Math.floor(100 * shareOf(room) + 1e-9);
}

const UNITS: Record<string, number> = { "": 1, B: 1, KB: 1e3, MB: 1e6, GB: 1e9 };

/**
 * Reads the variable DATABASE_LIMIT, such as "500 MB", "10 GB" or a number of bytes. Null if it is not set, and NaN for
 * what is no size.
 */
export function readDatabaseLimit(setting = ""): number | null {
  const text = setting.trim();
  if (text === "") return null;
  const [, number = "", unit = ""] = /^(\d+(?:\.\d+)?)\s*([KMG]?B)?$/i.exec(text) ?? [];
  const bytes = number === "" ? Number.NaN : Number(number) * (UNITS[unit.toUpperCase()] ?? Number.NaN);
  return bytes > 0 ? bytes : Number.NaN;
}

/** A crawl to delete. `bytes`: about what that frees. */
export interface Deletable {
  id: string;
  bytes: number;
}

/**
 * Why a crawl stands still, or none may start, and what to do about it. `isRefused`: the database has refused to grow,
 * whatever its limit is said to be.
 */
export function describeNoRoom(
  room: DatabaseRoom,
  deletable: readonly Deletable[],
  { isWatch = false, isRefused = false } = {},
): string {
  const share = `${Math.round(100 * (isWatch ? WATCHES_PAUSE_AT : CRAWLS_PAUSE_AT))}%`;
  const what = isWatch ? "visits" : "crawls";
  const stands = isRefused
    ? `the database refused to grow, at ${describeRoom(room)}`
    : room.diskFreeBytes === null
      ? `the database has ${describeRoom(room)}, and ${what} pause at ${share}`
      : `the disk has ${describeSize(room.diskFreeBytes)} left, which is too little for ${what}`;
  const named = deletable.map(({ id, bytes }) => `${id} (about ${describeSize(bytes)})`);
  const such = named.length === 0 ? "" : `, such as ${named.join(", ")}`;
  return `${stands}. Delete crawls that are not needed${such}: "orbweaver delete ID"`;
}

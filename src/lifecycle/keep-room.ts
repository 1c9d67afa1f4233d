import { logWarning } from "../core/log.ts";
import {
  type DatabaseRoom,
  describeNoRoom,
  describeRoom,
  levelAfter,
  levelOf,
  type RoomLevel,
} from "../crawl/bounds/database-room.ts";
import { type PauseDeps, pauseForRoom, readRoom } from "../frontier/batch/require-room.ts";
import type { Deps, Receivers } from "../frontier/deps.ts";
import { postAlarm } from "../notices/post-alarm.ts";
import type { Deeds } from "./deed.ts";

/** The heartbeat's part: pauses what the database has no room for, and tells the operator how full it is. */

export interface RoomReport extends DatabaseRoom {
  level: RoomLevel;
  /** Crawls that it paused. Those that a batch paused are not among them. */
  paused: string[];
}

export async function keepRoom(deps: PauseDeps & AlarmDeps, deeds: Deeds): Promise<RoomReport> {
  const room = await readRoom(deps);
  const level = levelOf(room);
  const crawls = level === "room" ? [] : await deps.roomNotes.underWay(level === "full");
  const paused = await deeds.attemptEach("pause", crawls, async (id) => {
    const crawl = await deps.ledger.crawl(id);
    return crawl !== null && pauseForRoom(crawl, deps);
  });
  if (level === "room") await deeds.attempt("reserve", null, () => deps.roomNotes.keepReserve());
  await deeds.attempt("alarm", null, () => tellOperator(room, deps));
  return { ...room, level, paused };
}

type AlarmDeps = Pick<Deps, "roomNotes" | "clock"> & Receivers;

/** Crawls that the alarm names for deletion. */
const NAMED = 10;

/**
 * Tells the operator when the level changes, until one attempt succeeds, in the log and at ALARM_WEBHOOK. The id of an
 * alarm stays the same.
 */
async function tellOperator(room: DatabaseRoom, deps: AlarmDeps): Promise<void> {
  const { roomNotes, clock } = deps;
  const told = await roomNotes.told();
  const level = levelAfter(told.level, room);
  if (level === told.level) return;
  const text = await describeAlarm(level, room, deps);
  logWarning("database-room", { level, ...room, text });
  const alarm = { id: `msg_room${told.count}${level}`, level, room, text, at: clock.now() };
  const failure = await postAlarm(alarm, deps);
  if (failure !== null) throw new Error(`the alarm was not delivered: ${failure}`);
  await roomNotes.noteTold(level, told.count);
}

async function describeAlarm(level: RoomLevel, room: DatabaseRoom, { roomNotes }: AlarmDeps): Promise<string> {
  if (level === "room")
    return `Orbweaver's database has room again: ${describeRoom(room)}. Watches go on by themselves, crawls when you resume them.`;
  const deletable = await roomNotes.largest(room, NAMED);
  return `Orbweaver: ${describeNoRoom(room, deletable, { isWatch: level === "full" })}.`;
}

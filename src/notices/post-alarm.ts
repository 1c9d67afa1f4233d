import { systemClock } from "../core/clock.ts";
import { SOFTWARE } from "../core/version.ts";
import { type DatabaseRoom, percentOf, type RoomLevel } from "../crawl/bounds/database-room.ts";
import type { Receivers } from "../frontier/deps.ts";
import { signedHeaders } from "./notice-signature.ts";

/**
 * The operator's alarm: one POST to ALARM_WEBHOOK. It does not go through the outbox, which is in the database that it
 * speaks of. The body has `text`, which chat services show as it is.
 */

interface Alarm {
  /** The `webhook-id` of every attempt. */
  id: string;
  level: RoomLevel;
  room: DatabaseRoom;
  /** For people. */
  text: string;
  at: number;
}

/** Why it was not delivered, for people. Null if it was, or if there is nobody to tell. */
export async function postAlarm(
  { id, level, room, text, at }: Alarm,
  { alarm, postNotice }: Receivers,
): Promise<string | null> {
  if (alarm === null) return null;
  const { bytes, limitBytes } = room;
  const data = { level, bytes, limitBytes, percent: percentOf(room) };
  const body = JSON.stringify({ type: "database.room", timestamp: new Date(at).toISOString(), text, data });
  // Real time on any clock, as of all notices.
  const timestampS = Math.floor(systemClock.now() / 1_000);
  const signature =
    alarm.secret === null ? { "webhook-id": id } : await signedHeaders(alarm.secret, { id, timestampS, body });
  const headers = { "content-type": "application/json", "user-agent": SOFTWARE, ...signature };
  return (await postNotice({ url: alarm.url, headers, body })).detail;
}

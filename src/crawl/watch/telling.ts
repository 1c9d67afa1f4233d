import { DAY_MS, HOUR_MS } from "../../core/clock.ts";
import type { Telling } from "./notice-style.ts";
import type { ChangeKind, TitledChange } from "./watch.ts";

/** How a webhook is told of changes: when, under which conditions, and with which words. docs/webhooks.md */

/** A block of text that is other. One that came has nothing before, one that went has nothing after. */
export interface WordEdit {
  before: string | null;
  after: string | null;
}

/** A change with the words that changed. */
export interface WordedChange extends TitledChange {
  /** Null: they could not be read. Absent: nobody asked for them. */
  words?: readonly WordEdit[] | null;
  /** Edits beyond the limit. */
  wordsLeftOut?: number;
}

/** A page of a digest, with its last change. */
export interface DigestPage extends WordedChange {
  /** Its changes since the last digest. */
  changes: number;
}

export const DIGEST_PERIODS = ["hourly", "daily", "weekly"] as const;
const DIGEST = /^(hourly|daily|weekly)(?:@([01]\d|2[0-3]):([0-5]\d))?$/;
const DEFAULT_HOUR = 7;
/** 1970 began on a Thursday. */
const FIRST_MONDAY = 4;
export const DIGEST_RULE = "is not hourly, daily or weekly, with a time (UTC) as in daily@07:00";

/** A period, and when one of them ended: milliseconds since the epoch. Null if it is not written as a digest is. */
function readDigest(written: string): { everyMs: number; at: number } | null {
  const [, period, hours, minutes] = DIGEST.exec(written) ?? [];
  if (period === undefined || (period === "hourly" && hours !== undefined)) return null;
  const timeMs = hours === undefined ? DEFAULT_HOUR * HOUR_MS : (Number(hours) * 60 + Number(minutes)) * 60_000;
  if (period === "hourly") return { everyMs: HOUR_MS, at: 0 };
  return period === "daily"
    ? { everyMs: DAY_MS, at: timeMs }
    : { everyMs: 7 * DAY_MS, at: FIRST_MONDAY * DAY_MS + timeMs };
}

export function isDigest(written: string): boolean {
  return readDigest(written) !== null;
}

/** When the next digest after this time is due; null for a webhook without digests. */
export function nextDigestAt(telling: Telling | null, now: number): number | null {
  const digest = telling?.digest == null ? null : readDigest(telling.digest);
  if (digest === null) return null;
  return (Math.floor((now - digest.at) / digest.everyMs) + 1) * digest.everyMs + digest.at;
}

/** The kinds of changes that bring a page's whole text, or take it away. */
export const BRINGS_ALL: readonly ChangeKind[] = ["added", "restored"];
export const TAKES_ALL: readonly ChangeKind[] = ["removed", "moved"];

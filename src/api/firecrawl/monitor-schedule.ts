import { parseInterval } from "../../core/interval.ts";

/**
 * The schedule of a monitor as the mean interval of a watch. A watch spreads its visits over the interval, so of a cron
 * expression its interval counts, and the time of day does not.
 */

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;
const WEEK_S = 604_800;
const WEEK_MINUTES = WEEK_S / MINUTE_S;

const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const ADVERBS: Record<string, number> = { hourly: HOUR_S, daily: DAY_S, weekly: WEEK_S };

/** Seconds between two times of a cron expression of five fields; null if they are not evenly apart. */
export function everySOfCron(cron: string): number | null {
  const [minute = "", hour = "", day = "", month = "", weekday = "", ...others] = cron.trim().split(/\s+/);
  if (others.length > 0 || !["*", "?"].includes(day) || month !== "*") return null;
  const minutes = valuesIn(minute, 0, 59);
  const hours = valuesIn(hour, 0, 23);
  const weekdays = valuesIn(nameless(weekday), 0, 7)?.map((each) => each % 7);
  if (minutes == null || hours == null || weekdays == null) return null;
  const times = [...new Set(weekdays)].flatMap((of) =>
    hours.flatMap((h) => minutes.map((m) => (of * 24 + h) * 60 + m)),
  );
  const sorted = times.toSorted((a, b) => a - b);
  const [first = 0] = sorted;
  const gap = WEEK_MINUTES / sorted.length;
  return sorted.every((at, i) => at === first + i * gap) ? gap * MINUTE_S : null;
}

function nameless(weekday: string): string {
  return weekday.toLowerCase().replace(/[a-z]{3}/g, (name) => String(DAYS.indexOf(name)));
}

/** The values of one field, such as `*`, `5`, `1-5`, `0-23/2` and lists of these; null if it is none. */
function valuesIn(field: string, least: number, most: number): number[] | null {
  const found = new Set<number>();
  for (const part of field.split(",")) {
    const [, range = "", step = "1"] = /^(\*|\d{1,2}(?:-\d{1,2})?)(?:\/(\d{1,2}))?$/.exec(part) ?? [];
    if (range === "" || Number(step) === 0) return null;
    const [from, to = from] = range === "*" ? [least, most] : range.split("-").map(Number);
    if (from === undefined || to === undefined || from < least || to > most || from > to) return null;
    // `7/2` begins at 7 and goes on to the end.
    const end = part.includes("/") && !range.includes("-") ? most : to;
    for (let value = from; value <= end; value += Number(step)) found.add(value);
  }
  return [...found].toSorted((a, b) => a - b);
}

/** Seconds of words such as "every 30 minutes", "hourly" or "daily at 9:00"; null for others. */
export function everySOfText(text: string): number | null {
  const [words = ""] = text
    .trim()
    .toLowerCase()
    .split(/ (?:at|on) /, 1);
  const adverb = ADVERBS[words];
  if (adverb !== undefined) return adverb;
  const [, number = "1", unit = ""] =
    /^every (?:(\d{1,6}) ?)?(m|h|d|w|minutes?|mins?|hours?|hrs?|days?|weeks?)$/.exec(words) ?? [];
  const seconds = unit === "" ? null : parseInterval(`${number}${unit[0]}`);
  return typeof seconds === "number" && seconds > 0 ? seconds : null;
}

/** The cron expression that has this interval; null if none has. */
export function cronOfEveryS(everyS: number): string | null {
  const minutes = everyS / MINUTE_S;
  if (Number.isInteger(minutes) && minutes < 60 && 60 % minutes === 0)
    return minutes === 1 ? "* * * * *" : `*/${minutes} * * * *`;
  const hours = minutes / 60;
  if (Number.isInteger(hours) && hours < 24 && 24 % hours === 0)
    return hours === 1 ? "0 * * * *" : `0 */${hours} * * *`;
  if (everyS === DAY_S) return "0 0 * * *";
  return everyS === WEEK_S ? "0 0 * * 0" : null;
}

import { timestamp } from "./cdxj.ts";

/**
 * The digits by which web archives name a time in an address: YYYYMMDDhhmmss in UTC, or its beginning up to the end of
 * a field. `2026` is a year, `20261121` a day, `20261121093000` a second.
 */

/** From the first to the last millisecond, since the Unix epoch. */
interface Period {
  start: number;
  end: number;
}

const DIGITS = /^[1-9]\d{3}(?:\d\d){0,5}$/;

/** null for digits that name no period, such as `202613` and `20260`. */
export function periodOf(digits: string): Period | null {
  if (!DIGITS.test(digits)) return null;
  const fields = [digits.slice(0, 4), ...(digits.slice(4).match(/\d\d/g) ?? [])].map(Number);
  const start = startOf(fields);
  // Date.UTC turns February 30 into March 2.
  if (!timestamp(start).startsWith(digits)) return null;
  return { start, end: startOf(fields.with(-1, (fields.at(-1) ?? 0) + 1)) - 1 };
}

function startOf([year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0]: number[]): number {
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

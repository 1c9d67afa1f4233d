/** Months of the calendar, in UTC: the cost of a watch is limited for each. Times are milliseconds since the epoch. */

/** 12 * year + month, January being 0. */
export function monthOf(now: number): number {
  const date = new Date(now);
  return 12 * date.getUTCFullYear() + date.getUTCMonth();
}

export function monthAt(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

export function nextMonthAt(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}

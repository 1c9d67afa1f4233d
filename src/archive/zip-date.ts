/** ZIP has no time zone, and client-zip writes local time. This shift makes it write UTC in every time zone. */
export function zipDate(date: number): Date {
  const shifted = new Date(date);
  return new Date(
    shifted.getUTCFullYear(),
    shifted.getUTCMonth(),
    shifted.getUTCDate(),
    shifted.getUTCHours(),
    shifted.getUTCMinutes(),
    shifted.getUTCSeconds(),
  );
}

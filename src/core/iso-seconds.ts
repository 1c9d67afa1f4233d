/** The time in milliseconds since the Unix epoch in UTC, to the second: `2030-01-01T12:00:00Z` (RFC 3339). */
export function isoSeconds(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

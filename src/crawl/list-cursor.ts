/** Cursors of lists. Clients keep them, so their forms stay. */

/** The first `limit` of what was found, and the cursor of the next page; null if nothing more was found. */
export function cutPage<T>(
  found: readonly T[],
  limit: number,
  cursorOf: (last: T) => string,
): { page: T[]; cursor: string | null } {
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return { page, cursor: last === undefined || found.length <= limit ? null : cursorOf(last) };
}

/**
 * The cursor of a list whose order has two keys, or which names what it belongs to: `FIRST.SECOND`. The first part has
 * no dot.
 */
export function writePair(first: string | number, second: string | number): string {
  return `${first}.${second}`;
}

/** Null for an empty cursor. */
export function readPair(cursor: string): [first: string, second: string] | null {
  const dot = cursor.indexOf(".");
  return dot === -1 ? null : [cursor.slice(0, dot), cursor.slice(dot + 1)];
}

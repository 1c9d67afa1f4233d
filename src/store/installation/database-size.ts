/** The size of the database, which the result of each statement says, so that it costs no query of its own. */

export class DatabaseSize {
  #bytes: number | null = null;

  /**
   * In bytes, without the pages that deletions have freed; null before the first result. D1 is built on Durable
   * Objects, whose size leaves them out:
   * https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/#databasesize
   */
  get bytes(): number | null {
    return this.#bytes;
  }

  note({ size_after }: { size_after?: number }): void {
    if (size_after !== undefined && size_after > 0) this.#bytes = size_after;
  }
}

/**
 * Parts of the messages by which a database refuses to grow: D1's own, and SQLite's, which a full disk gives too. No
 * page of Cloudflare has the first; people quote it who have met it.
 */
const FULL = ["Exceeded maximum DB size", "database or disk is full", "SQLITE_FULL"];

/** Whether the error, or what caused it, is a database that refused to grow. */
export function isDatabaseFull(error: unknown): boolean {
  if (FULL.some((part) => String(error).includes(part))) return true;
  return error instanceof Error && error.cause !== undefined && isDatabaseFull(error.cause);
}

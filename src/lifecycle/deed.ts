import { logError } from "../core/log.ts";

/** Work of the heartbeat whose failure must not stop the rest. */

/** A part of the heartbeat's work that failed. */
export interface FailedDeed {
  deed: string;
  /** The crawl or schedule that it failed for; null if it failed for all. */
  id: string | null;
}

export class Deeds {
  readonly failed: FailedDeed[] = [];

  /** Does the work. If it throws, the error is logged and noted, and the result is undefined. */
  async attempt<T>(deed: string, id: string | null, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      logError("heartbeat-failed", error, { deed, id });
      this.failed.push({ deed, id });
      return undefined;
    }
  }

  /** Does the work for each item alone, one after the other. Returns the ids for which it returned true. */
  async attemptEach(deed: string, ids: readonly string[], work: (id: string) => Promise<boolean>): Promise<string[]> {
    const done: string[] = [];
    for (const id of ids) if ((await this.attempt(deed, id, () => work(id))) === true) done.push(id);
    return done;
  }
}

import type { FormattedRecordView } from "../../api/views.ts";
import type { Client } from "../installation/client.ts";

/** Records of a crawl in the order in which their URLs finish. */

export interface FollowOrder {
  status?: string | undefined;
  formats?: readonly string[] | undefined;
  rawText?: boolean | undefined;
  chunkTokens?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Records of one answer. The next ones are asked for when these have been read, so a slow reader fills no memory. */
const ANSWER_RECORDS = 100;
const FINISHED_WAIT_MS = 250;
/** How long a wait is after several answers without a record: each costs the installation a request. */
const MAX_WAIT_MS = 2_000;

/**
 * From the beginning to the end of the crawl. `wait`: waits for so many milliseconds, and returns whether to go on;
 * called where nothing else has finished yet.
 */
export async function* followFinished(
  id: string,
  client: Client,
  { signal, ...order }: FollowOrder,
  wait: (ms: number) => Promise<boolean>,
): AsyncGenerator<FormattedRecordView, void> {
  let waitMs = FINISHED_WAIT_MS;
  for (let cursor = ""; ; ) {
    const page = await client.finished(id, { ...order, limit: ANSWER_RECORDS, cursor }, signal);
    yield* page.records;
    cursor = page.cursor;
    if (page.follows === "nothing") return;
    waitMs = page.records.length > 0 ? FINISHED_WAIT_MS : Math.min(2 * waitMs, MAX_WAIT_MS);
    if (page.follows === "later" && !(await wait(waitMs))) return;
  }
}

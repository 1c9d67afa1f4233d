import type { Clock } from "../../core/clock.ts";
import { logError } from "../../core/log.ts";
import { MAX_BATCH } from "../batch/message.ts";

/**
 * A message of the queue of notices: a hint that deliveries to a receiver are due. The rows of the outbox are the
 * truth, so a hint that is lost or comes twice changes nothing: the heartbeat looks for what is due.
 */
export interface NoticeHint {
  /** Version of this shape. */
  v: 1;
  /** An origin. */
  receiver: string;
  /** The number of the ledger that has the deliveries; absent for the first one. */
  ledger?: number;
}

/** The queue, the clock in which delays are counted, and the ledger that has the deliveries. */
interface NoticeOutlet {
  notices: Queue<NoticeHint>;
  clock: Pick<Clock, "speed">;
  ledgerNumber: number;
}

/** Sends a hint for each receiver. A queue's delays are whole seconds, so it may arrive a second late. */
export async function hintReceivers(
  { notices, clock, ledgerNumber }: NoticeOutlet,
  hints: readonly { receiver: string; delayMs: number }[],
): Promise<void> {
  const messages = hints.map(({ receiver, delayMs }) => ({
    body: { v: 1 as const, receiver, ...(ledgerNumber === 0 ? {} : { ledger: ledgerNumber }) },
    delaySeconds: Math.ceil(delayMs / clock.speed / 1_000),
  }));
  for (let at = 0; at < messages.length; at += MAX_BATCH) await notices.sendBatch(messages.slice(at, at + MAX_BATCH));
}

/**
 * Sends a hint to all receivers of the notices that these stores wrote. It never throws: what it belongs to is done,
 * and the heartbeat sends the hints that fail.
 */
export async function hintTold({ told, ...outlet }: NoticeOutlet & { told: Set<string> }): Promise<void> {
  const receivers = [...told];
  told.clear();
  if (receivers.length === 0) return;
  await hintReceivers(
    outlet,
    receivers.map((receiver) => ({ receiver, delayMs: 0 })),
  ).catch((error: unknown) => logError("notice-hints-not-sent", error));
}

import { MAX_CHANGES } from "../crawl/notice.ts";
import type { Deps } from "../frontier/deps.ts";
import type { WaitingWebhook } from "../store/told-changes.ts";
import { toChangeMessages } from "./change-messages.ts";

/** Writes what changed into the outbox, as messages to a webhook. */

/** Messages of one transaction. A message has up to 300 KB, and D1 takes 2 MB at once. */
const MESSAGES = 5;
/** Transactions of one call. What is left is told a minute later. */
const MAX_ROUNDS = 20;

/** Tells the changes that wait for a webhook. Two calls at once tell each change once. */
export async function tellChanges(
  webhook: WaitingWebhook,
  { toldChanges, clock }: Pick<Deps, "toldChanges" | "clock">,
): Promise<void> {
  let { toldSeq } = webhook;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const at = { ...webhook, toldSeq };
    const changes = await toldChanges.next(at, MESSAGES * MAX_CHANGES);
    const now = clock.now();
    const messages = toChangeMessages({ crawl: webhook.crawl, webhook: webhook.id }, changes, MESSAGES, now);
    const last = messages.at(-1);
    if (last === undefined || !(await toldChanges.tell(at, messages, last.to, now))) return;
    if (last.to === changes.at(-1)?.seq && changes.length < MESSAGES * MAX_CHANGES) return;
    toldSeq = last.to;
  }
}

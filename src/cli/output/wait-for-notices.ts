import { setTimeout as sleep } from "node:timers/promises";
import type { DeliveryView } from "../../api/views.ts";
import { plural } from "../../core/shown-values.ts";
import type { Client } from "../installation/client.ts";
import type { WhereOptions } from "../installation/installation.ts";
import { COMMAND } from "../installation/package-root.ts";
import { commandAt } from "./go-on.ts";

/** Before a command ends workerd on this machine: waits for notices that are being sent, or will be soon. */

const POLL_MS = 250;
/** An attempt takes up to 15 s, and the second one follows after 5 s. */
const MAX_NOTICE_WAIT_MS = 21_000;
/** A notice that is due later than this is not waited for. */
const NOTICE_SOON_MS = 10_000;

/** Returns the crawl's newest deliveries, after those that were under way have ended or the wait was long enough. */
export async function waitForNotices(id: string, client: Client): Promise<DeliveryView[]> {
  const startedAt = Date.now();
  for (;;) {
    const deliveries = await client.deliveries(id);
    if (!deliveries.some(isUnderWay) || Date.now() - startedAt > MAX_NOTICE_WAIT_MS) return deliveries;
    await sleep(POLL_MS);
  }
}

function isUnderWay({ status, nextAt }: DeliveryView): boolean {
  return status === "sending" || (status === "waiting" && Date.parse(nextAt ?? "") - Date.now() < NOTICE_SOON_MS);
}

/** Lines that say what is not delivered, and how to go on. Empty if all is. */
export function describeUndelivered(id: string, deliveries: DeliveryView[], where: WhereOptions): string[] {
  const open = deliveries.filter(({ status }) => status === "waiting" || status === "sending");
  const lost = deliveries.filter(({ status }) => status === "given-up");
  const [first] = open.length > 0 ? open : lost;
  if (first === undefined) return [];
  const example = `such as ${first.event}${first.detail === null ? "" : ` (${first.detail})`}`;
  const list = commandAt(`webhooks deliveries ${id}`, { state: where.state });
  if (open.length === 0) return [`${plural(lost.length, "notice")} could not be delivered, ${example}. See: ${list}`];
  return [
    `Not delivered yet: ${plural(open.length, "notice")}, ${example}.`,
    `They are sent while Orbweaver runs, for three days: ${COMMAND} serve. See: ${list}`,
  ];
}

import type { ChangeCount } from "../../src/revisit/change-rate.ts";
import { MEMORY_VISITS, type SignalCount } from "../../src/revisit/signal-trust.ts";
import { isFull, type SiteKnowledge } from "../../src/revisit/site-prior.ts";

/** Adds up in memory what the ledger adds up in SQL (src/store/watches/visiting.ts and signals.ts). */

/** A page that has been visited once. */
export const NO_CHANGES: ChangeCount = { changes: 0, days: 0 };

/** The sum of two totals, halved when it is full. */
export function addSignals(a: SignalCount, b: SignalCount): SignalCount {
  const share = a.signalled + b.signalled + a.changed + b.changed > MEMORY_VISITS ? 0.5 : 1;
  return {
    signalled: share * (a.signalled + b.signalled),
    proved: share * (a.proved + b.proved),
    expected: share * (a.expected + b.expected),
    changed: share * (a.changed + b.changed),
  };
}

export function addKnowledge(a: SiteKnowledge, b: SiteKnowledge): SiteKnowledge {
  return {
    changes: a.changes + b.changes,
    days: a.days + b.days,
    losses: a.losses.map((loss, i) => loss + (b.losses[i] ?? 0)),
  };
}

/** The totals, or half of them when they are full. */
export function boundKnowledge(known: SiteKnowledge, pages: number, everyDays: number): SiteKnowledge {
  if (!isFull(known, pages, everyDays)) return known;
  return { changes: known.changes / 2, days: known.days / 2, losses: known.losses.map((loss) => loss / 2) };
}

import { NOTHING_KNOWN, type SiteKnowledge } from "../../revisit/site-prior.ts";

/** A watch's knowledge as a flat object of numbers, so that SQL can add what visits have learned. */

export type StoredKnowledge = Record<string, number>;

export function toStoredKnowledge({ changes, days, losses }: SiteKnowledge): StoredKnowledge {
  return { changes, days, ...Object.fromEntries(losses.map((loss, i) => [`loss${i}`, loss])) };
}

/** `json`: a StoredKnowledge, or an empty object. */
export function toKnowledge(json: string): SiteKnowledge {
  const stored = JSON.parse(json) as StoredKnowledge;
  return {
    changes: stored.changes ?? 0,
    days: stored.days ?? 0,
    losses: NOTHING_KNOWN.losses.map((_, i) => stored[`loss${i}`] ?? 0),
  };
}

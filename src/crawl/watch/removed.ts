/** What a watch with `keepDays` has removed so far, because it keeps it no longer. */
export interface Removed {
  versions: number;
  changes: number;
  packs: number;
  /** Records of visits without a change, in these packs. */
  visits: number;
  /** Of these packs. */
  bytes: number;
  /** What is older was removed, as far as nothing needs it: milliseconds since the epoch. */
  until: number;
}

export const NOTHING_REMOVED: Omit<Removed, "until"> = { versions: 0, changes: 0, packs: 0, visits: 0, bytes: 0 };

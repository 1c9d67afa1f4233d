/** Chances as logarithms of odds: there independent evidence adds up. */

/** No chance is nearer to 0 or 1, because relevance is never certain. */
const CERTAIN = 0.02;

/** `chance`: 0 to 1. */
export function toLogOdds(chance: number): number {
  const bounded = Math.min(1 - CERTAIN, Math.max(CERTAIN, chance));
  return Math.log(bounded / (1 - bounded));
}

/** 0 to 1. */
export function fromLogOdds(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}

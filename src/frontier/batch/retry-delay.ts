/** How long what failed, or found no place, waits before it comes again. */

const FIRST_DELAY_MS = 5_000;

/** The delay after `failures` earlier failures: about 5 s, doubling. */
export function retryDelayMs(failures: number, random: number): number {
  return spreadDelayMs(FIRST_DELAY_MS * 2 ** failures, random);
}

/**
 * A delay of 0.5 to 1.5 times `ms` by chance, so that consumers spread. Whole milliseconds: the columns of the ledger
 * refuse a fraction.
 */
export function spreadDelayMs(ms: number, random: number): number {
  return Math.round(ms * (0.5 + random));
}

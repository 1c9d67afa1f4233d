import { env } from "cloudflare:test";

/**
 * How much the random tests of the pipeline do. vitest.config.ts passes these variables on, with a few runs for
 * `npm test`; `npm run test:chaos` has many.
 */

/** `CHAOS_RUNS`: generated sites. Tests whose runs cost more or less have a number that follows from it. */
export const RUNS = Number(env.CHAOS_RUNS);
/** `CHAOS_SEED`: the seed of the first run. The next ones count up. */
export const FIRST_SEED = Number(env.CHAOS_SEED);
/** `CHAOS_TRACE`: print what happened in a run that failed. */
export const IS_TRACED = env.CHAOS_TRACE !== "";

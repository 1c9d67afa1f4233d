import { systemClock } from "./clock.ts";

/**
 * Turns of heavy work in an isolate. On this machine workerd looks for requests only while no work is ready, so between
 * two pieces of heavy work there is a rest, whoever does them.
 */

/** Items of a long list that are worked on in one turn: some 6 ms of work. */
const TURN = 1_500;
/** Real time of a rest, in milliseconds: a request takes several looks. */
const REST_MS = 5;
/** Whoever holds a turn for so long may have ended without a word. In milliseconds. */
const MOST_TURN_MS = 2_000;

/**
 * When the turn began that somebody holds, null if nobody does, and when the rest after the last one is over. The
 * promises of other requests cannot be waited for.
 */
let heldSince: number | null = null;
let restsUntil = 0;

/** Does heavy work of up to some 100 ms when nobody else in the isolate does. The work must not take turns itself. */
export async function takeTurn<T>(work: () => T | Promise<T>): Promise<T> {
  while (isTaken(systemClock.now())) await rest();
  const since = systemClock.now();
  heldSince = since;
  try {
    return await work();
  } finally {
    if (heldSince === since) heldSince = null;
    restsUntil = systemClock.now() + REST_MS;
  }
}

/** A rest between two pieces of work that may take turns themselves. */
export async function rest(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, REST_MS));
}

function isTaken(now: number): boolean {
  return now < restsUntil || (heldSince !== null && now - heldSince < MOST_TURN_MS);
}

/** Does something with each item of a list, in order: of a long one in turns, for one page must not stop others. */
export async function inTurns<T>(items: readonly T[], act: (item: T) => void): Promise<void> {
  if (items.length <= TURN) return items.forEach(act);
  for (let at = 0; at < items.length; at += TURN)
    await takeTurn(() => {
      for (const item of items.slice(at, at + TURN)) act(item);
    });
}

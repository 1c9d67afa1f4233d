import { setTimeout as sleep } from "node:timers/promises";
import { Unreachable } from "../errors.ts";
import type { ApiAnswer } from "./send-request.ts";

/** Waits for an installation that is away for a while, such as a server that is started again. */

const FIRST_WAIT_MS = 1_000;
const MOST_WAIT_MS = 30_000;
/** Gateways, and Cloudflare's edge, answer so where nobody is behind them. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504, 520, 521, 522, 523, 524, 530]);
/** A request may meet a fault of the platform. So many faults are one that stays. */
const FAILED = 500;
const MOST_FAILED = 4;

/** `say`: tells people, once when it is away and once when it is back. `stop`: then it waits no longer. */
export interface Patience {
  say(line: string): void;
  stop: AbortSignal;
  /** Waits so many milliseconds, or until `stop`. */
  rest?(ms: number): Promise<unknown>;
}

/**
 * Sends a request that changes nothing until somebody answers it, and a few times if it fails. Throws `Unreachable`
 * where it is stopped before that, and gives the answer of whatever stands in its place.
 */
export async function outlast(
  ask: () => Promise<ApiAnswer>,
  { say, stop, rest = (ms) => sleep(ms, undefined, { signal: stop }) }: Patience,
): Promise<ApiAnswer> {
  let failed = 0;
  for (let waits = 0; ; waits++) {
    const answer = await ask().catch((error: unknown) => {
      if (error instanceof Unreachable && !stop.aborted) return error;
      throw error;
    });
    if (!(answer instanceof Unreachable) && answer.status === FAILED) failed += 1;
    const isAway =
      answer instanceof Unreachable || AWAY.has(answer.status) || (answer.status === FAILED && failed < MOST_FAILED);
    if (!(answer instanceof Unreachable) && (!isAway || stop.aborted)) {
      if (!isAway && waits > 0 && answer.status !== FAILED) say("It answers again.");
      return answer;
    }
    if (waits === 0) {
      const what = answer instanceof Unreachable ? answer.message : `The answer was ${answer.status}`;
      say(`${what}. Nothing is lost: this command waits until it answers again, and Ctrl-C ends it.`);
    }
    if (!(answer instanceof Unreachable)) answer.cancel();
    await rest(Math.min(FIRST_WAIT_MS * 2 ** waits, MOST_WAIT_MS)).catch(() => undefined);
  }
}

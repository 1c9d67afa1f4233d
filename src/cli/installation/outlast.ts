import { setTimeout as sleep } from "node:timers/promises";
import { Unreachable } from "../errors.ts";
import type { ApiAnswer } from "./send-request.ts";

/** Waits for an installation that is away for a while, such as a server that is started again. */

const FIRST_WAIT_MS = 1_000;
const MOST_WAIT_MS = 30_000;
/** Gateways, and Cloudflare's edge, answer so where nobody is behind them. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504, 520, 521, 522, 523, 524, 530]);

/** `say`: tells people, once when it is away and once when it is back. `stop`: then it waits no longer. */
export interface Patience {
  say(line: string): void;
  stop: AbortSignal;
}

/**
 * Sends a request that changes nothing until somebody answers it. Throws `Unreachable` where it is stopped before that,
 * and gives the answer of whatever stands in its place.
 */
export async function outlast(ask: () => Promise<ApiAnswer>, { say, stop }: Patience): Promise<ApiAnswer> {
  for (let waits = 0; ; waits++) {
    const answer = await ask().catch((error: unknown) => {
      if (error instanceof Unreachable && !stop.aborted) return error;
      throw error;
    });
    const isAway = answer instanceof Unreachable || AWAY.has(answer.status);
    if (!(answer instanceof Unreachable) && (!isAway || stop.aborted)) {
      if (!isAway && waits > 0) say("It answers again.");
      return answer;
    }
    if (waits === 0) {
      const what = answer instanceof Unreachable ? answer.message : `The answer was ${answer.status}`;
      say(`${what}. Nothing is lost: this command waits until it answers again, and Ctrl-C ends it.`);
    }
    if (!(answer instanceof Unreachable)) answer.cancel();
    await sleep(Math.min(FIRST_WAIT_MS * 2 ** waits, MOST_WAIT_MS), undefined, { signal: stop }).catch(() => undefined);
  }
}

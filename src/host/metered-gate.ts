import { systemClock } from "../core/clock.ts";
import type { Usage } from "../crawl/bounds/usage.ts";
import type { Gate } from "./gate-protocol.ts";

/**
 * Counts what each call of a gate costs: a request, the object's memory for the (real) duration of the call, and often
 * a row.
 */

/** Memory that a Durable Object is billed for. */
export const OBJECT_MEMORY_GB = 0.128;

export function meteredGate(gate: Gate, meter: { add(usage: Usage): void }): Gate {
  const count = async <T>(
    most: number,
    call: () => Promise<T>,
    rowsOf: (answer: T) => number = () => most,
  ): Promise<T> => {
    const startedAt = systemClock.now();
    let gateRowsWritten = most;
    try {
      const answer = await call();
      gateRowsWritten = rowsOf(answer);
      return answer;
    } finally {
      const gateGbSeconds = ((systemClock.now() - startedAt) / 1000) * OBJECT_MEMORY_GB;
      meter.add({ gateRequests: 1, gateRowsWritten, gateGbSeconds });
    }
  };
  return {
    admit: (request) =>
      count(
        1,
        () => gate.admit(request),
        ({ rowsWritten = 1 }) => rowsWritten,
      ),
    settle: (request) => count(1, () => gate.settle(request)),
    inspect: (request) => count(1, () => gate.inspect(request)),
    status: (request) => count(0, () => gate.status(request)),
    recall: (request) => count(0, () => gate.recall(request)),
    lend: (request) => count(1, () => gate.lend(request)),
  };
}

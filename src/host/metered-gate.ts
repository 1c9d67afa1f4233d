import type { Usage } from "../crawl/usage.ts";
import type { Gate } from "./gate-protocol.ts";

/** A gate whose calls are counted: each is a request, keeps the object in memory while it lasts, and most of them save its state. */

const MEMORY_GB = 0.128;

export function meteredGate(gate: Gate, meter: { add(usage: Usage): void }): Gate {
  const call = async <T>(rows: number, calling: () => Promise<T>): Promise<T> => {
    const startedAt = Date.now();
    try {
      return await calling();
    } finally {
      const gateGbSeconds = ((Date.now() - startedAt) / 1000) * MEMORY_GB;
      meter.add({ gateRequests: 1, gateRowsWritten: rows, gateGbSeconds });
    }
  };
  return {
    admit: (request) => call(1, () => gate.admit(request)),
    settle: (request) => call(1, () => gate.settle(request)),
    inspect: (request) => call(1, () => gate.inspect(request)),
    status: (request) => call(0, () => gate.status(request)),
    recall: (request) => call(0, () => gate.recall(request)),
    lend: (request) => call(1, () => gate.lend(request)),
  };
}

import type { Usage } from "../../crawl/bounds/usage.ts";
import { OBJECT_MEMORY_GB } from "../../host/metered-gate.ts";

/** The browser, and the session that holds it: a Durable Object, which is billed as a gate is. */
export function drawingUsage(billedMs: number): Usage {
  const seconds = billedMs / 1_000;
  return { browserSeconds: seconds, gateRequests: 1, gateGbSeconds: seconds * OBJECT_MEMORY_GB };
}

import { setTimeout as sleep } from "node:timers/promises";

/**
 * Asks for /health ten times a second, in a process of its own: the one that serves the hostile material is too busy to
 * measure. `node poll-health.ts ADDRESS` sends its parent the time of each answer in milliseconds, until the parent
 * disconnects.
 */

const EVERY_MS = 100;
const PATIENCE_MS = 60_000;

const [address] = process.argv.slice(2);
while (process.connected) {
  const startedAt = performance.now();
  void fetch(`${address}/health`, { signal: AbortSignal.timeout(PATIENCE_MS) })
    .then((response) => response.arrayBuffer())
    .catch(() => undefined)
    .then(() => process.connected && process.send?.(performance.now() - startedAt));
  await sleep(EVERY_MS);
}
process.exit();

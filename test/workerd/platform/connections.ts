/**
 * At most six connections of a top-level request wait for response headers at once; the seventh waits until one of them
 * has its headers: https://developers.cloudflare.com/workers/platform/limits/#simultaneous-open-connections. Fetches,
 * R2 and Queues count; D1 and Durable Objects do not. The same page says that a service binding's invocations share
 * the connections of the top-level request, and newer text speaks of each invocation; the model takes the stricter one.
 */

export const MAX_CONNECTIONS = 6;

export class Connections {
  #open = 0;
  readonly #waiting: (() => void)[] = [];
  /** The most that ever waited. */
  mostWaiting = 0;

  /** Resolves when there is a place. The caller releases it when it has its headers. */
  async take(): Promise<void> {
    if (this.#open < MAX_CONNECTIONS) {
      this.#open += 1;
      return;
    }
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      this.mostWaiting = Math.max(this.mostWaiting, this.#waiting.length);
    });
  }

  /** The place goes to the caller that has waited longest. */
  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#open -= 1;
    else next();
  }
}

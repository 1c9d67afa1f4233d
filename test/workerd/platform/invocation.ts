import type { Clock } from "../../../src/core/clock.ts";
import { Connections } from "./connections.ts";
import type { Isolate } from "./isolates.ts";
import type { VirtualTime } from "./time.ts";

/**
 * One top-level invocation of the Worker: a batch of a queue, a heartbeat, or a request of the API. The platform may
 * end it at any time. From then on none of its calls takes effect and none of its promises settles: its code just
 * stops.
 */

/**
 * Worker invocations that one request may start; later calls of a service binding throw:
 * https://developers.cloudflare.com/workers/runtime-apis/bindings/service-bindings/#limits
 */
export const MAX_INVOCATIONS = 32;
/** Queries of one invocation on the paid plan: https://developers.cloudflare.com/d1/platform/limits/ */
const MAX_QUERIES = 1_000;

let invocations = 0;

export class Invocation {
  /** For traces. */
  readonly id: number;
  readonly connections = new Connections();
  readonly isolate: Isolate;
  readonly #onEnd: (() => void)[] = [];
  #state: "running" | "ended" | "killed" = "running";
  #started = 0;
  #queries = 0;

  constructor(isolate: Isolate) {
    invocations += 1;
    this.id = invocations;
    this.isolate = isolate;
    isolate.running.add(this);
  }

  get isKilled(): boolean {
    return this.#state === "killed";
  }

  /** Calls `tell` if it is killed. */
  onKill(tell: () => void): void {
    this.#onEnd.push(tell);
  }

  /** Ends it from outside. `onKill` callers learn of it. */
  kill(): void {
    if (this.#state !== "running") return;
    this.#state = "killed";
    this.isolate.running.delete(this);
    for (const tell of this.#onEnd.splice(0)) tell();
  }

  /** Runs its code. False if it was killed. Rejects if its code throws. */
  async run(code: () => Promise<void>): Promise<boolean> {
    const killed = new Promise<boolean>((resolve) => this.onKill(() => resolve(false)));
    try {
      return await Promise.race([killed, code().then(() => true)]);
    } finally {
      if (this.#state === "running") {
        this.#state = "ended";
        this.isolate.running.delete(this);
      }
    }
  }

  /** Never resolves if the invocation was killed. Awaited before and after each of its steps. */
  async alive(): Promise<void> {
    if (this.isKilled) await new Promise<never>(() => undefined);
  }

  /** Its clock: a sleep of a killed invocation never ends. */
  clockOf(time: VirtualTime): Clock {
    return {
      speed: time.speed,
      now: () => time.wall.now(),
      sleep: async (ms) => {
        await time.sleep(ms);
        await this.alive();
      },
    };
  }

  /** Counts a call of a service binding. */
  startWorker(): void {
    this.#started += 1;
    if (this.#started > MAX_INVOCATIONS)
      throw new Error("Subrequest depth limit exceeded: too many Worker invocations");
  }

  countQueries(queries: number): void {
    this.#queries += queries;
    if (this.#queries > MAX_QUERIES) throw new Error("D1_ERROR: Too many API requests by single worker invocation.");
  }
}

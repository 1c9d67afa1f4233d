import type { Gate } from "../../../src/host/gate-protocol.ts";
import { Gatekeeper } from "../../../src/host/gatekeeper.ts";
import type { RobotsRead, RobotsRequest } from "../../../src/host/robots-file.ts";
import type { RobotsFile } from "../../../src/host/robots-state.ts";
import { ownershipOf } from "../ownership-of.ts";
import type { Invocation } from "./invocation.ts";
import { Network, type Surroundings } from "./network.ts";

/**
 * A model of the Durable Objects that are the host gates: real gatekeepers over storage that outlives them.
 *
 * - One object for a name, and its memory goes with it:
 *   https://developers.cloudflare.com/durable-objects/concepts/durable-object-lifecycle/
 * - One thread; calls interleave where they wait, but not in the middle of synchronous storage calls:
 *   https://developers.cloudflare.com/durable-objects/best-practices/rules-of-durable-objects/
 * - An object that is no longer current cannot reach its storage:
 *   https://developers.cloudflare.com/durable-objects/platform/known-issues/#global-uniqueness
 * - A deploy replaces an object within 300 seconds, and ends its calls:
 *   https://developers.cloudflare.com/durable-objects/deployments/durable-objects-code-updates/
 */

const LATENCY_MS = 50;
const MAX_UPDATE_MS = 300_000;
/** As host/host-gate.ts. */
const PATIENCE_MS = 500;
/** What a caller is told: https://developers.cloudflare.com/durable-objects/observability/troubleshooting/ */
const RESET = "Durable Object reset because its code was updated.";

/** One incarnation of an object in memory. */
interface Life {
  keeper: Gatekeeper;
  isCurrent: boolean;
  calls: number;
  /** Rejects the calls under way. */
  onReset: ((error: Error) => void)[];
  /** Ends its requests, whose connections close. */
  ended: AbortController;
}

type FetchRobots = (
  origin: string,
  request: RobotsRequest,
  before: RobotsFile | undefined,
  ended: AbortSignal,
) => Promise<RobotsRead>;

export class Gates {
  readonly counts = { calls: 0, rowsWritten: 0 };
  /** Until when each call of a host's gate fails. */
  readonly outages = new Map<string, number>();
  readonly #around: Surroundings;
  readonly #network: Network;
  readonly #fetchRobots: FetchRobots;
  readonly #ownership: ReturnType<typeof ownershipOf>;
  readonly #lives = new Map<string, Life>();
  readonly #storages = new Map<string, Map<string, unknown>>();

  /** `ownership`: what gates know of it. By default the hosts of the tests are own. */
  constructor(around: Surroundings, fetchRobots: FetchRobots, ownership = ownershipOf()) {
    this.#ownership = ownership;
    this.#around = around;
    this.#network = new Network(around);
    this.#fetchRobots = fetchRobots;
  }

  /** The stub of an invocation. */
  stubOf(invocation: Invocation, host: string): Gate {
    const call =
      <K extends keyof Gate>(method: K) =>
      async (request: Parameters<Gate[K]>[0]) => {
        const { faults } = this.#around;
        this.counts.calls += 1;
        // Objects leave memory when nobody calls them, and when a machine or its code is replaced.
        if (faults.strikes("gate evicted")) this.evict(host);
        const result = await this.#network.call(invocation, {
          name: `gate.${method}`,
          latencyMs: LATENCY_MS,
          // What crosses is a copy.
          effect: () =>
            this.#run(host, (gate) => (gate[method] as (r: unknown) => Promise<unknown>)(structuredClone(request))),
        });
        return structuredClone(result);
      };
    const methods = ["admit", "settle", "inspect", "status", "recall", "lend"] as const;
    return Object.fromEntries(methods.map((method) => [method, call(method)])) as unknown as Gate;
  }

  /** Takes an object without calls out of memory. Its storage stays. */
  evict(host: string): void {
    const life = this.#lives.get(host);
    if (life === undefined || life.calls > 0) return;
    this.#end(host, life);
  }

  /** Replaces an object at once: calls under way fail, and what they write later is refused. */
  reset(host: string): void {
    const life = this.#lives.get(host);
    if (life === undefined) return;
    this.#end(host, life);
    for (const reject of life.onReset.splice(0)) reject(new Error(RESET));
  }

  /** New code: each object goes on with the old code until it is idle, for at most 300 seconds. */
  deploy(): void {
    const { time, random, faults } = this.#around;
    for (const [host, life] of this.#lives) {
      time.after(random.between(0, MAX_UPDATE_MS), () => {
        if (!life.isCurrent) return;
        if (life.calls === 0) this.#end(host, life);
        else if (faults.strikes("gate reset", 1_000)) this.reset(host);
      });
    }
  }

  #end(host: string, life: Life): void {
    life.isCurrent = false;
    life.ended.abort(new Error(RESET));
    this.#lives.delete(host);
  }

  /** Runs a call on the current object. Fails if the object is replaced meanwhile. */
  async #run<T>(host: string, call: (gate: Gate) => Promise<T>): Promise<T> {
    if (this.#around.time.now() < (this.outages.get(host) ?? 0)) throw new Error("Network connection lost.");
    const life = this.#lifeOf(host);
    life.calls += 1;
    const reset = Promise.withResolvers<never>();
    reset.promise.catch(() => undefined);
    life.onReset.push(reset.reject);
    try {
      return await Promise.race([call(life.keeper), reset.promise]);
    } finally {
      life.calls -= 1;
      life.onReset.splice(life.onReset.indexOf(reset.reject), 1);
    }
  }

  #lifeOf(host: string): Life {
    const known = this.#lives.get(host);
    if (known !== undefined) return known;
    const storage = this.#storages.get(host) ?? new Map<string, unknown>();
    this.#storages.set(host, storage);
    const isOpen = () => {
      if (!life.isCurrent) throw new Error(RESET);
    };
    const { time } = this.#around;
    const keeper = new Gatekeeper({
      storage: {
        get: <T>(key: string) => {
          isOpen();
          return structuredClone(storage.get(key)) as T | undefined;
        },
        put: (key, value) => {
          isOpen();
          this.counts.rowsWritten += 1;
          storage.set(key, structuredClone(value));
        },
      },
      clock: time.wall,
      fetchRobots: (origin, request, before) => this.#fetchRobots(origin, request, before, life.ended.signal),
      gate: (other) => ({
        lend: async (request) => {
          await time.sleep(LATENCY_MS);
          return this.#run(other, (gate) => gate.lend(structuredClone(request)));
        },
        settle: async (request) => {
          await time.sleep(LATENCY_MS);
          return this.#run(other, (gate) => gate.settle(structuredClone(request)));
        },
      }),
      resolve: async () => ({ kind: "none" }),
      ...this.#ownership,
      boot: "",
      patience: () => time.sleep(PATIENCE_MS),
      // Reads that outlive a call keep the object, as pending I/O does:
      // https://developers.cloudflare.com/changelog/post/2026-10-01-pending-io-keep-alive/
      keepAlive: (work) => {
        life.calls += 1;
        void work
          .catch(() => undefined)
          .then(() => {
            life.calls -= 1;
          });
      },
    });
    const life: Life = { keeper, isCurrent: true, calls: 0, onReset: [], ended: new AbortController() };
    this.#lives.set(host, life);
    return life;
  }
}

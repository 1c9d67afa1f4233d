import type { Deps } from "../../src/frontier/deps.ts";
import type { FrontierMessage } from "../../src/frontier/message.ts";
import { SeenFilters } from "../../src/frontier/seen-filter.ts";
import type { Gate } from "../../src/host/gate-protocol.ts";

/**
 * Faults of the platform. A seed determines them, so a failed run can be repeated. A call of any binding may fail
 * before or after it takes effect. Messages may be lost, duplicated, late or out of order. Gates may lose their memory.
 * A consumer may be killed between any two of its steps; all its later calls fail.
 */

export interface FaultPlan {
  seed: number;
  /** Probability of a fault for each call and each message. */
  rate: number;
  /** Maximum number of faults. It lets every run end. */
  budget: number;
  /** Maximum number of faults that lose a lane: a killed or stalled consumer, or a failed call that loses its lane. */
  kills: number;
}

class Killed extends Error {}

type Method = (...args: never[]) => Promise<unknown>;

export class Faults {
  readonly counts: Record<string, number> = {};
  readonly #plan: FaultPlan;
  #state: number;
  #left: number;
  #killsLeft: number;

  constructor(plan: FaultPlan) {
    this.#plan = plan;
    this.#state = plan.seed >>> 0;
    this.#left = plan.budget;
    this.#killsLeft = plan.kills;
  }

  /** Mulberry32. */
  random(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Whether a fault of this kind happens now. Counts it. */
  strikes(kind: string, rate = this.#plan.rate): boolean {
    if (this.#left === 0 || this.random() >= rate) return false;
    this.#left -= 1;
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    return true;
  }

  /** The number of copies of a message that arrive. */
  copies(): number {
    if (!this.strikes("message")) return 1;
    return this.random() < 0.5 ? 0 : 2 + Math.floor(this.random() * 2);
  }

  /** Milliseconds to add to a message's delay. */
  lateness(): number {
    return this.strikes("late") ? Math.floor(this.random() * 120_000) : 0;
  }

  shuffle<T>(items: T[]): T[] {
    if (!this.strikes("order")) return items;
    return items
      .map((item) => ({ item, at: this.random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
  }

  /** A lane whose grant or return gets lost counts as a kill. */
  #fails(name: string, when: "before" | "after"): boolean {
    const losesLane = `${name} ${when}` === "gate.settle before" || `${name} ${when}` === "gate.admit after";
    if (losesLane && this.#killsLeft === 0) return false;
    const fails = this.strikes(`${name} ${when}`);
    if (fails && losesLane) this.#killsLeft -= 1;
    return fails;
  }

  /** The bindings of one consumer invocation. `stall` holds a call up for longer than any lease; other calls go on. */
  wrap(deps: Deps, stall: () => Promise<void>): Deps {
    let dead = false;
    const call =
      (name: string, method: Method): Method =>
      async (...args) => {
        if (!dead && this.#killsLeft > 0 && this.strikes("kill", this.#plan.rate / 4)) {
          this.#killsLeft -= 1;
          dead = true;
        }
        if (dead) throw new Killed();
        // A lane checks its lease right before its request: nothing in between can take minutes.
        if (name !== "fetcher" && this.#killsLeft > 0 && this.strikes("stall", this.#plan.rate / 2)) {
          this.#killsLeft -= 1;
          await stall();
        }
        if (this.#fails(name, "before")) throw new Error(`${name} is unreachable`);
        const result = await method(...args);
        // The call took effect, but its caller never learns of it.
        if (dead) throw new Killed();
        if (this.#fails(name, "after")) throw new Error(`${name} did not answer in time`);
        return result;
      };
    const around = <T extends object>(name: string, target: T): T =>
      new Proxy(target, {
        get: (_, key) => {
          const value = Reflect.get(target, key, target) as unknown;
          return typeof value === "function" ? call(`${name}.${String(key)}`, value.bind(target)) : value;
        },
      });
    return {
      ...deps,
      ledger: around("ledger", deps.ledger),
      sitemaps: around("sitemaps", deps.sitemaps),
      waits: around("waits", deps.waits),
      mirror: around("mirror", deps.mirror),
      packs: around("packs", deps.packs),
      frontier: around("queue", deps.frontier) as Queue<FrontierMessage>,
      gate: (host) => around<Gate>("gate", deps.gate(host)),
      fetchPage: call("fetcher", deps.fetchPage as Method) as Deps["fetchPage"],
      readPage: call("fetcher", deps.readPage as Method) as Deps["readPage"],
      fetchSitemap: call("fetcher", deps.fetchSitemap as Method) as Deps["fetchSitemap"],
      // Another isolate may serve the next batch.
      seen: this.random() < 0.2 ? new SeenFilters() : deps.seen,
    };
  }
}

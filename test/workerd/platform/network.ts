import { type FaultPlan, Faults, NO_FAULTS } from "./faults.ts";
import type { Invocation } from "./invocation.ts";
import { Random } from "./random.ts";
import { VirtualTime } from "./time.ts";

/**
 * A call over the network: half of its latency before it takes effect, half after. It may fail before its effect or
 * after it, its invocation may be killed while it is under way, and it may take longer than any lease.
 */

export interface Surroundings {
  time: VirtualTime;
  random: Random;
  faults: Faults;
  /** Collects what happens, for a person who looks for the cause of a failure; null where nobody does. */
  trace: string[] | null;
}

interface Call<T> {
  /** For the report of faults, such as "queue.sendBatch". */
  name: string;
  /** There and back. */
  latencyMs: number;
  effect: () => T | Promise<T>;
  /** The error of a call that fails; by default that the network was lost. */
  error?: () => Error;
  /** A call that may not be delayed beyond a lease: the request to a host, whose lane has just checked its lease. */
  isPrompt?: boolean;
}

/** From about a lane's lease to much longer. */
const MIN_STALL_MS = 60_000;
const MAX_STALL_MS = 200_000;

export class Network {
  readonly #around: Surroundings;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  async call<T>(invocation: Invocation, { name, latencyMs, effect, error, isPrompt = false }: Call<T>): Promise<T> {
    const { time, random, faults, trace } = this.#around;
    const note = (what: string) => trace?.push(`${time.now()} #${invocation.id} ${name} ${what}`);
    await invocation.alive();
    const stall = !isPrompt && faults.strikes("kill by delay", 0.5) ? random.oneOf(["before", "after"]) : null;
    const stallMs = random.between(MIN_STALL_MS, MAX_STALL_MS);
    if (stall === "before") await time.sleep(stallMs);
    if (faults.strikes("kill", 0.1)) {
      note("killed");
      invocation.kill();
    }
    await invocation.alive();
    const fail = error ?? (() => new Error("Network connection lost."));
    // Latency varies, so that calls overtake one another.
    const halfMs = Math.round((latencyMs * (0.5 + random.next())) / 2);
    await time.sleep(halfMs);
    if (faults.strikes(`${name} before`)) {
      note("fails before");
      throw fail();
    }
    const result = await effect();
    note("done");
    await time.sleep(stall === "after" ? stallMs : halfMs);
    await invocation.alive();
    if (faults.strikes(`${name} after`)) {
      note("fails after");
      throw fail();
    }
    return result;
  }
}

/** Surroundings in which nothing fails, unless faults are given. */
export function quietSurroundings(seed = 1, plan: FaultPlan = NO_FAULTS): Surroundings {
  const random = new Random(seed);
  return { time: new VirtualTime(), random, faults: new Faults(plan, random), trace: null };
}

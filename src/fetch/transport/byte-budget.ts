import { type Clock, systemClock } from "../../core/clock.ts";

/**
 * A budget of bytes that the invocations of one isolate share, for what they hold at the same time. An isolate has 128
 * MB for all of its invocations: https://developers.cloudflare.com/workers/platform/limits/#memory
 */

/** A share of the budget. */
export interface ByteLease {
  release(): void;
}

/** A taker's patience ended: others hold the memory. Nobody outside is to blame for it. */
export class NoRoom extends Error {}

interface Waiter {
  bytes: number;
  askedAt: number;
}

/** Real time, in milliseconds. */
const BUDGET_POLL_MS = 25;
/** A waiter that has not asked for so long belongs to an invocation that was cancelled. */
const ABANDONED_MS = 1_000;

export class ByteBudget {
  readonly #total: number;
  readonly #clock: Clock;
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiter>();
  readonly #leases = new Map<ByteLease, { bytes: number; endsAt: number }>();

  /** `total` is in bytes. */
  constructor(total: number, clock: Clock = systemClock) {
    this.#total = total;
    this.#clock = clock;
  }

  /** Bytes of all leases that have not ended. */
  get taken(): number {
    const now = this.#clock.now();
    let sum = 0;
    for (const [lease, { bytes, endsAt }] of this.#leases) {
      if (endsAt <= now) this.#leases.delete(lease);
      else sum += bytes;
    }
    return sum;
  }

  /**
   * Waits until `bytes` fit beside the other leases, first come, first served. More than the whole budget counts as the
   * whole budget. A lease ends by itself after `leaseMs`, because an invocation that is cancelled runs no code that
   * could release it. The holder of a lease must not take another, or two holders can wait for each other. It waits by
   * its own timer, because a promise that another invocation resolves would depend on that invocation's life. Throws
   * NoRoom after `patienceMs`.
   */
  async take(bytes: number, leaseMs: number, patienceMs = Number.POSITIVE_INFINITY): Promise<ByteLease> {
    const waiter = { bytes: Math.min(bytes, this.#total), askedAt: this.#clock.now() };
    this.#waiting.add(waiter);
    const until = this.#clock.now() + patienceMs;
    try {
      while (!this.#isNext(waiter)) {
        if (this.#clock.now() >= until) throw new NoRoom(`${waiter.bytes} bytes`);
        await this.#clock.sleep(BUDGET_POLL_MS);
      }
    } finally {
      this.#waiting.delete(waiter);
    }
    const lease = { release: () => void this.#leases.delete(lease) };
    this.#leases.set(lease, { bytes: waiter.bytes, endsAt: this.#clock.now() + leaseMs });
    return lease;
  }

  #isNext(waiter: Waiter): boolean {
    const now = this.#clock.now();
    waiter.askedAt = now;
    for (const other of this.#waiting) {
      if (other === waiter) break;
      if (now - other.askedAt <= ABANDONED_MS) return false;
      this.#waiting.delete(other);
    }
    return this.taken + waiter.bytes <= this.#total;
  }
}

/**
 * What the large bodies of this isolate may hold together: three bodies of the default limit. While they arrive, the
 * small ones of a batch hold as much as one more, and one at a time is copied, decoded and parsed. The rest of the 128
 * MB of an isolate is for that, for the batch's packs and for the seen filters.
 */
export const bodies = new ByteBudget(32 * 1_048_576);

/**
 * What documents hold while the reader Worker reads them: one of the largest, or many small ones. Pages do not wait for
 * them.
 */
export const heldDocuments = new ByteBudget(32 * 1_048_576);

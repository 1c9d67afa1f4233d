import type { Clock } from "../core/clock.ts";
import type { PolicyInForce } from "./guest-limits.ts";
import { type HostState, leaseEndOf, restUntil } from "./host-state.ts";
import { restAfter } from "./pace.ts";
import type { HostHold } from "./robots-file.ts";

/**
 * Holds the host for one request of its gate's own: for a robots.txt, or for the file that says whose host it is. It
 * waits for the lane and for the host's rest, as any request does.
 */

/** The state of the host, which the gatekeeper keeps. */
export interface HostMemory {
  load(): HostState;
  save(state: HostState): void;
}

/** In real time. */
const POLL_MS = 250;

export class HostHolder {
  readonly #clock: Clock;
  /** Names the process. A lane of another process is dead. */
  readonly #boot: string;
  readonly #host: Pick<HostMemory, "save">;
  #isBusy = false;

  constructor({ clock, boot }: { clock: Clock; boot: string }, host: Pick<HostMemory, "save">) {
    this.#clock = clock;
    this.#boot = boot;
    this.#host = host;
  }

  /** Whether such a request is under way, or about to start. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** The host rests by `policy` and its Crawl-delay, where that is known, after the request. */
  async hold(policy: PolicyInForce, state: HostState, crawlDelayMs: number | null = null): Promise<HostHold> {
    // A redirect may lead back here while another origin's file is being read.
    while (this.#isBusy) await this.#sleepUntil(this.#clock.now() + POLL_MS * this.#clock.speed);
    // From now on no lane is lent.
    this.#isBusy = true;
    await this.#waitUntilFree(state);
    // A gate that replaces this one before the answer is here rests from the start of the request, at least.
    const startedAt = this.#clock.now();
    restUntil(state, startedAt + restAfter(0, 0, { ...policy, crawlDelayMs }), startedAt);
    this.#host.save(state);
    return {
      release: async (durationMs, _answered, bodyBytes = 0) => {
        this.#isBusy = false;
        const pace = { ...policy, crawlDelayMs };
        const now = this.#clock.now();
        restUntil(state, now + restAfter(durationMs, bodyBytes, pace), now);
      },
    };
  }

  /** Waits until no lane holds the host and its rest is over. */
  async #waitUntilFree(state: HostState): Promise<void> {
    while (leaseEndOf(state, this.#boot) > this.#clock.now()) {
      await this.#sleepUntil(this.#clock.now() + POLL_MS * this.#clock.speed);
    }
    await this.#sleepUntil(state.nextAt);
  }

  async #sleepUntil(time: number): Promise<void> {
    await this.#clock.sleep(time - this.#clock.now());
  }
}

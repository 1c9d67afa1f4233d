import type { Clock } from "../../../src/core/clock.ts";

/**
 * Virtual time: a discrete-event scheduler. Every latency and every sleep is a timer. Time moves on to the next timer
 * only when no other code can run: the microtasks have drained, and no counted call of a real binding is in flight.
 */

interface Timer {
  at: number;
  fire(): void;
}

export type Waiting = <T>(awaited: Promise<T>) => Promise<T>;

/** Turns of the event loop in which a piece has surely passed through a stream of the runtime. */
const STREAM_TURNS = 8;

const realTimeout = globalThis.setTimeout;

/** The functions of the runtime that read or wait for real time. */
type Replaced = Pick<typeof globalThis, "setTimeout" | "clearTimeout">;

export class VirtualTime implements Clock {
  readonly speed = 1;
  #now = 1_000_000_000;
  /** What the clock of the code under test is ahead of virtual time, in milliseconds; below 0 if it was set back. */
  aheadMs = 0;
  /** Latest first, so that the next one is at the end. Timers of one time fire in the order in which they were set. */
  readonly #timers: Timer[] = [];
  #realCalls = 0;
  #nativeStreams = 0;
  /** Turns since the last bytes came through one of them. */
  #idleTurns = 0;

  now(): number {
    return this.#now;
  }

  /** The clock of the code under test, which somebody may set. */
  get wall(): Clock {
    return { speed: this.speed, now: () => this.#now + this.aheadMs, sleep: (ms) => this.sleep(ms) };
  }

  async sleep(ms: number): Promise<void> {
    if (ms > 0) await new Promise<void>((resolve) => this.after(ms, resolve));
  }

  after(ms: number, fire: () => void): void {
    const at = this.#now + Math.max(0, Math.ceil(ms));
    let [low, high] = [0, this.#timers.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#timers[middle] as Timer).at > at) low = middle + 1;
      else high = middle;
    }
    // In front of the timers of the same time, which fire first.
    this.#timers.splice(low, 0, { at, fire });
  }

  /** Replacements for the runtime's timers, for code that asks for real time. */
  get timers(): Replaced {
    const set = (fire: () => void, ms = 0) => {
      const timer = { fire };
      this.after(ms, () => timer.fire());
      return timer;
    };
    const clear = (timer?: { fire: () => void }) => {
      if (timer !== undefined) timer.fire = () => undefined;
    };
    return { setTimeout: set, clearTimeout: clear } as unknown as Replaced;
  }

  /** Counts a call that ends in real time: virtual time stands still until it has ended. */
  async real<T>(call: Promise<T>): Promise<T> {
    this.#realCalls += 1;
    try {
      return await call;
    } finally {
      this.#realCalls -= 1;
    }
  }

  /** The same for a call that waits for virtual time in between, as long as what it gives to `waiting` is open. */
  async mixed<T>(work: (waiting: Waiting) => Promise<T>): Promise<T> {
    let [waits, isOver] = [0, false];
    this.#realCalls += 1;
    const waiting: Waiting = async (awaited) => {
      if (waits++ === 0 && !isOver) this.#realCalls -= 1;
      try {
        return await awaited;
      } finally {
        if (--waits === 0 && !isOver) this.#realCalls += 1;
      }
    };
    try {
      return await work(waiting);
    } finally {
      isOver = true;
      if (waits === 0) this.#realCalls -= 1;
    }
  }

  /** Counts work on a stream of the runtime itself, through which bytes pass in several turns of the event loop. */
  async native<T>(work: (tellProgress: () => void) => Promise<T>): Promise<T> {
    this.#nativeStreams += 1;
    try {
      return await work(() => {
        this.#idleTurns = 0;
      });
    } finally {
      this.#nativeStreams -= 1;
    }
  }

  /** Lets time pass until the promise settles. Throws if it never can. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    promise.then(settle, settle);
    for (;;) {
      await this.#drain();
      if (isSettled) return promise;
      if (!this.#advance()) throw new Error("nothing is left that could settle the promise");
    }
  }

  /** Lets all code run that can run now. */
  async #drain(): Promise<void> {
    await turnEventLoop();
    this.#idleTurns = 0;
    for (; this.#idleTurns < STREAM_TURNS && this.#nativeStreams > 0; this.#idleTurns++) await turnEventLoop();
    // A loop of such turns would starve the runtime's own timers.
    while (this.#realCalls > 0) {
      await new Promise<void>((resolve) => realTimeout(resolve, 0));
      await turnEventLoop();
    }
  }

  /** Moves on to the next timer. False if there is none. */
  #advance(): boolean {
    const next = this.#timers.at(-1);
    if (next === undefined) return false;
    this.#now = next.at;
    while (this.#timers.at(-1)?.at === this.#now) this.#timers.pop()?.fire();
    return true;
  }
}

/**
 * Ends after all microtasks. Reading a body goes through workerd's event loop, which drains the microtasks first. It
 * takes 30 µs, while the shortest setTimeout takes a millisecond. MessageChannel and crypto.subtle are no turn of the
 * loop in workerd: only two microtasks ran before they ended.
 */
async function turnEventLoop(): Promise<void> {
  await new Response("x").arrayBuffer();
}

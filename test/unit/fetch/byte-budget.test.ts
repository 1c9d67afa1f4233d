import fc from "fast-check";
import { expect, test } from "vitest";
import type { Clock } from "../../../src/core/clock.ts";
import { ByteBudget, type ByteLease, NoRoom } from "../../../src/fetch/transport/byte-budget.ts";

/** A clock that moves when the test says so. Sleepers wake in the order of their times. */
class TestClock implements Clock {
  readonly speed = 1;
  #now = 0;
  #sleepers: { at: number; wake: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((wake) => this.#sleepers.push({ at: this.#now + ms, wake }));
  }

  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await new Promise(setImmediate);
      const next = this.#sleepers.sort((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > end) break;
      this.#sleepers.shift();
      this.#now = next.at;
      next.wake();
    }
    this.#now = end;
  }

  /** The invocations that sleep now are cancelled: they never run again. */
  cancelSleepers(): void {
    this.#sleepers = [];
  }
}

const LEASE_MS = 10_000;

function start(total: number) {
  const clock = new TestClock();
  const budget = new ByteBudget(total, clock);
  const served: string[] = [];
  const leases = new Map<string, ByteLease>();
  const take = (name: string, bytes: number) =>
    void budget.take(bytes, LEASE_MS).then((lease) => {
      served.push(name);
      leases.set(name, lease);
    });
  return { clock, budget, served, take, release: (name: string) => leases.get(name)?.release() };
}

test("takers go in their order, and a small one does not overtake a large one", async () => {
  const { clock, served, take, release } = start(10);
  take("a", 6);
  await clock.pass(100);
  take("b", 8);
  await clock.pass(100);
  take("c", 2);
  await clock.pass(100);
  expect(served).toEqual(["a"]);
  release("a");
  await clock.pass(100);
  expect(served).toEqual(["a", "b", "c"]);
});

test("more than the whole budget waits for the whole budget", async () => {
  const { clock, budget, served, take, release } = start(10);
  take("a", 1);
  take("b", 1_000);
  await clock.pass(100);
  expect([served, budget.taken]).toEqual([["a"], 1]);
  release("a");
  await clock.pass(100);
  expect([served, budget.taken]).toEqual([["a", "b"], 10]);
});

test("the lease of a cancelled invocation ends by itself", async () => {
  const { clock, budget, served, take } = start(10);
  take("cancelled", 10);
  await clock.pass(1);
  take("next", 10);
  await clock.pass(LEASE_MS - 100);
  expect(served).toEqual(["cancelled"]);
  await clock.pass(200);
  expect([served, budget.taken]).toEqual([["cancelled", "next"], 10]);
});

test("an invocation that is cancelled while it waits holds up nobody", async () => {
  const { clock, served, take, release } = start(10);
  take("a", 10);
  await clock.pass(1);
  take("cancelled", 10);
  await clock.pass(100);
  clock.cancelSleepers();
  release("a");
  take("b", 10);
  await clock.pass(2_000);
  expect(served).toEqual(["a", "b"]);
});

test("a taker whose patience ends gets nothing, and holds up nobody", async () => {
  const { clock, budget, served, take } = start(10);
  take("a", 8);
  await clock.pass(1);
  const failed = budget.take(5, LEASE_MS, 300).catch((error: unknown) => error);
  await clock.pass(100);
  take("small", 2);
  await clock.pass(100);
  expect(served).toEqual(["a"]);
  await clock.pass(200);
  expect(await failed).toBeInstanceOf(NoRoom);
  expect([served, budget.taken]).toEqual([["a", "small"], 10]);
});

test("leases never exceed the budget, and everybody is served", async () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 15 }), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(sizes, async (bytes) => {
      const { clock, budget, served, take, release } = start(10);
      for (const [at, size] of bytes.entries()) take(`${at}`, size);
      for (let round = 0; round < bytes.length; round++) {
        await clock.pass(50);
        expect(budget.taken).toBeLessThanOrEqual(10);
        for (const name of served) release(name);
      }
      await clock.pass(50);
      expect(served).toEqual(bytes.map((_, at) => `${at}`));
    }),
    { numRuns: 50 },
  );
});

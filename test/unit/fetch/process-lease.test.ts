import { expect, test, vi } from "vitest";
import { ProcessLease } from "../../../src/fetch/fetcher-process/process-lease.ts";

/** Takes `pages` at one moment, beside so many batches. Returns whether the process took the last one. */
async function takeMany(
  lease: ProcessLease,
  { pages, at, batches = 3 }: { pages: number; at: number; batches?: number },
  ask: () => Promise<number | null>,
): Promise<boolean> {
  let last = false;
  for (let page = 0; page < pages; page++) {
    const { isHeld, asking } = lease.take(at, batches, ask);
    await asking;
    last = isHeld;
  }
  return last;
}

const START = 1_000_000;

test.each([
  ["a few pages", { pages: 99, at: START }],
  ["one batch after the other", { pages: 500, at: START, batches: 2 }],
])("%s are no load", async (_, taken) => {
  const ask = vi.fn(async () => 60_000);
  expect(await takeMany(new ProcessLease(), taken, ask)).toBe(false);
  expect(ask).not.toHaveBeenCalled();
});

test("pages that come slowly are no load, however many come", async () => {
  const ask = vi.fn(async () => 60_000);
  const lease = new ProcessLease();
  for (let second = 0; second < 100; second++) await takeMany(lease, { pages: 40, at: START + second * 1_000 }, ask);
  expect(ask).not.toHaveBeenCalled();
});

test("under a load the process is asked for once, and takes pages for as long as it says", async () => {
  const ask = vi.fn(async () => 60_000);
  const lease = new ProcessLease();
  expect(await takeMany(lease, { pages: 100, at: START }, ask)).toBe(false);
  expect(await takeMany(lease, { pages: 1, at: START }, ask)).toBe(true);
  expect(await takeMany(lease, { pages: 200, at: START + 9_999 }, ask)).toBe(true);
  expect(ask).toHaveBeenCalledTimes(1);
  // The load goes on, and so does the process.
  await takeMany(lease, { pages: 200, at: START + 10_000 }, ask);
  expect(ask).toHaveBeenCalledTimes(2);
  expect(await takeMany(lease, { pages: 1, at: START + 69_999 }, ask)).toBe(true);
  expect(await takeMany(lease, { pages: 1, at: START + 70_000 }, ask)).toBe(false);
});

test.each([
  ["has none", async () => null],
  [
    "fails",
    async () => {
      throw new Error("no memory");
    },
  ],
])("a machine that %s is asked again later", async (_, answer: () => Promise<number | null>) => {
  const ask = vi.fn(answer);
  const lease = new ProcessLease();
  expect(await takeMany(lease, { pages: 300, at: START }, ask)).toBe(false);
  expect(ask).toHaveBeenCalledTimes(1);
  await takeMany(lease, { pages: 300, at: START + 10_000 }, ask);
  expect(ask).toHaveBeenCalledTimes(2);
});

test("a process that is lost takes no page until the machine has started it again", async () => {
  const ask = vi.fn(async () => 60_000);
  const lease = new ProcessLease();
  await takeMany(lease, { pages: 100, at: START }, ask);
  lease.lose();
  expect(await takeMany(lease, { pages: 200, at: START + 5_000 }, ask)).toBe(false);
  await takeMany(lease, { pages: 100, at: START + 10_000 }, ask);
  expect(await takeMany(lease, { pages: 1, at: START + 10_000 }, ask)).toBe(true);
});

test("under any load, the first page asks", async () => {
  const lease = new ProcessLease();
  const { isHeld, asking } = lease.take(START, 1, async () => 60_000, true);
  await asking;
  expect(isHeld).toBe(false);
  expect(lease.take(START, 1, async () => 60_000, true).isHeld).toBe(true);
});

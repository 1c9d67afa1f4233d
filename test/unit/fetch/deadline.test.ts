import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Deadline } from "../../../src/fetch/transport/deadline.ts";

/** How long a fetch may wait for our own limits, so that it ends within its lane's lease whatever the host does. */

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("a fetch without a lane may wait for ever", () => {
  expect(new Deadline(1_000).patienceMs()).toBe(Number.POSITIVE_INFINITY);
});

test("the patience is what the lease has beyond the timeout, and shrinks only while it is used", async () => {
  const deadline = new Deadline(1_000, 3_000);
  expect(deadline.patienceMs()).toBe(2_000);
  await vi.advanceTimersByTimeAsync(400);
  expect(deadline.patienceMs()).toBe(2_000);
  await Promise.all([
    deadline.exclude(new Promise((resolve) => setTimeout(resolve, 1_500))),
    vi.advanceTimersByTimeAsync(1_500),
  ]);
  expect(deadline.patienceMs()).toBe(500);
  expect(deadline.leaseLeftMs()).toBe(1_100);
  await vi.advanceTimersByTimeAsync(600);
  expect(deadline.signal.aborted).toBe(true);
  expect(deadline.patienceMs()).toBe(500);
});

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Activity } from "../../../src/frontier/batch/activity.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Whether `waiting` has resolved, after the timers of this moment. */
async function isWaiting(activity: Activity): Promise<boolean> {
  let waiting = false;
  void activity.waiting.then(() => {
    waiting = true;
  });
  await vi.advanceTimersByTimeAsync(5);
  return waiting;
}

test("a batch waits as soon as all of its work waits", async () => {
  const activity = new Activity();
  const working = Promise.withResolvers<void>();
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  const ended = activity.work(async () => {
    const lanes = [first, second].map(({ promise }) =>
      activity.work(async () => {
        await working.promise;
        await activity.wait(promise);
      }),
    );
    await activity.wait(Promise.all(lanes));
  });
  expect(await isWaiting(activity)).toBe(false);
  working.resolve();
  expect(await isWaiting(activity)).toBe(true);
  first.resolve();
  second.resolve();
  await ended;
});

test("work that hands over to other work is no wait", async () => {
  const activity = new Activity();
  const handed = Promise.withResolvers<void>();
  const ended = activity.work(async () => {
    await activity.wait(activity.work(async () => undefined));
    await activity.wait(Promise.resolve());
    await handed.promise;
  });
  expect(await isWaiting(activity)).toBe(false);
  handed.resolve();
  await ended;
});

test("work that hands over leaves one timer", async () => {
  const activity = new Activity();
  await activity.work(async () => {
    for (let i = 0; i < 100; i++) await activity.wait(activity.work(async () => undefined));
  });
  expect(vi.getTimerCount()).toBe(1);
});

test("a batch waits when it has ended, and when it has failed", async () => {
  for (const doing of [async () => undefined, () => Promise.reject(new Error("broken"))]) {
    const activity = new Activity();
    await activity.work(doing).catch(() => undefined);
    expect(await isWaiting(activity)).toBe(true);
  }
});

test("an answer that comes at once is work, and its error is the caller's", async () => {
  const activity = new Activity();
  const results: unknown[] = [];
  await activity.work(async () => {
    results.push(await activity.waitIfSlow(Promise.resolve("page")));
    results.push(await activity.waitIfSlow(Promise.reject(new Error("reset"))).catch(String));
    results.push(await isWaiting(activity));
  });
  expect(results).toEqual(["page", "Error: reset", false]);
});

import { expect, test } from "vitest";
import { VirtualTime } from "./time.ts";

/** Virtual time moves only when nothing else can. */

test("timers fire in the order of their times, and timers of one time in the order in which they were set", async () => {
  const time = new VirtualTime();
  const startedAt = time.now();
  const fired: string[] = [];
  const wait = async (name: string, ms: number) => {
    await time.sleep(ms);
    fired.push(`${name} ${time.now() - startedAt}`);
  };
  await time.until(Promise.all([wait("late", 5_000), wait("first", 10), wait("second", 10), wait("at once", 0)]));
  expect(fired).toEqual(["at once 0", "first 10", "second 10", "late 5000"]);
});

test("time stands still while microtasks run, however many", async () => {
  const time = new VirtualTime();
  const startedAt = time.now();
  const busy = async () => {
    for (let i = 0; i < 10_000; i++) await null;
    return time.now() - startedAt;
  };
  expect(await time.until(Promise.all([busy(), time.sleep(1)]))).toEqual([0, undefined]);
});

test("time stands still while a real call is in flight", async () => {
  const time = new VirtualTime();
  const startedAt = time.now();
  const real = time.real(new Promise((resolve) => setTimeout(resolve, 5))).then(() => time.now() - startedAt);
  expect(await time.until(Promise.all([real, time.sleep(60_000)]))).toEqual([0, undefined]);
});

test("a promise that nothing can settle is an error", async () => {
  await expect(new VirtualTime().until(new Promise(() => undefined))).rejects.toThrow("nothing is left");
});

test("replaced timers wait in virtual time, and can be cleared", async () => {
  const time = new VirtualTime();
  const { setTimeout, clearTimeout } = time.timers;
  const fired: string[] = [];
  setTimeout(() => fired.push("kept"), 100);
  clearTimeout(setTimeout(() => fired.push("cleared"), 100));
  await time.until(time.sleep(200));
  expect(fired).toEqual(["kept"]);
});

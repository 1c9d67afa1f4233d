import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Drawing } from "../../../../src/fetch/browser/drawing.ts";
import { Places } from "../../../../src/fetch/browser/places.ts";
import { Suspects } from "../../../../src/fetch/browser/suspects.ts";

/** A browser that dies takes three pages along. Each is drawn alone the next time, and only the one that kills ends. */

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const DRAWN: Drawing = { kind: "drawn", html: "", ways: [], isUnfinished: false, done: null, browserMs: 1 };
const GONE: Drawing = {
  ...{ kind: "failed", reason: "render", detail: "gone", isOurs: true, retryable: true, browserMs: 1 },
};

/** Its scripts took longer than the drawing, which may be the fault of a page beside it. */
const SLOW: Drawing = { ...GONE, reason: "too-complex", isOurs: false };

function start() {
  const places = new Places(3);
  const suspects = new Suspects(places, 3);
  /** Draws this page in a browser that the pages of `deadly` end. Resolves with what becomes of it. */
  const draw = async (url: string, deadly: boolean, during: () => void = () => undefined) => {
    const release = await suspects.takePlace(url, 10_000);
    if (release === null) return null;
    during();
    if (deadly) suspects.suspectAll();
    const judged = suspects.judge(url, deadly ? GONE : DRAWN, { isOpen: !deadly });
    release();
    return judged;
  };
  return { places, suspects, draw };
}

test("the first death blames nobody, the second one alone ends the page", async () => {
  const { draw, places } = start();
  expect(await draw("a", true)).toEqual(GONE);
  expect(await draw("a", true, () => expect(places.taken).toBe(3))).toMatchObject({
    ...{ kind: "failed", reason: "too-complex", retryable: false },
  });
  expect(places.taken).toBe(0);
});

test("a page that was drawn beside it is drawn alone once, and then beside others again", async () => {
  const { draw, places, suspects } = start();
  const beside = await suspects.takePlace("honest", 0);
  expect(await draw("hostile", true)).toEqual(GONE);
  expect(suspects.judge("honest", GONE, { isOpen: false })).toEqual(GONE);
  beside?.();
  expect(await draw("honest", false, () => expect(places.taken).toBe(3))).toEqual(DRAWN);
  expect(await draw("honest", false, () => expect(places.taken).toBe(1))).toEqual(DRAWN);
});

test("a page that takes too long beside others is drawn alone the next time, and each time until it is drawn", async () => {
  const { draw, places, suspects } = start();
  const drawSlowly = async (expectedPlaces: number) => {
    const release = await suspects.takePlace("a", 0);
    expect(places.taken).toBe(expectedPlaces);
    expect(suspects.judge("a", SLOW, { isOpen: true })).toEqual(SLOW);
    release?.();
  };
  await drawSlowly(1);
  await drawSlowly(3);
  expect(await draw("a", false, () => expect(places.taken).toBe(3))).toEqual(DRAWN);
  expect(await draw("a", false, () => expect(places.taken).toBe(1))).toEqual(DRAWN);
});

test("a page that is too much by what it sends is not drawn again, and not suspected", async () => {
  const { draw, places, suspects } = start();
  const release = await suspects.takePlace("a", 0);
  suspects.judge("a", { ...SLOW, retryable: false }, { isOpen: true });
  release?.();
  expect(await draw("a", false, () => expect(places.taken).toBe(1))).toEqual(DRAWN);
});

test("two suspects wait for one another, not for ever", async () => {
  const { suspects, places } = start();
  const held = await Promise.all(["a", "b", "c"].map(async (url) => suspects.takePlace(url, 0)));
  suspects.suspectAll();
  for (const release of held) release?.();
  const first = await suspects.takePlace("a", 1_000);
  const second = suspects.takePlace("b", 1_000);
  const third = suspects.takePlace("c", 100);
  const other = suspects.takePlace("d", 50);
  await vi.advanceTimersByTimeAsync(100);
  expect([await third, await other]).toEqual([null, null]);
  first?.();
  const release = await second;
  expect(places.taken).toBe(3);
  release?.();
  expect(places.taken).toBe(0);
});

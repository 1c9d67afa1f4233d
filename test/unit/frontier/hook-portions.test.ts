import fc from "fast-check";
import { expect, test } from "vitest";
import { HookProblem } from "../../../src/frontier/hook/hook-caller.ts";
import { askInPortions, MIN_ITEM_WEIGHT, PORTION } from "../../../src/frontier/hook/hook-portions.ts";

/** Questions about many items, in calls that may fail. */

const weightOf = (weight: number) => weight;

async function ask(weights: number[], calls: number, isBad: (weight: number) => boolean) {
  const items = weights.map((weight, i) => ({ weight, i }));
  const asked: { weight: number; i: number }[][] = [];
  const result = await askInPortions(
    items,
    ({ weight }) => weight,
    calls,
    async (portion) => {
      asked.push(portion);
      return portion.some(({ weight }) => isBad(weight)) ? new HookProblem("bad") : portion.map(({ i }) => i);
    },
  );
  return { items, asked, ...result };
}

test("each item is answered or has failed, once, within the calls that are left", async () => {
  const anyWeights = fc.array(fc.integer({ min: 1, max: 300_000 }), { maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(anyWeights, fc.integer({ min: 1, max: 40 }), fc.nat(20), async (weights, calls, share) => {
      const { items, asked, answers, failed } = await ask(weights, calls, (weight) => weight % 20 < share);
      const lost = failed.flatMap((portion) => portion.items);
      expect(new Set([...answers.keys(), ...lost])).toEqual(new Set(items));
      expect(answers.size + lost.length).toBe(items.length);
      for (const [item, answer] of answers) expect(answer).toBe(item.i);
      expect(asked.length).toBeLessThanOrEqual(calls);
    }),
  );
});

test("with calls enough, only an item that fails alone is lost", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1_000, max: 20_000 }), fc.nat(), async (count, at) => {
      const weights = Array.from({ length: count }, (_, i) =>
        i === at % count ? MIN_ITEM_WEIGHT + 1 : MIN_ITEM_WEIGHT,
      );
      const { failed, asked } = await ask(weights, 100, (weight) => weight > MIN_ITEM_WEIGHT);
      expect(asked.every((portion) => portion.length <= PORTION / MIN_ITEM_WEIGHT)).toBe(true);
      if (count > PORTION / MIN_ITEM_WEIGHT) expect(failed.flatMap(({ items }) => items)).toHaveLength(1);
    }),
    { numRuns: 30 },
  );
});

test("a hook that answers nothing is asked three times", async () => {
  const calls: number[] = [];
  const { failed } = await askInPortions(
    Array.from({ length: 50_000 }, () => MIN_ITEM_WEIGHT),
    weightOf,
    Number.POSITIVE_INFINITY,
    async (portion) => {
      calls.push(portion.length);
      return new HookProblem("down");
    },
  );
  expect(calls).toHaveLength(3);
  expect(failed.flatMap(({ items }) => items)).toHaveLength(50_000);
});

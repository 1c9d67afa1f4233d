import fc from "fast-check";
import { expect, test } from "vitest";
import {
  decideGrants,
  firstGrants,
  type Grant,
  type GrantUse,
  isLimitReached,
} from "../../../../src/crawl/shards/grants.ts";

/** A part as its ledger has it, and the changes that are on their way to it. */
interface Part extends GrantUse {
  coming: { target: number; number: number }[];
}

/** Applies a change as the statement of the ledger does. */
function apply(part: Part, { target, number }: { target: number; number: number }): void {
  if (number <= part.number) return;
  part.pageLimit = Math.max(target, Math.min(part.pageLimit, part.taken + part.moving));
  part.number = number;
}

function expectWithin(limit: number, parts: readonly Part[]): void {
  expect(parts.reduce((sum, { pageLimit }) => sum + pageLimit, 0)).toBeLessThanOrEqual(limit);
  for (const { taken, moving, pageLimit } of parts) expect(taken + moving).toBeLessThanOrEqual(pageLimit);
}

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("find" as const), part: fc.nat(), pages: fc.integer({ min: 1, max: 30 }) }),
    fc.record({ kind: fc.constant("end" as const), part: fc.nat(), isTaken: fc.boolean() }),
    fc.record({ kind: fc.constant("look" as const), seen: fc.nat() }),
    fc.record({ kind: fc.constant("apply" as const), part: fc.nat(), which: fc.nat() }),
    fc.record({ kind: fc.constant("lose" as const), part: fc.nat() }),
  ),
  { maxLength: 200 },
);

test("parts never take more pages than the limit, whatever comes late, twice, or not at all", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 5 }), steps, (limit, count, all) => {
      let notes = firstGrants(limit, count);
      const parts: Part[] = notes.map(({ bound, number }) => ({
        ...{ pageLimit: bound, number, taken: 0, moving: 0, waiting: 0, wantsMore: false, coming: [] },
      }));
      const move = (part: Part) => {
        const up = Math.max(0, Math.min(part.waiting, part.pageLimit - part.taken - part.moving));
        part.waiting -= up;
        part.moving += up;
      };
      const partAt = (i: number) => parts[i % count] as Part;
      for (const step of all) {
        if (step.kind === "look") {
          notes = decideGrants(limit, notes, parts);
          for (const [i, { target, number }] of notes.entries()) {
            if (number !== partAt(i).number) partAt(i).coming.push({ target, number });
          }
        } else if (step.kind === "apply") {
          const { coming } = partAt(step.part);
          // It stays, so it may come again.
          const change = coming[step.which % Math.max(1, coming.length)];
          if (change !== undefined) apply(partAt(step.part), change);
        } else if (step.kind === "lose") partAt(step.part).coming.pop();
        else if (step.kind === "find") partAt(step.part).waiting += step.pages;
        else if (partAt(step.part).moving > 0) {
          partAt(step.part).moving -= 1;
          if (step.isTaken) partAt(step.part).taken += 1;
        }
        for (const part of parts) move(part);
        expectWithin(limit, parts);
      }
    }),
  );
});

test("looks whose changes are applied come to an end at which the limit is taken, or nothing waits", () => {
  const finds = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), finds, (limit, found) => {
      let notes = firstGrants(limit, found.length);
      const parts: Part[] = notes.map(({ bound, number }, i) => ({
        ...{ pageLimit: bound, number, taken: 0, moving: 0, waiting: found[i] ?? 0, wantsMore: false, coming: [] },
      }));
      for (let looks = 0; looks < 100; looks++) {
        for (const part of parts) {
          const up = Math.max(0, Math.min(part.waiting, part.pageLimit - part.taken));
          part.waiting -= up;
          part.taken += up;
        }
        notes = decideGrants(limit, notes, parts);
        for (const [i, note] of notes.entries()) apply(parts[i] as Part, note);
      }
      const wanted = found.reduce((sum, pages) => sum + pages, 0);
      expect(isLimitReached(limit, parts)).toBe(wanted >= limit);
      expect(parts.reduce((sum, { taken }) => sum + taken, 0)).toBe(Math.min(limit, wanted));
    }),
  );
});

test("a lower limit takes back what is not in use, and a higher one is given out", () => {
  const use = { number: 0, taken: 0, moving: 0, waiting: 0, wantsMore: false };
  const parts: Part[] = [
    { ...use, pageLimit: 50, taken: 10, coming: [] },
    { ...use, pageLimit: 50, taken: 20, moving: 5, waiting: 100, coming: [] },
  ];
  let notes: Grant[] = firstGrants(100, 2);
  const look = (limit: number) => {
    notes = decideGrants(limit, notes, parts);
    for (const [i, note] of notes.entries()) apply(parts[i] as Part, note);
  };
  for (let i = 0; i < 10; i++) look(40);
  expect(parts.reduce((sum, { pageLimit }) => sum + pageLimit, 0)).toBeLessThanOrEqual(40);
  for (let i = 0; i < 10; i++) look(1_000);
  expect(parts[1]?.pageLimit).toBe(125);
});

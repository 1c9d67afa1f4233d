import { expect, test } from "vitest";

/** A module of this file's own: other files of the process read pages, whose shapes are kept for good. */
const OWN = "../../../src/core/shapes.ts?own";
const { keepShape, keepShapesOf } = (await import(OWN)) as typeof import("../../../src/core/shapes.ts");

test("what is made of a sample stays, and nothing else does", () => {
  const before = { page: 1 };
  keepShape(before);
  const held = keepShapesOf(() => keepShape({ sample: 1 }));
  keepShape({ page: 2 });
  expect(held).toEqual([{ sample: 1 }]);
});

test("a sample that cannot be worked on ends the keeping", () => {
  expect(() =>
    keepShapesOf(() => {
      throw new Error("broken");
    }),
  ).toThrow("broken");
  keepShape({ page: 3 });
  expect(keepShapesOf(() => undefined)).toEqual([{ sample: 1 }]);
});

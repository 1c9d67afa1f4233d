import { expect, test } from "vitest";
import { keepShape, keepShapesOf } from "../../../src/core/shapes.ts";

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

import { expect, it } from "vitest";
import { DatabaseSize, isDatabaseFull } from "../../../src/store/installation/database-size.ts";

it("knows the size that the last result said", () => {
  const size = new DatabaseSize();
  expect(size.bytes).toBeNull();
  size.note({ size_after: 4_096 });
  size.note({});
  size.note({ size_after: 0 });
  expect(size.bytes).toBe(4_096);
});

it.each([
  [new Error("D1_ERROR: Exceeded maximum DB size"), true],
  [new Error("D1_ERROR: database or disk is full: SQLITE_FULL"), true],
  [new Error("the ledger could not be written", { cause: new Error("D1_ERROR: Exceeded maximum DB size.") }), true],
  [new Error("D1_ERROR: string or blob too big: SQLITE_TOOBIG"), false],
  [new Error("D1_ERROR: D1 DB is overloaded. Too many requests queued."), false],
  [new Error("the mirror could not be written"), false],
  ["nothing", false],
])("tells a full database from other errors: %s", (error, isFull) => {
  expect(isDatabaseFull(error)).toBe(isFull);
});

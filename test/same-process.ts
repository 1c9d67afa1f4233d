import { afterAll, expect } from "vitest";

/**
 * Test files follow one another in one process, so a variable or a folder that one of them leaves behind changes the
 * next ones, and in another order none. Each file ends with those that it began with. This hook is registered first, so
 * it runs last.
 */

const before = surroundings();

afterAll(() => {
  const after = surroundings();
  const names = [...new Set([...before.keys(), ...after.keys()])];
  expect(
    names.filter((name) => before.get(name) !== after.get(name)),
    "left changed by this file",
  ).toEqual([]);
});

function surroundings(): Map<string, string | undefined> {
  // Vitest sets its own for each file.
  const variables = Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST"));
  return new Map([...variables, ["the working directory", process.cwd()]]);
}

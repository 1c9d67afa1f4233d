import fc from "fast-check";
import { expect, test } from "vitest";
import { parseFormFill, writeFormFill } from "../../../src/core/form-fill.ts";

test.each([
  ["#q=shoes,boots", "#q", ["shoes", "boots"]],
  ["input[name=q]=shoes", "input[name=q]", ["shoes"]],
  ['input[title="a = b"]=x', 'input[title="a = b"]', ["x"]],
  [".search input = a b , c ", ".search input", ["a b", "c"]],
  ["#q=1\\,5,2\\\\3", "#q", ["1,5", "2\\3"]],
  ["#q=a=b", "#q", ["a=b"]],
  ["#q=,,", "#q", []],
])("%s", (written, selector, values) => {
  expect(parseFormFill(written)).toEqual({ selector, values });
});

test.each(["#q", "", "=shoes", "input[name=q]"])("%j has no values", (written) => {
  expect(parseFormFill(written)).toBeNull();
});

test("What is written can be read again", () => {
  const value = fc.string({ minLength: 1 }).filter((text) => text.trim() === text);
  fc.assert(
    fc.property(fc.constantFrom("#q", "input[name=q]", 'input[a="="] b'), fc.array(value), (selector, values) => {
      expect(parseFormFill(writeFormFill({ selector, values }))).toEqual({ selector, values });
    }),
  );
});

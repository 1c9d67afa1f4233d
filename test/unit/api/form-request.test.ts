import { expect, test } from "vitest";
import { crawlRequest } from "../../../src/api/crawls/crawl-request.ts";

const mistakes = (forms: unknown): string[] =>
  crawlRequest
    .safeParse({ url: "https://a.test/", forms })
    .error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];
const fill = (selector: string, values: string[] = ["a"]) => ({ selector, values });
const many = (n: number, length: number) => Array<string>(n).fill("x".repeat(length));

test.each([
  [[fill("#q"), fill("form[role=search]"), fill(".search > input[name='q']")]],
  [[fill("#q", many(1_000, 200))]],
  [Array(20).fill(fill("#q"))],
])("forms are taken: %#", (forms) => {
  expect(mistakes(forms)).toEqual([]);
});

test.each([
  [[fill("input:not([type])")], 'forms.0.selector: "input:not([type])" has a pseudo'],
  [[fill("#q"), fill("[")], 'forms.1.selector: "[" is not a CSS selector'],
  [[fill("#q", [])], "forms.0.values: "],
  [[fill("#q", [""])], "forms.0.values.0: "],
  [[fill("#q", many(1_001, 1))], "forms.0.values: "],
  [[fill("#q", many(1, 501))], "forms.0.values.0: "],
  [Array(21).fill(fill("#q")), "forms: "],
  [[fill("#q", many(500, 300)), fill("#r", many(500, 300))], "forms: the values have 300000 characters"],
  [["#q=a"], "forms.0: "],
])("forms are refused: %#", (forms, expected) => {
  expect(mistakes(forms)).toEqual([expect.stringContaining(expected)]);
});

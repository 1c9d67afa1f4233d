import fc from "fast-check";
import { expect, test } from "vitest";
import {
  addressShape,
  changedShapes,
  lineShape,
  type NumbersOfPage,
  numbersOf,
} from "../../../src/scope/number-shapes.ts";
import { sayingsOf } from "../../../src/scope/page-sayings.ts";

const numbersIn = (text: string, links: string[] = [], pictures: string[] = []): NumbersOfPage =>
  numbersOf(sayingsOf({ url: "https://a.test/p", title: null, text, links, pictures }, () => false));

test.each([
  ["Made in 0.12 s", "made in 13.4 s"],
  ["Made in 0.12s", "Made in 1s"],
  ["You are visitor 12,345", "You are visitor 999"],
  ["Thursday, 26 November 2026, 23:59:58", "Friday, 27 November 2026, 0:03:01"],
  ["Stand: 3. Dezember 2026", "Stand: 14. Januar 2027"],
  ["Request 8f3ac01", "Request 77b2"],
  ["生成时间0.12秒", "生成时间3秒"],
])("%s and %s have one shape", (line, other) => {
  expect(lineShape(line)).not.toBeNull();
  expect(lineShape(line)?.()).toBe(lineShape(other)?.());
});

test.each([
  ["Made in 0.12 s", "Weight 0.12 g"],
  ["Length 12 mm", "Width 12 mm"],
  ["价格5元", "重量5克"],
  ["Made in 0.12 s", "Made in s"],
  ["May 5 be with you", "June be with you"],
])("%s and %s have not", (line, other) => {
  expect(lineShape(line)?.()).not.toBe(lineShape(other)?.());
});

test("a line without numbers has no shape, and neither has an address without numbers in its query", () => {
  for (const line of ["About us", "Monday", ""]) expect(lineShape(line)).toBeNull();
  for (const address of ["https://a.test/17", "https://a.test/17?a=b"]) expect(addressShape(address)).toBeNull();
  expect(addressShape("https://a.test/hit?r=0.17")?.()).toBe(addressShape("https://a.test/hit?r=ab3")?.());
  expect(addressShape("https://a.test/hit?r=1")?.()).not.toBe(addressShape("https://a.test/hit?q=1")?.());
  expect(addressShape("https://a.test/hit?r=1")?.()).not.toBe(addressShape("https://a.test/other?r=1")?.());
});

const shapesOf = (...lines: string[]) => lines.map((line) => lineShape(line)?.());

test.each<[string, string, string, string[]]>([
  ["a time", "Price 5 EUR\nMade in 3 s", "Price 5 EUR\nMade in 4 s", ["Made in 3 s"]],
  ["a clock in words", "Monday, 1 May 2026, 9:00", "Tuesday, 2 May 2026, 9:01", ["Monday, 1 May 2026, 9:00"]],
  ["several times of one shape", "3 minutes ago\n9 minutes ago", "4 minutes ago\n10 minutes ago", ["3 minutes ago"]],
  ["nothing", "Price 5 EUR\nWeight 3 g", "Price 5 EUR\nWeight 3 g", []],
  ["prices drawn by lot beside the own one", "Price 5 EUR\nPrice 8 EUR", "Price 5 EUR\nPrice 9 EUR", []],
  ["a line that has gone", "Price 5 EUR\nOnly 3 left", "Price 5 EUR", []],
])("finds what changes: %s", (_, first, second, changed) => {
  expect(changedShapes(numbersIn(first), numbersIn(second))).toEqual(shapesOf(...changed));
});

test("an address changes if it is the only one of its shape: several are a list", () => {
  const pixel = (n: number) => `https://a.test/hit?r=${n}`;
  const item = (n: number) => `https://a.test/item?id=${n}`;
  const [first, second] = [
    numbersIn("", [item(1), item(2)], [pixel(1)]),
    numbersIn("", [item(3), item(4)], [pixel(2)]),
  ];
  expect(changedShapes(first, second)).toEqual([addressShape(pixel(1))?.()]);
});

test("nothing has changed on a page that says the same", () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z 0-9.:@]{0,20}$/)), fc.array(fc.nat()), (lines, numbers) => {
      const page = numbersIn(
        lines.join("\n"),
        numbers.map((n) => `https://a.test/${n % 3}?n=${n}`),
      );
      expect(changedShapes(page, page)).toEqual([]);
    }),
    { numRuns: 50 },
  );
});

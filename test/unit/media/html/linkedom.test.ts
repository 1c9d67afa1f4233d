import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseHtml } from "../../../../src/media/html/tree/linkedom.ts";
import { messyHtml } from "./messy-html.ts";

const names = (html: string) => parseHtml(html).all.map((element) => element.localName);
const first = (html: string) => parseHtml(html).all[0];

describe("what linkedom makes of odd documents", () => {
  test.each([
    ["", []],
    ["plain text", []],
    ["text<p>more", ["p"]],
    ["<p>no html element", ["p"]],
    ["<div><a href=x>unclosed", ["div", "a"]],
    ["<p>one<p>two<li>three<li>four", ["p", "p", "li", "li"]],
    ["</div></p></br>stray", ["p", "br"]],
    ["<script><a href=x></script><style><b></style><textarea><i></textarea>", ["script", "style", "textarea"]],
    ["<title><b>text</b></title>", ["title"]],
    ["<noscript><a></a></noscript>", ["noscript", "a"]],
    ["<!-- <a> --><b>", ["b"]],
    ["<!-- <a>", []],
    ["<!-- <a> --!><b>", ["b"]],
    ["<!-- <a> -- > <i> --><b>", ["b"]],
    ["<a\0><b>", ["a\uFFFD", "b"]],
    ["<!DOCTYPE html><!DOCTYPE html><p>", ["p"]],
    ["<canvas><a></canvas>", ["canvas", "a"]],
    ["<svg><foreignObject><a></a></foreignObject></svg><b>", ["svg", "foreignobject", "a", "b"]],
    ["<a href='x", []],
    ["<svg><a href=", ["svg"]],
    ["</html><p></body><p>", ["p", "p"]],
    ["...", ["html", "head", "body"]],
  ])("%j", (html, expected) => expect(names(html)).toEqual(expected));

  test("no call changes the tree that it reads", () => {
    const document = parseHtml("<p>");
    expect(document.all).toHaveLength(1);
    expect(document.all).toHaveLength(1);
  });
});

describe("attributes", () => {
  test.each([
    ["<A HREF=x>", "href", "x"],
    ["<a HREF=1 href=2>", "href", "1"],
    ["<a href=1 href=2>", "href", "1"],
    ["<a href>", "href", ""],
    ["<a href=&#x68;ttp://x&amp;y>", "href", "http://x&y"],
    ["<a href=/a/>", "href", "/a/"],
    ["<a href='a\"b'>", "href", 'a"b'],
    ["<svg VIEWBOX=x>", "viewbox", "x"],
    ["<a __proto__=x constructor=y href=z>", "href", "z"],
    ["<a CLASS=' b  c '>", "class", "b c"],
    ["<a href='x\0'>", "href", "x\uFFFD"],
    ["<a>", "href", null],
  ])("%j", (html, name, value) => expect(first(html)?.getAttribute(name)).toBe(value));
});

describe("bounds", () => {
  const hostile: [string, string, RegExp | null][] = [
    ["100,000 nested elements", "<div>".repeat(100_000), /nested deeper than 5000/],
    ["100,000 nested svg", "<svg>".repeat(100_000), /nested deeper/],
    ["100,000 nested templates", "<template>".repeat(100_000), /nested deeper/],
    ["5,000 nested elements", "<div>".repeat(5_000), null],
    ["600,000 elements", "<br>".repeat(600_000), /more than 500000 nodes/],
    ["a million attributes", `<a ${Array.from({ length: 1_000_000 }, (_, at) => `a${at}`).join(" ")}>`, /more than/],
    ["100,000 siblings", "<p>a".repeat(100_000), null],
    ["200,000 class names", `<a class="${"a ".repeat(200_000)}"><svg class="${"a ".repeat(200_000)}">`, null],
    ["a million unfinished tags", "<a ".repeat(1_000_000), null],
    ["a million end tags", "</x>".repeat(1_000_000), null],
    [
      "2,000 elements under a million end tags",
      `${"<b>".repeat(2_000)}${"</q>".repeat(1_000_000)}`,
      /deeper than 1000 /,
    ],
    ["3,000 svg elements under a million end tags", `${"<svg>".repeat(3_000)}${"</q>".repeat(1_000_000)}`, /deeper/],
    ["a comment of ten million", `<!--${"-".repeat(10_000_000)}`, null],
  ];
  test.each(hostile)("%s", (_, html, error) => {
    if (error === null) parseHtml(html);
    else expect(() => parseHtml(html)).toThrow(error);
  });

  test("a page that was refused leaves nothing behind for the next", () => {
    expect(() => parseHtml("<div>".repeat(6_000))).toThrow(RangeError);
    expect(names("<p>".repeat(4_000))).toHaveLength(4_000);
  });
});

test("no node is kept in a WeakMap, and events cost nothing", () => {
  const { set } = WeakMap.prototype;
  let calls = 0;
  WeakMap.prototype.set = function (key, value) {
    calls += 1;
    return set.call(this, key, value);
  };
  try {
    parseHtml("<p class=a>text<svg><a></a></svg>");
  } finally {
    WeakMap.prototype.set = set;
  }
  expect(calls).toBe(0);
});

test("any text can be parsed", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), messyHtml), (html) => {
      for (const element of parseHtml(html).all) expect(element.localName).toBe(element.localName.toLowerCase());
    }),
    { numRuns: 1_000 },
  );
});

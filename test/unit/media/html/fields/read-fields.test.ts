import { describe, expect, test } from "vitest";
import type { FieldReading, FieldRules } from "../../../../../src/media/html/fields/field-rule.ts";
import { valuesOf } from "../../../../../src/media/html/fields/field-rule.ts";
import { readFields } from "../../../../../src/media/html/fields/read-fields.ts";
import { parseHtml } from "../../../../../src/media/html/tree/linkedom.ts";
import { cpuMsOf } from "../../../cpu-time.ts";
import { PAGES } from "./kinds-of-pages.ts";

const URL = "https://example.com/page";

function read(html: string, rules: FieldRules, language: string | null = "en", url = URL): FieldReading[] {
  return readFields(parseHtml(html), rules, { url, base: url, language });
}

function one(html: string, rule: FieldRules[string], name = "field", language: string | null = "en"): FieldReading {
  return read(html, { [name]: rule }, language)[0] as FieldReading;
}

test.each(PAGES.map((page) => [page.kind, page] as const))("%s", (_, { html, url, rules, values }) => {
  const language = /<html lang="([^"]*)"/.exec(html)?.[1] ?? null;
  expect(valuesOf(read(html, rules, language, url))).toEqual(values);
});

describe("why a field has a value", () => {
  test.each<[string, string, FieldRules[string], Partial<FieldReading>]>([
    [
      "JSON-LD goes before the selector",
      `<script type="application/ld+json">{"@type":"Product","offers":{"price":"5"}}</script><b>6</b>`,
      { schema: "Product.offers.price", selector: "b", as: "number" },
      { value: 5, from: "json-ld", by: "Product.offers.price", written: "5", problem: null },
    ],
    [
      "the selector is the fallback",
      "<b>6</b>",
      { schema: "Product.offers.price", selector: "b", as: "number" },
      { value: 6, from: "selector", by: "b" },
    ],
    ["an element without a class", "<b class=x>5</b><b>6</b>", { selector: "b:not([class])" }, { value: "6" }],
    ["an element with a class", "<b>5</b><b class=x>6</b>", { selector: "b[class]" }, { value: "6" }],
    ["an empty class is no missing one", "<b>5</b><b class>6</b>", { selector: "b[class='']" }, { value: "6" }],
    [
      "JSON-LD goes before microdata",
      `<script type="application/ld+json">{"@type":"Product","name":"a"}</script><p itemscope itemtype="https://schema.org/Product"><i itemprop="name">b</i></p>`,
      { schema: "Product.name" },
      { value: "a", from: "json-ld" },
    ],
    [
      "a value that does not fit the type is passed over",
      "<b>soon</b><b>7</b>",
      { selector: "b", as: "number" },
      { value: 7, from: "selector", note: null },
    ],
    [
      "an ambiguous number says how it was decided",
      "<b>1.234</b>",
      { selector: "b", as: "number" },
      { value: 1.234, note: "1.234 is 1.234: the page's language is en" },
    ],
    [
      "the first of several things",
      `<script type="application/ld+json">[{"@type":"Product","name":"a"},{"@type":"Product","name":"b"}]</script>`,
      { schema: "Product.name" },
      { value: "a", note: "2 things of the page have one; the first counts" },
    ],
    [
      "a time without a zone",
      "<b>5 March 2026, 20:00</b>",
      { selector: "b", as: "date" },
      { value: "2026-03-05", note: "its time is left out, because it names no time zone" },
    ],
    [
      "a shadow root that is declared",
      `<template shadowrootmode="open"><b>x</b></template>`,
      { selector: "b" },
      { value: "x" },
    ],
  ])("%s", (_, html, rule, expected) => {
    expect(one(html, rule)).toMatchObject(expected);
  });
});

describe("why a field has no value", () => {
  test.each<[string, string, FieldRules[string], string]>([
    ["nothing matches", "<p>x</p>", { selector: ".price" }, ".price matches nothing"],
    [
      "a part of the selector matches",
      `<div id="a"><p>x</p></div><div id="a2">y</div>`,
      { selector: "#a > p > b" },
      "#a > p > b matches nothing; #a > p matches one element",
    ],
    ["no number", "<b>soon</b>", { selector: "b", as: "number" }, "b matches, but there is no number in the text"],
    [
      "a date that may be either way round",
      "<b>03/04/2026</b>",
      { selector: "b", as: "date" },
      'b matches, but the day or the month may be first in "03/04/2026", and its language, en, does not say',
    ],
    [
      "no date",
      "<b>yesterday</b>",
      { selector: "b", as: "date" },
      'b matches, but "yesterday" is no date with a year, a month and a day',
    ],
    [
      "no attribute",
      "<b>x</b>",
      { selector: "b", attribute: "data-x" },
      "b matches, but the element has no attribute data-x",
    ],
    [
      "no address",
      "<b>x</b>",
      { selector: "b", as: "url" },
      "b matches, but the b has no address: choose the link in it, or name an attribute",
    ],
    [
      "an address that runs",
      `<a href="javascript:alert(1)">x</a>`,
      { selector: "a", as: "url" },
      'a matches, but "javascript:alert(1)" is not the address of a page or a file',
    ],
    ["an empty element", "<b> </b>", { selector: "b" }, "b matches, but it is empty"],
    [
      "JSON-LD that is broken",
      `<script type="application/ld+json">{"@type": "Product", "name": </script>`,
      { schema: "Product.name" },
      "no JSON-LD and no microdata of the page has Product.name (one block of JSON-LD cannot be read)",
    ],
    ["elements in a template", "<template><b>x</b></template>", { selector: "b" }, "b matches nothing"],
    [
      "neither",
      "<p>x</p>",
      { schema: "Product.name", selector: "b" },
      "no JSON-LD and no microdata of the page has Product.name; b matches nothing",
    ],
  ])("%s", (_, html, rule, problem) => {
    expect(one(html, rule)).toEqual({
      name: "field",
      value: null,
      from: null,
      by: null,
      written: null,
      note: null,
      problem,
    });
  });

  test("a name says nothing where a page describes several things", () => {
    const products = ["1", "2"].map((price) => ({ "@type": "Product", offers: { price } }));
    const html = `<script type="application/ld+json">${JSON.stringify(products)}</script>`;
    expect(one(html, {}, "price").problem).toBe(
      "2 things of the page have another offers.price each: name a type, or a selector",
    );
  });

  test("a name that no data of the page has", () => {
    expect(one("<p class=price>5</p>", {}, "price").problem).toBe(
      "no JSON-LD, microdata or meta element of the page has it: name a selector",
    );
  });
});

describe("a hostile page", () => {
  const many = (n: number, html: string) => html.repeat(n);

  test.each<[string, string, FieldRules, (string | number | string[] | null)[]]>([
    [
      "an attribute of a megabyte",
      `<b data-x="${"x".repeat(1 << 20)}">y</b>`,
      { a: { selector: "b", attribute: "data-x" }, b: { selector: "b" } },
      ["x".repeat(4_000), "y"],
    ],
    ["a class of a megabyte", `<b class="${"x ".repeat(1 << 19)}">y</b>`, { a: { selector: "b.x" } }, ["y"]],
    [
      "a text of a megabyte",
      `<b>${"x".repeat(1 << 20)}</b>`,
      { a: { selector: "b" }, n: { selector: "b", as: "number" } },
      ["x".repeat(4_000), null],
    ],
    ["digits of a megabyte", `<b>${"1".repeat(1 << 20)}</b>`, { n: { selector: "b", as: "number" } }, [null]],
    ["dots and digits", `<b>${"1.".repeat(240)}</b>`, { n: { selector: "b", as: "number" } }, [null]],
    [
      "JSON-LD that is too deep",
      `<script type="application/ld+json">${'{"a":'.repeat(1_000)}1${"}".repeat(1_000)}</script>`,
      { a: { schema: "Product.a" } },
      [null],
    ],
    [
      "JSON-LD of no use",
      `<script type="application/ld+json">null</script><script type="application/ld+json">[[[]]]</script><b>y</b>`,
      { a: { schema: "Product.a", selector: "b" } },
      ["y"],
    ],
    [
      "names of the prototype",
      `<p itemscope itemtype="x/Product"><b itemprop="__proto__">y</b><b itemprop="constructor">z</b></p>`,
      { constructor: { schema: "Product.constructor" }, toString: {} },
      ["z", null],
    ],
    ["a list of 10,000", many(10_000, "<li>x</li>"), { a: { selector: "li", as: "list" } }, [Array(200).fill("x")]],
    [
      "more than fits into a row",
      many(10, `<p>${"x".repeat(3_000)}</p>`),
      { a: { selector: "p" }, b: { selector: "p" }, c: { selector: "p" } },
      ["x".repeat(3_000), "x".repeat(3_000), null],
    ],
    ["a NUL and half a pair", "<b>a\0\ud800b</b>", { a: { selector: "b" } }, ["a\ufffd\ud800b"]],
  ])("%s", (_, html, rules, values) => {
    expect(read(html, rules).map(({ value }) => value)).toEqual(values);
  });

  test.each([
    ["descendants", "a b c d e f g h i"],
    ["siblings", "br ~ br ~ br ~ b"],
    ["places", "br:nth-last-child(3n+2):nth-of-type(70000)"],
    ["has in has", "div:has(div:has(div:has(div:has(b))))"],
    ["texts", 'div:contains("x"):contains("y")'],
    ["nots", `b${":not(div b)".repeat(40)}`],
    ["attributes", '[class*="x"] [class*="x"] [class*="z"]'],
  ])("%s of a page that is deep and long take bounded time", (_, selector) => {
    const html = `${"<div class=x>".repeat(1_500)}${many(60_000, "<br>")}`;
    const document = parseHtml(html);
    const facts = { url: URL, base: URL, language: "en" };
    let readings: FieldReading[] = [];
    const ms = cpuMsOf(() => {
      readings = readFields(document, { a: { selector }, b: { selector: "h1" } }, facts);
    });
    expect(readings.map(({ value }) => value)).toEqual([null, null]);
    expect(ms).toBeLessThan(3_000);
  });
});

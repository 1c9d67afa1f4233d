import fc from "fast-check";
import { expect, test } from "vitest";
import { FieldPage } from "../../../../../src/media/html/fields/field-page.ts";
import { findFieldProblems } from "../../../../../src/media/html/fields/field-problems.ts";
import { Selecting } from "../../../../../src/media/html/fields/match-selector.ts";
import { type FieldProposal, proposeFields } from "../../../../../src/media/html/fields/propose-fields.ts";
import { readFields } from "../../../../../src/media/html/fields/read-fields.ts";
import { selectorProblem } from "../../../../../src/media/html/fields/selector-problem.ts";
import { parseHtml } from "../../../../../src/media/html/tree/linkedom.ts";
import { cpuMsOf } from "../../../cpu-time.ts";
import { PAGES } from "./kinds-of-pages.ts";

const FACTS = { url: "https://a.test/", base: "https://a.test/", language: "en" };
const propose = (html: string): FieldProposal[] => proposeFields(new FieldPage(parseHtml(html), FACTS));

test.each(PAGES.map(({ kind, html, url }) => [kind, html, url] as const))(
  "each proposal for %s reads what it shows",
  (_, html, url) => {
    const facts = { ...FACTS, url, base: url };
    const document = parseHtml(html);
    const proposals = proposeFields(new FieldPage(document, facts));
    expect(proposals.length).toBeGreaterThan(1);
    const rules = Object.fromEntries(proposals.map(({ name, rule }) => [name, rule]));
    expect(Object.keys(rules), "each has a name of its own").toHaveLength(proposals.length);
    for (const { name, rule, text } of proposals) {
      expect(findFieldProblems({ [name]: rule })).toEqual([]);
      const asShown = rule.as === "url" ? rule : { ...rule, as: "text" as const };
      const [read] = readFields(document, { [name]: asShown }, facts);
      expect(read?.problem, `${name} ${JSON.stringify(rule)}`).toBeNull();
      if (rule.as !== "url") expect(String(read?.value)).toContain(text.replace(/…$/, ""));
    }
  },
);

test.each<[string, string, string[]]>([
  ["an id", `<p id="price">5 €</p>`, ["#price"]],
  ["names for tests before classes", `<p class="a" data-testid="price">5</p>`, ['p[data-testid="price"]']],
  ["a class, but none that a build made", `<p class="css-1q8dd3e sc-bdVaJa price">5</p>`, ["p.price"]],
  ["the label before a cell", `<table><tr><th>Weight:</th><td>5 kg</td></tr></table>`, ['th:contains("Weight") + td']],
  ["one rule for a list", `<ul id="list"><li>a</li><li>b</li></ul>`, ["#list li"]],
  [
    "a place where nothing else is there",
    `<div id="box"><p>1</p><p>2</p></div>`,
    ["#box p", "#box > p:nth-of-type(2)"],
  ],
  ["nothing of menus and footers", `<nav><p id="a">1</p></nav><footer><p id="b">2</p></footer>`, []],
  ["nothing without a text", `<p id="a"></p><div id="b"><p></p></div>`, []],
])("%s", (_, html, selectors) => {
  expect(propose(html).map(({ rule }) => rule.selector)).toEqual(selectors);
});

test("a list says how many elements it has", () => {
  expect(propose(`<ul id="list"><li>a</li><li>b</li></ul>`)).toMatchObject([{ count: 2, rule: { as: "list" } }]);
});

test("a page that is long and deep costs a bounded time", () => {
  const html = `${"<div>".repeat(300)}${'<p class="a">text</p>'.repeat(20_000)}`;
  let proposals: FieldProposal[] = [];
  const document = parseHtml(html);
  const ms = cpuMsOf(() => {
    proposals = proposeFields(new FieldPage(document, FACTS));
  });
  expect(proposals.length).toBeLessThanOrEqual(210);
  expect(ms).toBeLessThan(5_000);
});

test.each<[string, Parameters<typeof findFieldProblems>[0], string]>([
  [
    "a pseudo-element",
    { a: { selector: "p::before" } },
    'a.selector: "p::before" has ::before, which is no element of the page',
  ],
  ["no selector", { a: { selector: "p[" } }, 'a.selector: "p[" is not a CSS selector: '],
  ["an empty selector", { a: { selector: " " } }, 'a.selector: " " is empty'],
  ["a long selector", { a: { selector: `p${".x".repeat(300)}` } }, "is longer than 500 characters"],
  [
    "no path",
    { a: { schema: "Product..price" } },
    'a.schema: "Product..price" is not a path of properties, such as Product.offers.price or offers.price',
  ],
  ["a type alone", { a: { schema: "Product" } }, 'a.schema: "Product" names a type without a property'],
  ["no name", { "1 a": {} }, '1 a: "1 a" is no name of a field'],
  ["a name of the prototype", { ["__proto__" as string]: {}, a: {} }, ""],
  ["an attribute without a selector", { a: { attribute: "x" } }, "a.attribute: an attribute needs a selector"],
  ["no attribute", { a: { selector: "p", attribute: "a b" } }, 'a.attribute: "a b" is no name of an attribute'],
  [
    "too many",
    Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`f${i}`, {}])),
    ": there are 51 fields; at most 50 are possible",
  ],
])("%s", (_, rules, message) => {
  expect(
    findFieldProblems(rules)
      .map(({ path, message }) => `${path.join(".")}: ${message}`)
      .join(),
  ).toContain(message);
});

test("a selector has no problem where css-select can compile it", () => {
  const part = fc.constantFrom(
    ..."p .a #b [c] [d=e] [f*='g'] * :root :empty :first-child :hover ::before :nth-child(2n+1) :nth-child(x) :nth-of-type(odd) :nth-child".split(
      " ",
    ),
    ..."svg|a *|b :is(p) :not(.a) :has(>b) :where() :contains('x') :contains() :unknown :not(::before) :first-child(1) :checked :eq(1)".split(
      " ",
    ),
  );
  const selector = fc
    .array(fc.tuple(part, fc.constantFrom("", " ", ">", " + ", "~", ",", "||")), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.map(([each, sign]) => each + sign).join(""));
  const selecting = new Selecting(parseHtml("<div><p class=a><b c>x</b></p><p id=b>y</p></div>"));
  fc.assert(
    fc.property(selector, (written) => {
      if (selectorProblem(written, "fields") === null) expect(() => [...selecting.matches(written)]).not.toThrow();
    }),
    { numRuns: 1_000 },
  );
});

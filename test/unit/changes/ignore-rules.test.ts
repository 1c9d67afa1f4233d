import { describe, expect, test } from "vitest";
import { compileRules, findRuleProblems, NO_RULES } from "../../../src/changes/ignore-rules.ts";
import { cpuMsOf } from "../cpu-time.ts";
import { versionOfHtml } from "./version.ts";

describe("mistakes in rules", () => {
  test.each([
    [{ patterns: [""] }, 'patterns: "" is empty'],
    [{ patterns: ["* *"] }, 'patterns: "* *" matches every text; write the words that it stands beside'],
    [{ patterns: [`a${"*b".repeat(11)}`] }, 'patterns: "a*b*b*b*b*b*b*b*b*b*b*b" has more than 10 stars'],
    [{ urls: ["x".repeat(501)] }, `urls: "${"x".repeat(80)}" is longer than 500 characters`],
    [{ urls: Array(101).fill("/a") }, "urls: there are 101; at most 100 are possible"],
    [{ selectors: ["div["] }, 'selectors: "div[" is not a CSS selector: Expected name, found '],
    [
      { selectors: ["p:has(a)"] },
      'selectors: "p:has(a)" has a pseudo; only names, classes, ids, attributes, spaces and > are possible',
    ],
    [{ selectors: ["a b c d e"] }, 'selectors: "a b c d e" has more than 8 parts'],
    [{ leastShare: 1.5 }, "leastShare: 1.5 is not between 0 and 1"],
    [{ leastShare: Number.NaN }, "leastShare: NaN is not between 0 and 1"],
  ])("%j", (rules, problem) => {
    const problems = findRuleProblems({ ...NO_RULES, ...rules });
    expect(problems.map(({ field, message }) => `${field}: ${message}`)).toEqual([problem]);
  });

  test("good rules have none", () => {
    const rules = {
      urls: ["/docs/**"],
      selectors: ["#side > .ad[data-x]", "*"],
      patterns: ["Posted * ago"],
      leastShare: 0,
    };
    expect(findRuleProblems(rules)).toEqual([]);
  });
});

describe("ignored text", () => {
  test.each([
    ["Last updated *", "Last updated yesterday by Jo", ""],
    ["Posted * ago", "Posted 3 days ago by Jo", "… by Jo"],
    ["Posted * ago", "Posted 3 days ago, seen 2 days ago, Posted a week ago", "…, seen 2 days ago, …"],
    ["* views", "1,234 views today", "… today"],
    ["token", "a token and a token", "a … and a …"],
    ["Posted * ago", "Nothing of it", "Nothing of it"],
    ["“A” – b", 'The "A" - b', "The …"],
  ])("%j cuts %j to %j", (pattern, text, left) => {
    expect(compileRules({ ...NO_RULES, patterns: [pattern] }).cutIgnored(text)).toBe(left);
  });

  test("a hostile pattern takes no time on a hostile text", () => {
    const { cutIgnored } = compileRules({ ...NO_RULES, patterns: Array(100).fill("a*a*a*a*a*a*a*a*a*a*b") });
    expect(cpuMsOf(() => cutIgnored("a".repeat(1_000_000)))).toBeLessThan(10_000);
  });
});

test("URLs are ignored by globs", () => {
  const { isIgnoredUrl } = compileRules({ ...NO_RULES, urls: ["/news/**"] });
  expect(isIgnoredUrl("https://example.com/news/1")).toBe(true);
  expect(isIgnoredUrl("https://example.com/docs/1")).toBe(false);
});

test.each([[".ad"], ["#box > p"], ["main [data-kind=ad]"], ["h2, div.ad"]])(
  "the reader leaves out the elements that %j selects",
  (selector) => {
    const html = `<main><h1>Tea</h1><p>Tea is made of leaves.</p>
      <div class="ad" id="box" data-kind="ad"><p>Buy tea now.</p></div></main>`;
    expect(versionOfHtml(html).blocks).toContain("Buy tea now.");
    expect(versionOfHtml(html, [selector]).blocks).toEqual(["Tea", "Tea is made of leaves."]);
  },
);

test("a selector takes little time on a deep page", () => {
  const html = `${"<div>".repeat(2_000)}${"<p>Tea</p>".repeat(20_000)}${"</div>".repeat(2_000)}`;
  const without = cpuMsOf(() => versionOfHtml(html));
  expect(cpuMsOf(() => versionOfHtml(html, [".x div > div div p"]))).toBeLessThan(without + 5_000);
});

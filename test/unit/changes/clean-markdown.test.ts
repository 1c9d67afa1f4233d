import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanMarkdown } from "../../../src/changes/template/clean-markdown.ts";

/** The text of a page whose lines after "-" were left out. */
function sorted(...lines: string[]) {
  return { lines: lines.map((line) => line.replace(/^-/, "")), stays: lines.map((line) => !line.startsWith("-")) };
}

test.each<[string, string, ReturnType<typeof sorted>, string]>([
  ["a paragraph", "Home\n\nOwn", sorted("-Home", "Own"), "Own"],
  ["a heading", "## Menu\n\nOwn", sorted("-Menu", "Own"), "Own"],
  ["a list of links", '- [Home](/a_(b))\n- [News](/n "New (s)")\n\nOwn', sorted("-Home", "-News", "Own"), "Own"],
  ["a numbered list", "1. Home\n2. Own", sorted("-Home", "Own"), "2. Own"],
  ["emphasis and escapes", "**Snake\\_case** _is_ `here`\n\nOwn", sorted("-Snake_case is here", "Own"), "Own"],
  ["a quotation", "> Home\n>\n> Own", sorted("-Home", "Own"), "> Own"],
  ["a table", "| a | b |\n| --- | --- |\n| c | d |\n\nOwn", sorted("-a\tb", "-c\td", "Own"), "Own"],
  [
    "no table with an own row",
    "| a | b |\n| - | - |\n| c | d |",
    sorted("-a\tb", "c\td"),
    "| a | b |\n| - | - |\n| c | d |",
  ],
  ["no code", "```\nHome\n```\n\nHome\n\nOwn", sorted("-Home", "-Home", "Own"), "```\nHome\n```\n\nOwn"],
  ["no image", "![Plan](p.png) Home\n\nOwn", sorted("-Home", "Own"), "![Plan](p.png) Home\n\nOwn"],
  ["no line that could be one that stays", "C\n\nC++", sorted("-C", "C++"), "C\n\nC++"],
  ["no item with own text below", "- Home\n  - Own\n- Next", sorted("-Home", "Own", "-Next"), "- Home\n  - Own"],
  ["nothing of indented code", "Home\n\n```\n    deep\n```", sorted("-Home", "    deep"), "```\n    deep\n```"],
  ["a line of a paragraph", "Own\\\nHome", sorted("Own", "-Home"), "Own"],
  ["a link of code", "- [`git add`](/a)\n\nOwn", sorted("-git add", "Own"), "Own"],
  ["no escaped bracket", "Home \\](own words)\n\nOwn", sorted("-Home", "Own"), "Home \\](own words)\n\nOwn"],
  ["no bracket in code", "Home `](words)`\n\nOwn", sorted("-Home", "Own"), "Home `](words)`\n\nOwn"],
  ["no unclosed link", "[Home](/a\n\nOwn", sorted("-Home", "Own"), "[Home](/a\n\nOwn"],
  ["nothing", "A\n\n\\B", sorted("A", "B"), "A\n\n\\B"],
])("leaves out %s", (_, markdown, text, cleaned) => {
  expect(cleanMarkdown(markdown, text)).toBe(cleaned);
});

test("lines with letters that no left line has stay", () => {
  const word = fc.constantFrom("Home", "Own", "[Home](/h)", "- Own", "| Home |", "```", "> Home", "# Own", "", "  x");
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), (lines) => {
      const left = cleanMarkdown(lines.join("\n"), sorted("-Home", "Own"));
      const count = (text: string) => text.split("Own").length;
      expect(count(left)).toBe(count(lines.join("\n")));
    }),
  );
});

test("takes time linear in hostile Markdown", () => {
  const text = sorted("-Home", "Own");
  for (const hostile of [
    "](".repeat(50_000),
    "](a".repeat(50_000),
    "`a``b```c".repeat(20_000),
    "- ".repeat(50_000),
    "```\n".repeat(20_001),
  ])
    expect(cleanMarkdown(`${hostile}\n\nOwn`, text)).toContain("Own");
  const deep = Array.from({ length: 3_000 }, (_, depth) => `${" ".repeat(depth)}- Home`).join("\n");
  expect(cleanMarkdown(`${deep}\n\nOwn`, text)).toBe("Own");
});

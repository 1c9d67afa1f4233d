import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanMarkdown } from "../../../src/changes/template/clean-markdown.ts";
import { markdownKey } from "../../../src/changes/template/line-keys.ts";

/** The template of siblings that have these lines in common. */
function templateOf(...lines: string[]) {
  return { markdown: new Set(lines.map((line) => markdownKey(line) ?? "")) };
}

test.each<[string, string, string[], string]>([
  ["a paragraph", "Home\n\nOwn", ["Home"], "Own"],
  ["a heading", "## Menu\n\nHome\n\nOwn", ["Menu", "Home"], "Own"],
  ["no heading with own text below", "## Menu\n\nOwn", ["Menu"], "## Menu\n\nOwn"],
  ["a list of links", '- [Home](/a_(b))\n- [News](/n "New (s)")\n\nOwn', ["[Home](/)", "[News](/)"], "Own"],
  ["a link with another target", "[Next](/page-3)\n\nOwn", ["[Next](/page-2)"], "Own"],
  ["a numbered list", "1. Home\n2. Own", ["Home"], "2. Own"],
  ["no other emphasis", "**Home** here\n\nOwn", ["Home here"], "**Home** here\n\nOwn"],
  ["a quotation", "> Home\n>\n> Own", ["Home"], "> Own"],
  ["a table", "| a | b |\n| --- | --- |\n| c | d |\n\nOwn", ["| a | b |", "| c | d |"], "Own"],
  ["no table with an own row", "| a | b |\n| - | - |\n| c | d |", ["| a | b |"], "| a | b |\n| - | - |\n| c | d |"],
  ["no code", "```\nHome\n```\n\nHome\n\nOwn", ["Home"], "```\nHome\n```\n\nOwn"],
  ["no image", "![Plan](p.png) Home\n\nOwn", ["![Plan](p.png) Home"], "![Plan](p.png) Home\n\nOwn"],
  ["no line with other marks", "C\n\nC++", ["C"], "C++"],
  ["no item with own text below", "- Home\n  - Own\n- Next", ["Home", "Next"], "- Home\n  - Own"],
  ["a line of a paragraph", "Own\\\nHome", ["Home"], "Own"],
  ["a link of code", "- [`git add`](/a)\n\nOwn", ["- [`git add`](/b)"], "Own"],
  ["no escaped bracket", "Home \\](own words)\n\nOwn", ["Home"], "Home \\](own words)\n\nOwn"],
  ["no bracket in code", "Home `](words)`\n\nOwn", ["Home"], "Home `](words)`\n\nOwn"],
  ["no unclosed link", "[Home](/a\n\nOwn", ["[Home](/a"], "[Home](/a\n\nOwn"],
  [
    "no label of a value",
    "**Colour**\n\nred\n\n**Size**\n\nlarge",
    ["**Colour**", "**Size**"],
    "**Colour**\n\nred\n\n**Size**\n\nlarge",
  ],
  ["the same line below each teaser", "One\n\nMore\n\nTwo\n\nMore", ["More"], "One\n\nTwo"],
  ["nothing of a page without own text", "Home\n\n![Plan](p.png)", ["Home"], "Home\n\n![Plan](p.png)"],
  ["nothing", "A\n\n\\B", [], "A\n\n\\B"],
])("leaves out %s", (_, markdown, lines, text) => {
  const cleaned = cleanMarkdown(markdown, templateOf(...lines));
  expect(cleaned.text).toBe(text);
  expect(cleaned.removed > 0).toBe(text !== markdown);
});

test("lines with letters that are no template stay", () => {
  const word = fc.constantFrom("Home", "Own", "[Home](/h)", "- Own", "| Home |", "```", "> Home", "# Own", "", "  x");
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), (lines) => {
      const left = cleanMarkdown(lines.join("\n"), templateOf("Home", "| Home |")).text;
      const count = (text: string) => text.split("Own").length;
      expect(count(left)).toBe(count(lines.join("\n")));
    }),
  );
});

test("takes time linear in hostile Markdown", () => {
  const template = templateOf("Home");
  for (const hostile of [
    "](".repeat(50_000),
    "](a".repeat(50_000),
    "`a``b```c](d)".repeat(20_000),
    "- ".repeat(50_000),
    "```\n".repeat(20_001),
  ])
    expect(cleanMarkdown(`${hostile}\n\nOwn`, template).text).toContain("Own");
  const deep = Array.from({ length: 3_000 }, (_, depth) => `${" ".repeat(depth)}- Home`).join("\n");
  expect(cleanMarkdown(`${deep}\n\nOwn`, template).text).toBe("Own");
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanMarkdown } from "../../../src/changes/template/clean-markdown.ts";
import { cleanText } from "../../../src/changes/template/clean-text.ts";
import { textKey } from "../../../src/changes/template/line-keys.ts";
import { linesOfPage, SiblingCounts, type SiblingLines } from "../../../src/changes/template/sibling-lines.ts";

/** The template of siblings that have these lines in common; those that begin with # are headings. */
function templateFor(...lines: string[]) {
  const keys = (some: string[]) => new Set(some.map((line) => textKey(line.replace(/^# /, "")) ?? ""));
  return {
    text: keys(lines),
    headings: keys(lines.filter((line) => line.startsWith("# "))),
    markdown: new Set<string>(),
  };
}

test.each([
  ["a menu and a footer go", "Home\nAbout\nOwn text\n© The authors", ["Home", "About", "© The authors"], "Own text"],
  ["nothing is shared", "Home\nOwn text", ["About"], "Home\nOwn text"],
  ["blanks have one spelling", "The   site \nOwn", ["The site"], "Own"],
  ["quotation marks do not", "The “site”\nOwn", ['The "site"'], "The “site”\nOwn"],
  ["other numbers are another line", "Page 2\nOwn", ["Page 1"], "Page 2\nOwn"],
  ["a page of shared lines alone stays", "Home\nAbout", ["Home", "About"], "Home\nAbout"],
  ["braces alone are no text", "Home\n}\n", ["Home"], "Home\n}\n"],
  ["braces stay", "Home\nfoo {\n}", ["Home", "}"], "foo {\n}"],
  ["indented code stays", "Home\nif a {\n  Home\n}", ["Home"], "if a {\n  Home\n}"],
  ["a heading with text below stays", "Menu\nHome\nOptions\nOwn", ["# Menu", "Home", "# Options"], "Options\nOwn"],
  ["headings of headings stay", "Options\nCommon\nOwn", ["# Options", "# Common"], "Options\nCommon\nOwn"],
  ["a heading over shared text goes", "Own\nSuite\nPart of it", ["# Suite", "Part of it"], "Own"],
  ["labels stay with their values", "Colour\nred\nSize\nlarge", ["Colour", "Size"], "Colour\nred\nSize\nlarge"],
  ["a notice between own lines goes", "Own\nAll prices include tax.\nOther", ["All prices include tax."], "Own\nOther"],
  ["the same line below each teaser goes", "One\nMore\nTwo\nMore\nThree", ["More"], "One\nTwo\nThree"],
  [
    "rows stay with their table",
    "Name\tUse\n-q\tquiet\n-z\town",
    ["Name\tUse", "-q\tquiet"],
    "Name\tUse\n-q\tquiet\n-z\town",
  ],
  ["a shared table goes", "Name\tUse\n-q\tquiet\nOwn", ["Name\tUse", "-q\tquiet"], "Own"],
])("%s", (_, text, shared, left) => {
  const cleaned = cleanText(text, templateFor(...shared));
  expect(cleaned.text).toBe(left);
  expect(cleaned.removed > 0).toBe(left !== text);
});

test("the title of a page that its siblings link to stays above its text", () => {
  const text = "Oak chair\nOwn\nMost read\nOak chair\nLamp";
  const template = templateFor("Oak chair", "# Most read", "Lamp");
  const headings = [{ text: "Oak chair" }, { text: "Most read" }];
  expect(cleanText(text, template, headings).text).toBe("Oak chair\nOwn");
});

const asPage = (text: string) => linesOfPage({ text, markdown: text, headings: [] });

function templateOf(texts: readonly string[], siblings = texts.length): SiblingLines | null {
  const counts = new SiblingCounts();
  for (const text of texts) counts.add(asPage(text));
  return counts.find(siblings);
}

const textsIn = (template: SiblingLines | null) => (template?.text ?? []).map(([key]) => key);

test.each([
  ["on 9 of 9 pages", 9, 9, 9, false],
  ["on 10 of 10 pages", 10, 10, 10, true],
  ["on 9 of 18 pages", 9, 18, 18, false],
  ["on 10 of 20 pages", 10, 20, 20, true],
  ["on 10 of 21 pages", 10, 21, 21, false],
  ["on all of a sample of 15", 15, 15, 100, false],
  ["on all of a sample of 16", 16, 16, 100, true],
  ["on 67 of a sample of 96", 67, 96, 1_000, false],
  ["on 68 of a sample of 96", 68, 96, 1_000, true],
])("a line %s is template: %s of %i, %i siblings", (_, having, pages, siblings, isTemplate) => {
  const texts = Array.from({ length: pages }, (_, i) => (i < having ? `Own ${i}\nShared` : `Own ${i}`));
  expect(textsIn(templateOf(texts, siblings))).toEqual(isTemplate ? ["Shared"] : []);
});

test("pages that say the same are no evidence", () => {
  const twins = Array.from({ length: 20 }, () => "The same article\nHome");
  expect(templateOf(twins)).toBeNull();
  expect(textsIn(templateOf([...twins, ...Array.from({ length: 9 }, (_, i) => `Own ${i}\nHome`)]))).toEqual(["Home"]);
});

test("lines of code do not count", () => {
  const pages = Array.from({ length: 10 }, (_, i) => {
    return linesOfPage({
      text: `Own ${i}\nShared\nmake`,
      markdown: `Own ${i}\n\nShared\n\n\`\`\`sh\nmake\n\`\`\``,
      headings: [],
    });
  });
  const counts = new SiblingCounts();
  for (const page of pages) counts.add(page);
  // What was counted travels between turns.
  const found = new SiblingCounts(JSON.parse(JSON.stringify(counts.toData()))).find(10);
  expect([textsIn(found), found?.markdown.map(([key]) => key)]).toEqual([["Shared"], ["Shared"]]);
});

/** Few words, so that random pages share lines; marks and numbers too. */
const line = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom("Home", "About us", "Next", "Page 1", "a\tb", "a\tc", "- b", "## Home", "C"),
  },
  fc.constantFrom("}", "", "Page 2", "C++", "“Home”", "  deep", "[Next](/1)", "[Next](/2)", "```", "![a](b) c"),
  fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => text.replace(/[\r\n]/g, " ")),
);
const pages = fc.array(
  fc.array(line, { maxLength: 9 }).map((lines) => lines.join("\n")),
  { minLength: 10, maxLength: 24 },
);

test("no page loses a line that stands on fewer than half of the siblings or than ten, and none gets empty", () => {
  const blank = (text: string) => text.replace(/\s+/g, " ").trim();
  /** What a line of Markdown says: neither its marks nor the targets of links. */
  const plain = (text: string) => blank(text.replace(/^[ >]*(?:- )?(?:#+ )?/, "").replace(/\]\(\/\d\)/, "]"));
  fc.assert(
    fc.property(pages, (texts) => {
      const found = templateOf(texts);
      if (found === null) return;
      const keys = (lines: SiblingLines["text"]) => new Set(lines.map(([key]) => key));
      const template = { text: keys(found.text), markdown: keys(found.markdown), headings: new Set(found.headings) };
      for (const [clean, say] of [[cleanText, blank] as const, [cleanMarkdown, plain] as const]) {
        const pagesWith = new Map<string, number>();
        for (const text of texts)
          for (const own of new Set(text.split("\n").map(say))) pagesWith.set(own, (pagesWith.get(own) ?? 0) + 1);
        for (const text of texts) {
          const cleaned = clean(text, template).text;
          const left = new Set(cleaned.split("\n").map(say));
          for (const own of text.split("\n").map(say)) {
            const on = pagesWith.get(own) ?? 0;
            if (/[\p{L}\p{N}]/u.test(own) && (on < 10 || on * 2 < texts.length))
              expect(left.has(own) || left.has(own.replace(/\\$/, "")), `${own} in ${JSON.stringify(cleaned)}`).toBe(
                true,
              );
          }
          if (/[\p{L}\p{N}]/u.test(text)) expect(cleaned).toMatch(/[\p{L}\p{N}]/u);
          // Reindexing twice writes nothing the second time.
          if (clean === cleanText) expect(cleanText(cleaned, template).text).toBe(cleaned);
        }
      }
    }),
    { numRuns: 150 },
  );
});

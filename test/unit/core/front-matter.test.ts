import fc from "fast-check";
import { expect, test } from "vitest";
import { withFrontMatter } from "../../../src/core/formats/front-matter.ts";

const PAGE = { url: "https://a.test/", title: "A", fetchedAt: "2026-01-01T00:00:00.000Z" };

test("comes before the Markdown, which does not change", () => {
  expect(withFrontMatter(PAGE, "# A\n\n---\n")).toBe(
    '---\nurl: "https://a.test/"\ntitle: "A"\nfetchedAt: "2026-01-01T00:00:00.000Z"\n---\n\n# A\n\n---\n',
  );
});

test.each([
  [
    "no title",
    { ...PAGE, title: null },
    "x",
    '---\nurl: "https://a.test/"\nfetchedAt: "2026-01-01T00:00:00.000Z"\n---\n\nx\n',
  ],
  ["no Markdown", { ...PAGE, title: null, fetchedAt: null }, "", '---\nurl: "https://a.test/"\n---\n'],
  [
    "a problem",
    { ...PAGE, title: null, fetchedAt: null, problem: "it is not in the mirror" },
    "",
    '---\nurl: "https://a.test/"\nproblem: "it is not in the mirror"\n---\n',
  ],
])("%s", (_, page, markdown, file) => expect(withFrontMatter(page, markdown)).toBe(file));

test.each([
  ["a: b # c", '"a: b # c"'],
  ["---\nurl: evil", '"---\\nurl: evil"'],
  ['say "no" \\ it\'s', '"say \\"no\\" \\\\ it\'s"'],
  ["中文 🪵", '"中文 🪵"'],
  ["\u2028\x85\x9b\x7f\ufeff\0", '"\\u2028\\u0085\\u009b\\u007f\\ufeff\\u0000"'],
])("the title %j", (title, quoted) => {
  expect(withFrontMatter({ ...PAGE, title }, "")).toContain(`\ntitle: ${quoted}\n`);
});

test("any title is one line, and is read back unchanged", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (title) => {
      const lines = withFrontMatter({ ...PAGE, title }, "").split(/[\n\r\x85\u2028\u2029]/);
      expect(lines).toHaveLength(6);
      expect(JSON.parse(lines[2]?.slice("title: ".length) ?? "")).toBe(title);
    }),
  );
});

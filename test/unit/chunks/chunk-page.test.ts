import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chunkPage } from "../../../src/chunks/chunk-page.ts";
import { estimateTokens } from "../../../src/chunks/estimate-tokens.ts";
import { cpuMsOf } from "../cpu-time.ts";

const URL = "https://example.com/manual";
const chunk = (markdown: string, size?: number) => chunkPage({ url: URL, markdown }, size);
const words = (text: string) => text.match(/[\p{L}\p{N}]+/gu) ?? [];
/** A paragraph of about this many tokens. */
const prose = (tokens: number, word = "lathe") => Array.from({ length: tokens }, () => word).join(" ");

describe("cuts at headings", () => {
  test.each<[name: string, markdown: string, expected: [headings: string[], text: string][]]>([
    ["an empty page", "", []],
    ["white space", "\n \n", []],
    ["a page that fits is one chunk", "# A\n\none\n\n## B\n\ntwo\n", [[["A"], "# A\n\none\n\n## B\n\ntwo"]]],
    ["a page without headings", "one\n\ntwo", [[[], "one\n\ntwo"]]],
    ["a heading with one subsection alone belongs to that", "# A\n\n## B\n\ntwo", [[["A", "B"], "# A\n\n## B\n\ntwo"]]],
    [
      "a large page has a chunk for each section",
      `# A\n\n${prose(30)}\n\n## B\n\n${prose(40)}\n\n## C\n\n${prose(41)}`,
      [
        [["A"], `# A\n\n${prose(30)}`],
        [["A", "B"], `## B\n\n${prose(40)}`],
        [["A", "C"], `## C\n\n${prose(41)}`],
      ],
    ],
    [
      "a heading without text goes with its first subsection",
      `# A\n\n## B\n\n${prose(40)}\n\n## C\n\n${prose(41)}`,
      [
        [["A", "B"], `# A\n\n## B\n\n${prose(40)}`],
        [["A", "C"], `## C\n\n${prose(41)}`],
      ],
    ],
    [
      "a short lead goes with the first subsection, under the heading of both",
      `# A\n\nlead\n\n## B\n\n${prose(40)}\n\n## C\n\n${prose(41)}`,
      [
        [["A"], `# A\n\nlead\n\n## B\n\n${prose(40)}`],
        [["A", "C"], `## C\n\n${prose(41)}`],
      ],
    ],
    [
      "levels that are left out",
      `### A\n\n${prose(50)}\n\n# B\n\n${prose(40)}`,
      [
        [["A"], `### A\n\n${prose(50)}`],
        [["B"], `# B\n\n${prose(40)}`],
      ],
    ],
    [
      "headings that are underlined, and their marks",
      `A *b* \`c\`\n===\n\n${prose(40)}\n\n[D](/d "t") \\#\n---\n\n${prose(40)}`,
      [
        [["A b c"], `A *b* \`c\`\n===\n\n${prose(40)}`],
        [["A b c", "D #"], `[D](/d "t") \\#\n---\n\n${prose(40)}`],
      ],
    ],
    ["a comment in code is no heading", "```sh\n# no heading\n```", [[[], "```sh\n# no heading\n```"]]],
  ])("%s", (_, markdown, expected) => {
    expect(chunk(markdown, 64).map(({ headings, text }) => [headings, text])).toEqual(expected);
  });
});

describe("cuts large blocks where they can be read by themselves", () => {
  test("a table has its header in each part", () => {
    const rows = Array.from({ length: 20 }, (_, i) => `| thread ${i} | ${i} millimetres |`);
    const table = ["| name | pitch |", "| --- | --- |", ...rows].join("\n");
    const chunks = chunk(`# Threads\n\n${table}`, 100);
    expect(chunks.length).toBeGreaterThan(2);
    for (const { text, tokens } of chunks) {
      expect(text).toContain("| name | pitch |\n| --- | --- |\n| thread");
      expect(tokens).toBeLessThanOrEqual(100);
    }
    expect(chunks.flatMap(({ text }) => text.match(/thread \d+/g) ?? [])).toEqual(rows.map((_, i) => `thread ${i}`));
  });

  test("an HTML table too", () => {
    const rows = Array.from({ length: 12 }, (_, i) => `<tr><td>thread ${i}</td><td><ul><li>${i}</li></ul></td></tr>`);
    const html = `<table><thead><tr><th>name</th><th>pitch</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
    const chunks = chunk(html, 150);
    expect(chunks.length).toBeGreaterThan(2);
    for (const { text } of chunks) expect(text).toMatch(/^<table>.*<th>name<\/th>.*<\/table>$/s);
  });

  test("code has its fences in each part, and its language", () => {
    const lines = Array.from({ length: 40 }, (_, i) => `  step(${i}); // turn`);
    const chunks = chunk(`\`\`\`js\n${lines.join("\n")}\n\`\`\``, 100);
    expect(chunks.length).toBeGreaterThan(2);
    for (const { text } of chunks) expect(text).toMatch(/^```js\n {2}step[\s\S]*turn\n```$/);
    const steps = chunks.flatMap(({ text }) => text.match(/step\(\d+\)/g) ?? []);
    expect(steps).toEqual(lines.map((_, i) => `step(${i})`));
  });

  test("code that fits is not cut, even if the text before it fills the chunk", () => {
    const code = `\`\`\`\n${prose(40)}\n\n${prose(20, "turn")}\n\`\`\``;
    const texts = chunk(`${prose(80)}\n\n${code}\n\nend`, 100).map(({ text }) => text);
    expect(texts).toEqual([prose(80), `${code}\n\nend`]);
  });

  test("a list is cut between its items, and keeps what an item holds", () => {
    const items = Array.from({ length: 10 }, (_, i) => `- item ${i}\n\n  ${prose(20)}\n  - below ${i}`);
    const chunks = chunk(items.join("\n"), 100);
    expect(chunks.length).toBeGreaterThan(2);
    for (const { text } of chunks) expect(text).toMatch(/^- item \d[\s\S]*- below \d$/);
  });

  test("a paragraph is cut at its sentences", () => {
    const chunks = chunk(Array.from({ length: 30 }, (_, i) => `The carriage moves ${i} times.`).join(" "), 64);
    for (const { text } of chunks) expect(text).toMatch(/^The carriage.*times\.$/);
  });

  test("text without spaces is cut at its full stops", () => {
    const chunks = chunk("旋盤は金属を削る機械です。".repeat(30), 64);
    expect(chunks.length).toBeGreaterThan(3);
    for (const { text } of chunks) expect(text).toMatch(/^旋盤.*です。$/);
  });

  test("a word that is too long is cut, but no character", () => {
    const chunks = chunk("😀".repeat(200), 64);
    expect(chunks.length).toBeGreaterThan(2);
    for (const { text } of chunks) expect(text).toMatch(/^(?:😀)+$/u);
  });

  test("what introduces a block goes with it", () => {
    const texts = chunk(
      `${prose(60)}\n\nThe steps are:\n\n- ${prose(50)}\n\n**Table 1**\n\n| a |\n| --- |\n| ${prose(40)} |`,
      80,
    );
    expect(texts.map(({ text }) => text.split("\n")[0])).toEqual([prose(60), "The steps are:", "**Table 1**"]);
  });
});

test("a picture goes with its caption, which stands below it", () => {
  const picture = "![The lathe](/a.png)\n\n**Figure 1**";
  const texts = chunk(`${prose(64)}\n\n${picture}\n\n${prose(60)}`, 80).map(({ text }) => text);
  expect(texts).toEqual([prose(64), `${picture}\n\n${prose(60)}`]);
  const next = chunk(`${prose(50)}\n\n${picture}\n\n${prose(70)}`, 80).map(({ text }) => text);
  expect(next).toEqual([`${prose(50)}\n\n${picture}`, prose(70)]);
});

describe("the place of a chunk", () => {
  const markdown = `# A\n\n${prose(60)}\n\n## B-1, c\n\n${prose(50)}\n\n## D\n\n${prose(40)}`;
  const headings = [
    { text: "A", id: "a" },
    { text: "Left out", id: "x" },
    { text: "B-1, c" },
    { text: "D", id: "d é" },
  ];
  const chunks = chunkPage({ url: URL, markdown, headings }, 70);

  test("is the fragment of its heading, or a text fragment", () => {
    expect(chunks.map(({ anchor, link }) => [anchor, link])).toEqual([
      ["a", `${URL}#a`],
      [null, `${URL}#:~:text=B%2D1%2C%20c`],
      ["d é", `${URL}#d%20%C3%A9`],
    ]);
  });

  test("is its order, and its characters in the Markdown", () => {
    expect(chunks.map(({ order }) => order)).toEqual([0, 1, 2]);
    for (const { offset, length, text } of chunks) expect(markdown.slice(offset, offset + length)).toBe(text);
  });
});

describe("ids", () => {
  test("are those of the URL, the headings and the text, for ever", () => {
    expect(chunk("# A\n\none")[0]?.id).toMatchInlineSnapshot(`"65dc56c6-7ba7-52f8-8636-4935cb2aa959"`);
  });

  test("of the same text twice are numbered", () => {
    const ids = chunk(`# A\n\n${prose(60)}\n\n# A\n\n${prose(60)}`, 70).map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
  });

  test("differ between pages", () => {
    const [one] = chunkPage({ url: `${URL}/1`, markdown: "text" });
    const [two] = chunkPage({ url: `${URL}/2`, markdown: "text" });
    expect(one?.id).not.toBe(two?.id);
  });
});

test.each([
  ["brackets in a heading", `# ${"[".repeat(300_000)}`],
  ["a long word", "a".repeat(300_000)],
  ["headings", "# a\n".repeat(50_000)],
  ["fences", "```\n".repeat(50_000)],
  ["spaces", `${" ".repeat(300_000)}a`],
  ["ends of sentences", '.")'.repeat(100_000)],
  ["rows", `| a |\n| - |\n${"| x |\n".repeat(50_000)}`],
])("a page of %s takes no second for 300 kB", (_, markdown) => {
  expect(cpuMsOf(() => chunk(markdown))).toBeLessThan(1_500);
});

const line = fc.oneof(
  fc.lorem({ maxCount: 12 }),
  fc.constantFrom(
    "| a | b |",
    "| --- | --- |",
    "```",
    "~~~",
    "    indented",
    "- item",
    "  - below",
    "> quote",
    "1. one",
  ),
  fc.constantFrom(
    "# A",
    "## B",
    "### C",
    "## B ##",
    "===",
    "---",
    "<table><tr><td>x</td></tr></table>",
    "**Caption**",
    "so:",
  ),
  fc.string({ unit: "grapheme", maxLength: 200 }).map((text) => text.replace(/\s/g, " ")),
  fc.constantFrom("旋盤は金属を削る。", "ราคา", "word".repeat(300), "[a](https://example.com/b)"),
  fc.constant(""),
);
const page = fc.array(line, { maxLength: 60 }).map((lines) => lines.join("\n"));
const size = fc.integer({ min: 64, max: 300 });

describe("properties", () => {
  test("no text is lost, and none changes its order", () => {
    fc.assert(
      fc.property(page, size, (markdown, size) => {
        const chunks = chunk(markdown, size);
        let at = 0;
        for (const { offset, length } of chunks) {
          expect(offset).toBeGreaterThanOrEqual(at);
          expect(markdown.slice(at, offset).trim()).toBe("");
          at = offset + length;
        }
        expect(markdown.slice(at).trim()).toBe("");
        // What is repeated comes on top.
        const all = words(chunks.map(({ text }) => text).join(" ")).join("");
        expect(all.length).toBeGreaterThanOrEqual(words(markdown).join("").length);
      }),
    );
  });

  test("no chunk is larger than the size", () => {
    fc.assert(
      fc.property(page, size, (markdown, size) => {
        for (const { tokens, text } of chunk(markdown, size)) {
          expect(tokens).toBe(estimateTokens(text));
          expect(tokens).toBeLessThanOrEqual(size);
        }
      }),
    );
  });

  test("a change in one section leaves the chunks of the others", () => {
    const section = (name: string) =>
      fc.array(line, { maxLength: 15 }).map((lines) => {
        const text = lines.filter((each) => !/^(?:#|=|-{3}|```|~~~)/.test(each)).join("\n");
        return `# ${name}\n\n${name} ${prose(70)}\n\n${text}\n\n`;
      });
    fc.assert(
      fc.property(
        section("one"),
        section("two"),
        section("other"),
        section("three"),
        fc.integer({ min: 64, max: 140 }),
        (a, b, other, c, size) => {
          const before = chunk(a + b + c, size);
          const after = new Set(chunk(a + other + c, size).map(({ id }) => id));
          for (const { id, headings } of before) if (headings[0] !== "two") expect(after).toContain(id);
        },
      ),
    );
  });

  test("the ids of a page are distinct", () => {
    fc.assert(
      fc.property(page, size, (markdown, size) => {
        const ids = chunk(markdown, size).map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
      }),
    );
  });
});

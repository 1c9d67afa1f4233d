import { describe, expect, it } from "vitest";
import { findLongLines, wrapProse } from "../../../scripts/prose.ts";

const LONG = Array.from({ length: 30 }, (_, i) => `word${i}`).join(" ");
const HEAD = LONG.slice(0, LONG.indexOf(" word18"));

describe("findLongLines", () => {
  it.each([
    ["a.ts", `// ${LONG}`],
    ["a.ts", `const x = 1; // ${LONG}`],
    ["a.tsx", `  {/* ${LONG} */}`],
    ["a.css", `/* ${LONG} */`],
    ["a.toml", `# ${LONG}`],
    ["a.md", `- ${LONG}`],
  ])("%s: finds %s", (name, line) => {
    expect(findLongLines(name, `\n${line}\n`)).toEqual([2]);
  });

  it.each([
    ["a string", "a.ts", `const x = "// ${LONG}";`],
    ["a template", "a.ts", `const x = \`\${f({ a: "}" })}\n// ${LONG}\n/* \`;`],
    ["a regular expression", "a.ts", `const x = /["'\`/*]/; f("// ${LONG}")`],
    ["code", "a.ts", `f(${LONG.replaceAll(" ", ", ")})`],
    ["a URL alone", "a.ts", `// https://example.com/${"a".repeat(120)}`],
    ["a table", "a.md", `| ${LONG} |`],
    ["fenced code", "a.md", `\`\`\`\n${LONG}\n\`\`\``],
    ["indented code", "a.md", `    ${LONG}`],
    ["a link definition", "a.md", `[a]: ${LONG}`],
  ])("passes over %s", (_, name, source) => {
    expect(findLongLines(name, source)).toEqual([]);
  });
});

describe("wrapProse", () => {
  it("gives a comment of one line its own lines", () => {
    expect(wrapProse("a.ts", `  /** ${LONG} */\n  f();`).split("\n").slice(0, 2)).toEqual(["  /**", `   * ${HEAD}`]);
  });

  it("wraps paragraphs, and leaves short ones, lists, tags and code as they are", () => {
    const kept = " *\n * short\n * lines\n *\n * - an item\n *   of a list\n * @see x\n *     code";
    const wrapped = wrapProse("a.ts", `/**\n * ${LONG}\n * more\n${kept}\n */`);
    expect(wrapped).toBe(`/**\n * ${HEAD}\n * ${LONG.slice(HEAD.length + 1)} more\n${kept}\n */`);
  });

  it("hangs the lines of a list item under its text", () => {
    expect(wrapProse("a.md", `1. ${LONG}\n   more`)).toBe(`1. ${HEAD}\n   ${LONG.slice(HEAD.length + 1)} more`);
  });

  it("begins no line with what would be a list, and ends none inside a code span", () => {
    const text = `${HEAD} - \`a b\` ${LONG}`;
    for (const line of wrapProse("a.md", text).split("\n")) expect(line).toMatch(/^(word|`a b`)/);
  });

  it("changes nothing the second time", () => {
    const once = wrapProse("a.ts", `// ${LONG} ${LONG}\n/** ${LONG} */\n`);
    expect(wrapProse("a.ts", once)).toBe(once);
  });
});

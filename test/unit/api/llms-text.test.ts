import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { writeLlmsEntry, writeLlmsHead, writeLlmsPage } from "../../../src/api/exports/llms-text.ts";
import { toPlainLine } from "../../../src/api/exports/markdown-text.ts";
import { markdownLinks } from "../../../src/media/links/markdown-links.ts";
import { emptyMetadata } from "../../../src/media/text/plain-content.ts";

const SITE = "https://example.com";
const home = (title: string | null, description: string | null) => ({ url: `${SITE}/`, title, description });

test.each([
  [home("The Manual", "How to turn\n metal."), "# The Manual\n\n> How to turn metal.\n\n"],
  [home(null, null), "# example.com\n\n"],
  [home("<em>The</em> *Manual* C #", "1. How <b>not</b>\n- to"), "# The \\*Manual\\* C \\#\n\n> 1\\. How not - to\n\n"],
  [home("&amp;", "# <img src=x>"), "# &amp;amp;\n\n> \\#\n\n"],
])("the head of %j", (page, head) => expect(writeLlmsHead(page)).toBe(head));

describe("llms.txt", () => {
  const list = (...paths: string[]) => {
    let before: string | null = null;
    return paths
      .map((path) => {
        const url = SITE + path;
        const line = writeLlmsEntry({ url, title: `Page ${path}`, metadata: null }, before);
        before = url;
        return line;
      })
      .join("");
  };

  test("has a section for the root of the site, and one for each folder", () => {
    expect(list("/", "/about", "/guide/a", "/guide/b/c", "/%C3%A9t%C3%A9/", "/%/x")).toBe(`## Pages

- [Page /](${SITE}/)
- [Page /about](${SITE}/about)

## guide (${SITE}/guide/)

- [Page /guide/a](${SITE}/guide/a)
- [Page /guide/b/c](${SITE}/guide/b/c)

## été (${SITE}/%C3%A9t%C3%A9/)

- [Page /%C3%A9t%C3%A9/](${SITE}/%C3%A9t%C3%A9/)

## % (${SITE}/%/)

- [Page /%/x](${SITE}/%/x)
`);
  });

  test("a part goes on where the part before ended", () => {
    const entry = writeLlmsEntry({ url: `${SITE}/a/2`, title: "2", metadata: null }, `${SITE}/a/1`);
    expect(entry).toBe(`- [2](${SITE}/a/2)\n`);
  });

  test.each([
    ["a [b] \\c\n d", "a [b] \\c d"],
    ["", `${SITE}/a(b)`],
    ["<i></i>", `${SITE}/a(b)`],
    ["Fish &amp; <b class='x'>Chips</b><br/>and\tpeas", "Fish &amp; Chips and peas"],
    ["<b>: The Bring Attention To element", "<b>: The Bring Attention To element"],
    ["![a](x) `code` [b](y) <https://c.test/> ](z)", "![a](x) `code` [b](y) <https://c.test/> ](z)"],
    [`${"a".repeat(300)}`, `${"a".repeat(200)}…`],
  ])("the title %j stays a link", (title, shown) => {
    const metadata = { ...emptyMetadata(), description: "What\nit is." };
    const line = writeLlmsEntry({ url: `${SITE}/a(b)`, title, metadata }, `${SITE}/`);
    expect(markdownLinks(line)).toEqual([{ text: shown, target: `${SITE}/a%28b%29` }]);
    expect(line.endsWith(": What it is.\n")).toBe(true);
  });
});

/** Texts in which marks of HTML and Markdown are frequent. */
const MARKED = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      ...["<b>", "</b>", "<br>", "<!--", "-->", "<a href=x>", "&amp;", "&lt;", "&#60;", "&copy", "&", ";", "<", ">"],
      ...["[", "]", "(", ")", "](", "\\", "`", "*", "_", "~~", "#", "!", "\n", " ", "a", "é", "x_y"],
    ),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 2 }),
  ),
  maxLength: 40,
});

test("whatever a title and a description say, a line has one link, whose text is the title, and no HTML", () => {
  fc.assert(
    fc.property(MARKED, MARKED, fc.webUrl({ withQueryParameters: true }), (title, description, written) => {
      const url = new URL(written).href;
      const line = writeLlmsEntry({ url, title, metadata: { ...emptyMetadata(), description } }, url);
      expect(line.trimEnd().split(/[\n\r\u2028\u2029]/)).toHaveLength(1);
      expect(line).not.toContain("<");
      const target = url.replaceAll("(", "%28").replaceAll(")", "%29");
      expect(markdownLinks(line)).toEqual([{ text: toPlainLine(title) || url, target }]);
      const text = writeLlmsHead({ url, title, description }) + writeLlmsPage({ url, title });
      expect([text.includes("<"), markdownLinks(text)]).toEqual([false, []]);
      expect(text.match(/^#+ /gm)).toHaveLength(2);
    }),
    { numRuns: 100 },
  );
});

describe("llms-full.txt", () => {
  const full = (page: Partial<Parameters<typeof writeLlmsPage>[0]>) =>
    writeLlmsPage({ url: `${SITE}/a`, title: "A *b*", ...page });

  test.each([
    ["its own first heading goes", { markdown: "# A *b*\n\ntext" }, `# A \\*b\\*\n\nSource: ${SITE}/a\n\ntext\n\n`],
    [
      "with tags, it goes too",
      { markdown: "# <a id='x'></a>A *b*\n\ntext" },
      `# A \\*b\\*\n\nSource: ${SITE}/a\n\ntext\n\n`,
    ],
    ["another one stays", { markdown: "# C\n\ntext" }, `# A \\*b\\*\n\nSource: ${SITE}/a\n\n# C\n\ntext\n\n`],
    ["without text", { markdown: "" }, `# A \\*b\\*\n\nSource: ${SITE}/a\n\n`],
    ["what cannot be read", { problem: "gone\n" }, `# A \\*b\\*\n\nSource: ${SITE}/a\nNot read: gone\n\n`],
    ["without a title", { title: null, markdown: "x" }, `# ${SITE}/a\n\nSource: ${SITE}/a\n\nx\n\n`],
  ])("%s", (_, page, text) => expect(full(page)).toBe(text));
});

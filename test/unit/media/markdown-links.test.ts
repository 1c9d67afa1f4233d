import { expect, test } from "vitest";
import { linksOfMarkdown, markdownLinks } from "../../../src/media/links/markdown-links.ts";
import { cpuMsOf } from "../cpu-time.ts";

test.each<[markdown: string, links: string[]]>([
  ["[a](b)", ["a b"]],
  ['[a](b "title") [c](<d e>)', ["a b", "c d e"]],
  ["[a [b] c](d(e)f)", ["a [b] c d(e)f"]],
  ["[a\\]](b\\))", ["a] b)"]],
  ["![a](b) [![c](d)](e)", ["![c](d) e"]],
  ["`[a](b)` ``[a`](b)`` [c](d)", ["c d"]],
  ["`[a](b)", ["a b"]],
  ["<https://example.com/a> <b>", [" https://example.com/a"]],
  ["[a] (b) [c][d] [e]()", []],
  ["\\[a](b) \\![c](d) \\`[e](f)` \\\\[g](h)", ["c d", "e f", "g h"]],
  ["[a &amp; &#98; \\&lt; &amp;lt; &nope;](x?a=1&amp;b=2&copy=3)", ["a & b &lt; &lt; &nope; x?a=1&b=2&copy=3"]],
])("%s", (markdown, links) => {
  expect(markdownLinks(markdown).map(({ text, target }) => `${text} ${target}`)).toEqual(links);
});

test("code has no links", () => {
  const markdown = "[a](1)\n```\n[b](2)\n~~~\n[c](3)\n```\n[d](4)\n~~~~\n[e](5)\n";
  expect([...linksOfMarkdown(markdown)].map(({ target }) => target)).toEqual(["1", "4"]);
});

test.each(["[", "[a](", "[a](b", "`", "[[", "<https://", "[a](((", "[\\"])(
  "a megabyte of %s takes no second",
  async (piece) => {
    const ms = await cpuMsOf(() => markdownLinks(piece.repeat(1_000_000 / piece.length)));
    expect(ms).toBeLessThan(3_000);
  },
);

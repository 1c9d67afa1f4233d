import { expect, test } from "vitest";
import { isLlmsTxt } from "../../../../src/media/sitemap/llms-links.ts";
import { readSitemap } from "../../../../src/media/sitemap/sitemap.ts";
import { canonicalize } from "../../../../src/url/canonicalize.ts";
import { listedIn } from "../../../listed-in.ts";

const LLMS = "https://example.com/llms.txt";

async function read(text: string, size = 7, url = LLMS) {
  const bytes = new TextEncoder().encode(text);
  const chunks = async function* () {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  };
  const document = await readSitemap(chunks(), url, "text/markdown", canonicalize);
  const { pages, sitemaps } = listedIn(document);
  const paths = (entries: { url: string }[]) => entries.map(({ url }) => url.replace("https://example.com", ""));
  return { type: document.type, pages: paths(pages), sitemaps: paths(sitemaps), problem: document.leftOut.problem };
}

test("llms.txt lists pages by its links, and other such lists", async () => {
  const text = `# Example

> A summary with [a link](/about).

## Docs

- [Guide](/guide.md): how to begin
- [Reference](https://example.com/reference "title")
- [More](/docs/llms.txt)
- [Here](#docs)
- [Mail](mailto:a@example.com)

## Optional

- [Guide again](/guide.md)
- <https://example.com/changes>
`;
  expect(await read(text)).toEqual({
    type: "llms",
    pages: ["/about", "/guide.md", "/reference", "/changes"],
    sitemaps: ["/docs/llms.txt"],
    problem: null,
  });
  expect(await read(text.replaceAll("\n", "\r\n"), 1)).toEqual(await read(text, 100_000));
});

test.each([
  ["", "it is empty"],
  ["# Example\n\nNothing else.", "it has no links"],
  ["<!doctype html><html><body>Not found", "it is an HTML page"],
])("%j lists nothing: %s", async (text, problem) => {
  expect(await read(text)).toMatchObject({ pages: [], sitemaps: [], problem });
});

test.each([
  ["https://example.com/llms.txt", true],
  ["https://example.com/docs/llms-full.txt?v=1", true],
  ["https://example.com/sitemap.txt", false],
  ["https://example.com/llms.txt/a", false],
  ["https://example.com/xllms.txt", false],
])("%s: %s", (url, is) => expect(isLlmsTxt(url)).toBe(is));

test("a list of URLs with another name is none", async () => {
  const found = await read("[a](/b)\nhttps://example.com/c\n", 7, "https://example.com/urls.txt");
  expect(found).toMatchObject({ type: "text", pages: ["/c"] });
});

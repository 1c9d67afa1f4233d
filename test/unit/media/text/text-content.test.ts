import { expect, test } from "vitest";
import { makeTextContent, readText } from "../../../../src/media/text/read-text.ts";

const make = (text: string, type: string) => makeTextContent(text, type, ["html", "markdown", "text"]);

test("a plain text stays as it is", () => {
  const text = "\n# no heading\n\n  a <b> & *c*\n";
  expect(make(text, "text/plain")).toMatchObject({
    metadata: { title: null, headings: [], wordCount: 5, kind: "other" },
    html: "<pre>\n\n# no heading\n\n  a &lt;b&gt; &amp; *c*\n</pre>",
    markdown: text,
    text,
  });
});

test("Markdown stays as it is, and has headings", () => {
  const text = "Intro\n\n# A *b* #\n\n```\n# code\n```\n\n## C\n";
  expect(make(text, "text/markdown")).toMatchObject({
    metadata: {
      title: "A *b*",
      headings: [
        { level: 1, text: "A *b*" },
        { level: 2, text: "C" },
      ],
    },
    markdown: text,
    text,
  });
});

test("only the formats that are asked for are made", () => {
  expect(Object.keys(makeTextContent("a", "text/plain", ["text"]))).toEqual(["metadata", "text"]);
  expect(Object.keys(makeTextContent("a", "text/plain", []))).toEqual(["metadata"]);
});

test("Markdown has the title of its first heading, and links only if they are asked for", () => {
  const request = { agent: "", scriptLinks: true, requisites: true, obeyNoindex: true };
  const bytes = new TextEncoder().encode("# A\n<a href=/b>https://example.com/</a>");
  const source = { url: "https://example.com/", contentType: "text/markdown" };
  const read = readText(bytes, source, { ...request, formats: [] });
  expect(read).toMatchObject({ type: "text/markdown", encoding: "utf-8", title: "A", links: [], requisites: [] });
  expect(read.content?.metadata.title).toBe("A");
  expect(readText(bytes, source, { ...request, formats: null }).content).toBeNull();
  const markdown = new TextEncoder().encode(
    '# A\n[b](/b "t") ![c](/c) `[d](/d)`\n```\n[e](/e)\n```\n<https://example.com/f>',
  );
  const found = readText(markdown, source, { ...request, formats: null, markdownLinks: true });
  expect(found.links.map(({ url }) => url)).toEqual(["https://example.com/b", "https://example.com/f"]);
  const plain = { ...source, contentType: "text/plain" };
  expect(readText(markdown, plain, { ...request, formats: null, markdownLinks: true })).toMatchObject({
    title: null,
    links: [],
  });
});

import { expect, test } from "vitest";
import { makeTextContent } from "../../../../src/media/html/content.ts";
import { extractPage } from "../../../../src/media/html/page.ts";
import { parseHtml } from "../../../../src/media/html/parse-html.ts";
import { canonicalize } from "../../../../src/url/canonicalize.ts";
import { PAGE_URL } from "./make-content.ts";

const NO_PAGE = extractPage(parseHtml(""), PAGE_URL, canonicalize);
const make = (text: string, type: string) => makeTextContent(text, type, NO_PAGE, ["html", "markdown", "text"]);

test("a plain text stays as it is", () => {
  const text = "\n# no heading\n\n  a <b> & *c*\n";
  expect(make(text, "text/plain; charset=utf-8")).toMatchObject({
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
  expect(Object.keys(makeTextContent("a", "text/plain", NO_PAGE, ["text"]))).toEqual(["metadata", "text"]);
  expect(Object.keys(makeTextContent("a", "text/plain", NO_PAGE, []))).toEqual(["metadata"]);
});

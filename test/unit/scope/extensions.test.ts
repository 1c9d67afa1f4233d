import { expect, test } from "vitest";
import { refusedExtensions } from "../../../src/media/kind/kinds.ts";
import { nonPageExtension } from "../../../src/scope/extensions.ts";

test.each([
  ["https://example.com/a.pdf", "pdf"],
  ["https://example.com/a.PDF?v=1", "pdf"],
  ["https://example.com/a.tar.gz", "gz"],
  ["https://example.com/.zip", "zip"],
  ["https://example.com/a.min.js?b=c.html", "js"],
  ["https://example.com/a:b/c.png", "png"],
  ["https://example.com:8080/c.png", "png"],
  ["https://example.com/a.woff2", "woff2"],
  ["https://example.com/", null],
  ["https://example.zip/", null],
  ["https://example.zip/a", null],
  ["https://example.com/a.html", null],
  ["https://example.com/a.php?file=b.pdf", null],
  ["https://example.com/?file=b.pdf", null],
  ["https://example.com/a?b=/c.pdf", null],
  ["https://example.com/a.pdf/", null],
  ["https://example.com/a.pdf/b", null],
  ["https://example.com/a.json", null],
  ["https://example.com/a.xml", null],
  ["https://example.com/a.txt", null],
  ["https://example.com/v1.2", null],
  ["https://example.com/pdf", null],
  ["https://example.com/a.", null],
  ["https://example.com/a.pdfx", null],
  ["https://example.com/whois/example.com", null],
  ["https://example.com/wiki/File:Photo.jpg", null],
  ["https://example.com/a.constructor", null],
])("%s: %s", (url, extension) =>
  expect(nonPageExtension(url, refusedExtensions({ documents: [], media: false }))).toBe(extension),
);

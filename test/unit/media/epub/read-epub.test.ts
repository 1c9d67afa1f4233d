import { expect, test } from "vitest";
import { readEpub } from "../../../../src/media/epub/read-epub.ts";
import { makeEpub } from "../../../documents/made-documents.ts";
import { readMade } from "../../../documents/read-made.ts";

const xhtml = (body: string, head = "") =>
  `<?xml version="1.0" encoding="UTF-8"?><html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en"><head><title/>${head}<script/></head><body id="top">${body}</body></html>`;
const NCX = `<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>One</text></navLabel><content src="one.xhtml"/><navPoint><navLabel><text>Two &amp; a half</text></navLabel><content src="text/two.xhtml#a"/></navPoint></navPoint></navMap></ncx>`;

test("a book: items in order, links between them, headings of its table of contents", async () => {
  const bytes = makeEpub(
    {
      "one.xhtml": xhtml(
        '<h1>First</h1><p>Text<a id="x"/> <a href="text/two.xhtml#a">next</a> <a href="https://l.test/">out</a></p><img src="p.png" alt="p"/>',
      ),
      "text/two.xhtml": xhtml(
        '<p id="a">More &nbsp; text <a href="../one.xhtml">back</a> <a href="../missing.xhtml">no</a></p><ul><li>item</li></ul>',
      ),
    },
    { "OEBPS/toc.ncx": NCX },
  );
  const document = await readMade(readEpub, bytes);
  expect(document.content?.markdown).toBe(
    "# First\n\nText [next](https://example.com/docs/file#item-2-a) [out](https://l.test/)\n\n## Two & a half\n\nMore text [back](https://example.com/docs/file#item-1) no\n\n- item",
  );
  expect(document).toMatchObject({ type: "application/epub+zip", title: "The book", language: "en" });
  expect(document.content?.metadata).toMatchObject({
    author: "Ada, Bob",
    keywords: ["Sea"],
    publishedAt: "2024-03-05",
    modifiedAt: "2024-04-06T11:00:00Z",
    pageCount: 2,
  });
  expect(document.links.map(({ url, text }) => [url, text])).toEqual([["https://l.test/", "out"]]);
  expect(document.pageLinks.map(({ fragment }) => fragment)).toEqual(["item-2-a", null, "item-1"]);
  // The two items, their bodies, `x` and `a`.
  expect(document.ids).toHaveLength(6);
});

test("a book whose table of contents is XHTML", async () => {
  const nav = xhtml('<nav><ol><li><a href="one.xhtml">Chapter <b>one</b></a></li></ol></nav>');
  const opf = `<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>B</dc:title></metadata><manifest><item id="n" properties="nav" href="nav.xhtml" media-type="application/xhtml+xml"/><item id="o" href="one%2Exhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="o"/></spine></package>`;
  const document = await readMade(
    readEpub,
    makeEpub({ "nav.xhtml": nav, "one.xhtml": xhtml("<p>Text</p>") }, { "OEBPS/book.opf": opf }),
  );
  expect(document.content?.markdown).toBe("# Chapter one\n\nText");
});

test("a book with obfuscated fonts can be read", async () => {
  const encryption = `<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:EncryptionMethod Algorithm="http://www.idpf.org/2008/embedding"/><enc:CipherData><enc:CipherReference URI="OEBPS/font.otf"/></enc:CipherData></enc:EncryptedData></encryption>`;
  const bytes = makeEpub({ "one.xhtml": xhtml("<p>Text</p>") }, { "META-INF/encryption.xml": encryption });
  expect((await readMade(readEpub, bytes)).content?.text).toBe("Text");
});

test("formulas are TeX", async () => {
  const bytes = makeEpub({
    "one.xhtml": xhtml(
      '<p>So <math xmlns="http://www.w3.org/1998/Math/MathML"><mi>x</mi><mo>=</mo><mn>2</mn></math>.</p>',
    ),
  });
  expect((await readMade(readEpub, bytes)).content?.markdown).toBe("So $x=2$.");
});

test("an item that is too long is cut, and that is said", async () => {
  const bytes = makeEpub({ "one.xhtml": xhtml(`<h1>One</h1>${"<!-- -->".repeat(1_100_000)}<p>late</p>`) });
  const { content, leftOut } = await readMade(readEpub, bytes);
  expect(content?.text).toBe("One");
  expect(leftOut.problem).toMatch(/^a part of OEBPS\/one.xhtml is left out: more than /);
});

test("scripts and event handlers are left out", async () => {
  const bytes = makeEpub({
    "one.xhtml": xhtml('<p onclick="x()">Text</p><script>alert(1)</script><a href="javascript:x()">a</a>'),
  });
  const { content } = await readMade(readEpub, bytes);
  expect(content?.html).toBe("<div><p>Text</p><a>a</a></div>");
});

import { expect, test } from "vitest";
import { decodeHtml } from "../../src/media/characters/charset.ts";
import { queryEncoderOf } from "../../src/media/characters/query-encoding.ts";
import { makeContent } from "../../src/media/html/article/content.ts";
import { extractPage } from "../../src/media/html/page.ts";
import { parseHtml } from "../../src/media/html/tree/linkedom.ts";
import { canonicalize } from "../../src/url/canonicalize.ts";

/** The parser, its limits and the legacy encodings, which depend on the runtime. */

test("a page in GBK is decoded, parsed and read in workerd", () => {
  const gbk = [0xd6, 0xd0, 0xce, 0xc4, 0xcd, 0xf8, 0xd2, 0xb3];
  const ascii = (text: string) => Array.from(text, (char) => char.charCodeAt(0));
  const body = Uint8Array.from([
    ...ascii('<html lang=zh><meta http-equiv=Content-Type content="text/html; charset=gb2312"><title>'),
    ...gbk,
    ...ascii("</title><base href=/x/><A HREF=a#b>1</A><a href=mailto:x>2</a><canvas class='a b'></canvas>"),
  ]);
  const { text, encoding } = decodeHtml(body, "text/html");
  expect(encoding).toBe("gbk");
  expect(extractPage(parseHtml(text), "https://example.com/", canonicalize)).toMatchObject({
    title: "中文网页",
    language: "zh",
    base: "https://example.com/x/",
    links: [{ url: "https://example.com/x/a", kind: "a", nofollow: false }],
    invalidCount: 0,
  });
});

test.each([
  ["http://bücher.example/ü?ü", "http://xn--bcher-kva.example/%C3%BC?%C3%BC"],
  ["http://%65xample%2Ecom/", "http://example.com/"],
  ["//b\u00adook.example", "https://book.example/"],
  ["/x\0y", "https://example.com/x%EF%BF%BDy"],
])("workerd resolves %j to the same URL as Node", (href, url) => {
  const { links } = extractPage(parseHtml(`<a href='${href}'>`), "https://example.com/", canonicalize);
  expect(links.map((link) => link.url)).toEqual([url]);
});

test.each([
  ["windows-1251", [0xcf, 0xf0, 0xe8], "При"],
  ["big5", [0xa4, 0xa4], "中"],
  ["shift_jis", [0x93, 0xfa], "日"],
  ["euc-kr", [0xc7, 0xd1], "한"],
  ["iso-8859-1", [0x80], "€"],
  ["utf-16le", [0x2d, 0x4e], "中"],
])("workerd decodes %s", (label, bytes, text) => {
  expect(decodeHtml(Uint8Array.from(bytes), `text/html; charset=${label}`).text).toBe(text);
});

test.each([
  ["windows-1251", "Мир", "%CC%E8%F0"],
  ["windows-1252", "é€", "%E9%80"],
  ["gbk", "中文€", "%D6%D0%CE%C4%80"],
  ["gb18030", "中Ã", "%D6%D0%810%871"],
  ["big5", "中十", "%A4%A4%A4Q"],
  ["shift_jis", "表ｱ①", "%95\\%B1%87@"],
  ["euc-jp", "日本ｱ", "%C6%FC%CB%DC%8E%B1"],
  ["euc-kr", "한국어", "%C7%D1%B1%B9%BE%EE"],
  ["iso-2022-jp", "日本", "%1B$BF|K\\%1B(B"],
])("workerd encodes queries in %s", (encoding, text, escaped) => {
  expect(queryEncoderOf(encoding)?.(`/?q=${text}`)).toBe(`/?q=${escaped}`);
});

test("workerd recognizes ISO-2022-JP", () => {
  const bytes = Uint8Array.from([0x1b, 0x24, 0x42, 0x46, 0x7c, 0x4b, 0x5c, 0x1b, 0x28, 0x42]);
  expect(decodeHtml(bytes, null)).toEqual({ text: "日本", encoding: "iso-2022-jp" });
});

test("parseHtml() refuses a page that is nested too deeply", () => {
  expect(() => parseHtml("<div>".repeat(100_000))).toThrow(RangeError);
});

test("makeContent() works in workerd, which has no DOM", () => {
  const prose = "Of prose there is enough here, with commas, for a reader to find it. ".repeat(12);
  const html = `<title>T | Site</title><meta property=og:type content=article><nav><a href=/>Home</a></nav>
    <div class=post><p>${prose}</p><table><tr><th>a<th>b<tr><td>1<td>2</table><p>${prose}<a href=x>y</a></p></div>`;
  const document = parseHtml(html);
  const page = extractPage(document, "https://example.com/dir/", canonicalize);
  const content = makeContent(document, page, ["html", "markdown", "text"]);
  expect(content.metadata).toMatchObject({ title: "T | Site", kind: "article" });
  expect(content.markdown).toBe(
    `${prose.trim()}\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n${prose}[y](https://example.com/dir/x)`,
  );
  expect(content.text).toBe(`${prose.trim()}\na\tb\n1\t2\n${prose}y`);
  expect(content.html).toContain('<a href="https://example.com/dir/x">y</a>');
});

test.each([
  ["of a manual", "<meta name=generator content=Sphinx>", 901],
  // The model takes some of the words for surroundings.
  ["of a page", "", 800],
])("makeContent() reads the deepest allowed nesting %s with the stack of workerd", (_, head, least) => {
  const document = parseHtml(`${head}<blockquote><ul><li><b>x ${"<div><ul><li><b>x ".repeat(900)}`);
  const page = extractPage(document, "https://example.com/", canonicalize);
  const { markdown, text } = makeContent(document, page, ["markdown", "text"]);
  expect(text?.match(/x/g)?.length).toBeGreaterThanOrEqual(least);
  expect(markdown?.match(/x/g)?.length).toBeGreaterThanOrEqual(least);
});

import { expect, test } from "vitest";
import { extractPage } from "../../src/extract/page.ts";
import { parseHtml } from "../../src/extract/parse-html.ts";
import { decodeHtml } from "../../src/fetch/charset.ts";
import { canonicalize } from "../../src/url/canonicalize.ts";

/** The parser, its bounds and the legacy encodings are the runtime's as much as ours. */

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
    truncated: false,
    invalidCount: 0,
  });
});

test.each([
  ["http://bücher.example/ü?ü", "http://xn--bcher-kva.example/%C3%BC?%C3%BC"],
  ["http://%65xample%2Ecom/", "http://example.com/"],
  ["//b\u00adook.example", "https://book.example/"],
  ["/x\0y", "https://example.com/x%EF%BF%BDy"],
])("%j is the same URL to workerd as to Node", (href, url) => {
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

test("a page that is nested too deep is refused", () => {
  expect(() => parseHtml("<div>".repeat(100_000))).toThrow(RangeError);
});

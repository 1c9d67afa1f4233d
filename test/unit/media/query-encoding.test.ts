import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { queryEncoderOf } from "../../../src/media/characters/query-encoding.ts";
import { readHtml } from "../../../src/media/html/tree/read-html.ts";
import { encode } from "../../sites/encode.ts";

const encodeIn = (encoding: string, href: string) => (queryEncoderOf(encoding) ?? String)(href);

describe("queries in the page's encoding, as Chrome and Firefox send them", () => {
  test.each([
    ["windows-1251", "/?q=Мир", "/?q=%CC%E8%F0"],
    ["koi8-r", "/?q=Мир", "/?q=%ED%C9%D2"],
    ["windows-1252", "/?q=é€", "/?q=%E9%80"],
    ["iso-8859-2", "/?q=ž", "/?q=%BE"],
    ["gbk", "/?q=中文€", "/?q=%D6%D0%CE%C4%80"],
    ["gb18030", "/?q=中€", "/?q=%D6%D0%A2%E3"],
    ["gb18030", "/?q=𠮷", "/?q=%954%B25"],
    ["gb18030", "/?q=à", "/?q=%A8%A4"],
    ["gb18030", "/?q=Ã", "/?q=%810%871"],
    ["big5", "/?q=中十", "/?q=%A4%A4%A4Q"],
    ["shift_jis", "/?q=日本語", "/?q=%93%FA%96{%8C%EA"],
    ["shift_jis", "/?q=表ｱ①纊", "/?q=%95\\%B1%87@%FA\\"],
    ["euc-jp", "/?q=日本ｱ−", "/?q=%C6%FC%CB%DC%8E%B1%A1%DD"],
    ["euc-kr", "/?q=한국어", "/?q=%C7%D1%B1%B9%BE%EE"],
    ["iso-2022-jp", "/?q=日本&x=é", "/?q=%1B$BF|K\\%1B(B&x=%26%23233%3B"],
    // A character that the encoding lacks.
    ["windows-1252", "/?q=Мa", "/?q=%26%231052%3Ba"],
    ["big5", "/?q=😀", "/?q=%26%23128512%3B"],
    // The rest is in UTF-8, and ASCII stays.
    ["windows-1251", "/Мир/?a=%41&b=1+2", "/Мир/?a=%41&b=1+2"],
    ["windows-1251", "/Мир#?Мир", "/Мир#?Мир"],
    ["windows-1251", "/?М#М", "/?%CC#М"],
    ["utf-8", "/?q=Мир", "/?q=Мир"],
    ["utf-16le", "/?q=Мир", "/?q=Мир"],
  ])("%s: %s", (encoding, href, expected) => expect(encodeIn(encoding, href)).toBe(expected));
});

test.each(["gbk", "gb18030", "big5", "shift_jis", "euc-jp", "euc-kr", "windows-1251", "iso-8859-7"])(
  "what is encoded in %s is decoded as it was",
  (encoding) => {
    const bytesOf = (text: string) =>
      Uint8Array.from(text.match(/%..|[^%]/g) ?? [], (part) =>
        part.length === 1 ? part.charCodeAt(0) : Number.parseInt(part.slice(1), 16),
      );
    // Japanese encodings write these as others.
    const special = new Set("¥‾−");
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.integer({ min: 0x80, max: 0xffff }), fc.integer({ min: 0x4e00, max: 0x9fff }))),
        (codes) => {
          const text = codes
            .map((code) => String.fromCharCode(code))
            .filter((char) => !special.has(char) && !/[\ud800-\udfff\ue000-\uf8ff\ufffd]/.test(char))
            .join("");
          const escaped = encodeIn(encoding, `?${text}`).slice(1);
          const decoded = new TextDecoder(encoding).decode(bytesOf(escaped));
          expect(decoded.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))).toBe(text);
        },
      ),
      { numRuns: 300 },
    );
  },
);

test("links and requisites of a page that is not UTF-8", () => {
  const html =
    "<meta charset=windows-1251><a href='/п?q=Мир&amp;x=1'>x</a><a href='https://b.test/?Ж#Ж'>x</a><img src='/i?М'>";
  const request = {
    agent: "",
    scriptLinks: false,
    requisites: true,
    formats: null,
    obeyNoindex: true,
  };
  const source = { url: "https://a.test/", contentType: "text/html" };
  const { links, requisites } = readHtml(encode(html, "windows-1251"), source, request);
  expect(links.map(({ url }) => url)).toEqual(["https://a.test/%D0%BF?q=%CC%E8%F0&x=1", "https://b.test/?%C6"]);
  expect(requisites).toEqual(["https://a.test/i?%CC"]);
});

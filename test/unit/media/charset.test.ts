import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeHtml } from "../../../src/media/characters/charset.ts";
import { cpuMsOf } from "../cpu-time.ts";

type Part = string | number[];
/** ASCII as text, other bytes as numbers. */
const bytes = (...parts: Part[]) =>
  Uint8Array.from(
    parts.flatMap((part) => (typeof part === "string" ? Array.from(part, (char) => char.charCodeAt(0)) : part)),
  );

const GBK = [0xd6, 0xd0, 0xce, 0xc4, 0xcd, 0xf8, 0xd2, 0xb3]; // 中文网页
const BIG5 = [0xa4, 0xa4, 0xa4, 0xe5, 0xba, 0xf4, 0xad, 0xb6]; // 中文網頁
const SHIFT_JIS = [0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea]; // 日本語
const EUC_JP = [0xc6, 0xfc, 0xcb, 0xdc, 0xb8, 0xec]; // 日本語
const EUC_KR = [0xc7, 0xd1, 0xb1, 0xb9, 0xbe, 0xee]; // 한국어
const ISO_2022_JP = [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x4b, 0x5c, 0x38, 0x6c, 0x1b, 0x28, 0x42]; // 日本語
const CYRILLIC = [0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]; // Привет
const LATIN = [0x6e, 0x61, 0xef, 0x76, 0x65, 0x20, 0x96, 0x20, 0x80]; // naïve – €
const UTF8 = [0xe4, 0xb8, 0xad, 0xc3, 0xa9]; // 中é

describe("encodings of the web, named by the header", () => {
  test.each([
    ["gbk", GBK, "gbk", "中文网页"],
    ["gb2312", GBK, "gbk", "中文网页"],
    ["GB18030", [0x95, 0x34, 0xb2, 0x35, 0xa2, 0xe3], "gb18030", "𠮷€"],
    ["big5", BIG5, "big5", "中文網頁"],
    ["Shift_JIS", SHIFT_JIS, "shift_jis", "日本語"],
    ["windows-31j", SHIFT_JIS, "shift_jis", "日本語"],
    ["euc-jp", EUC_JP, "euc-jp", "日本語"],
    ["iso-2022-jp", ISO_2022_JP, "iso-2022-jp", "日本語"],
    ["euc-kr", EUC_KR, "euc-kr", "한국어"],
    ["ks_c_5601-1987", EUC_KR, "euc-kr", "한국어"],
    ["windows-1251", CYRILLIC, "windows-1251", "Привет"],
    ["koi8-r", [0xf0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4], "koi8-r", "Привет"],
    ["iso-8859-2", [0xe8, 0x65, 0xb9, 0x74, 0x69, 0x6e, 0x61], "iso-8859-2", "čeština"],
    ["tis-620", [0xe4, 0xb7, 0xc2], "windows-874", "ไทย"],
    ["iso-8859-1", LATIN, "windows-1252", "naïve – €"],
    ["us-ascii", LATIN, "windows-1252", "naïve – €"],
    ["utf-16", [0x2d, 0x4e, 0x41, 0x00], "utf-16le", "中A"],
    ["utf-16be", [0x4e, 0x2d, 0x00, 0x41], "utf-16be", "中A"],
    ["UTF8", UTF8, "utf-8", "中é"],
    ["utf-8", [0x61, 0xff, 0xe4, 0xb8], "utf-8", "a\ufffd\ufffd"],
  ])("%s", (label, sample, encoding, text) =>
    expect(decodeHtml(bytes(sample), `text/html; charset=${label}`)).toEqual({ text, encoding }),
  );
});

describe("the order of the sources", () => {
  const meta = "<meta charset=euc-kr>";
  test.each<[string, Part[], string | null, string]>([
    ["UTF-8 mark before header", [[0xef, 0xbb, 0xbf], meta], "text/html; charset=gbk", "utf-8"],
    ["UTF-16LE mark before header", [[0xff, 0xfe, 0x41, 0x00]], "text/html; charset=gbk", "utf-16le"],
    ["UTF-16BE mark before header", [[0xfe, 0xff, 0x00, 0x41]], "text/html; charset=gbk", "utf-16be"],
    ["header before meta", [meta], "text/html; charset=gbk", "gbk"],
    ["a header that names nothing", [meta], "text/html; charset=nonsense", "euc-kr"],
    ["a header that may not be decoded", [meta], "text/html; charset=hz-gb-2312", "euc-kr"],
    ["a header without charset", [meta], "text/html", "euc-kr"],
    ["no header", [meta], null, "euc-kr"],
    ["meta before valid UTF-8", [meta, UTF8], null, "euc-kr"],
    ["nothing, valid UTF-8", [UTF8], null, "utf-8"],
    ["nothing, ASCII", ["abc"], null, "utf-8"],
    ["nothing at all", [], null, "utf-8"],
    ["nothing, other bytes", [LATIN], null, "windows-1252"],
    ["unknown names, other bytes", ["<meta charset=nonsense>", LATIN], "text/html; charset=", "windows-1252"],
    ["nothing, UTF-8 with one bad byte", [UTF8, UTF8, UTF8, [0xff], UTF8], null, "utf-8"],
    [
      "nothing, an English page with two typographic quotes and one bad byte",
      ["<p>It says ", [0xe2, 0x80, 0x9c], "yes", [0xe2, 0x80, 0x9d], " and ", [0x92], "no.</p>"],
      null,
      "utf-8",
    ],
    ["nothing, UTF-8 that is cut in a character", [UTF8, UTF8, UTF8, [0xe4, 0xb8]], null, "utf-8"],
    ["nothing, as many bad bytes as good characters", [UTF8, LATIN, LATIN], null, "windows-1252"],
    ["a late meta, UTF-8 with one bad byte", [" ".repeat(2_000), meta, UTF8, UTF8, UTF8, [0xff]], null, "euc-kr"],
    ["nothing, ISO-2022-JP", ["<p>", ISO_2022_JP, "</p>"], null, "iso-2022-jp"],
    ["meta before ISO-2022-JP", ["<meta charset=utf-8>", ISO_2022_JP], null, "utf-8"],
    ["nothing, an escape that is none of ISO-2022-JP", [[0x1b], "[31m red", [0x1b]], null, "utf-8"],
    ["nothing, an escape before other bytes", [[0x1b], "$B", UTF8], null, "utf-8"],
    ["a late meta, other bytes", [" ".repeat(2_000), meta, EUC_KR], null, "euc-kr"],
    ["a late meta, valid UTF-8", [" ".repeat(2_000), meta, UTF8], null, "utf-8"],
  ])("%s", (_, parts, contentType, encoding) =>
    expect(decodeHtml(bytes(...parts), contentType).encoding).toBe(encoding),
  );

  test("the mark is no part of the text", () => {
    expect(decodeHtml(bytes([0xef, 0xbb, 0xbf], "a"), null).text).toBe("a");
    expect(decodeHtml(bytes([0xfe, 0xff, 0x00, 0x61]), null).text).toBe("a");
  });
});

test.each([
  ['text/html; charset="gbk"', "gbk"],
  ["text/html;charset=gbk;charset=big5", "gbk"],
  ["text/html; CHARSET=GBK ; x=y", "gbk"],
  ["text/html; x=charset; charset=gbk", "gbk"],
  ["charset=gbk", "utf-8"],
  ['text/html; charset="', "utf-8"],
  ["", "utf-8"],
])("Content-Type %j", (contentType, encoding) => expect(decodeHtml(bytes("a"), contentType).encoding).toBe(encoding));

describe("what a page declares", () => {
  test.each([
    ["<meta charset=gbk>", "gbk"],
    ["<META CharSet='GBK'/>", "gbk"],
    ["<meta/charset=gbk>", "gbk"],
    ['<meta\ncharset\t=\n"gbk">', "gbk"],
    ["<meta charset=x-user-defined>", "windows-1252"],
    ["<meta charset=utf-16>", "utf-8"],
    ["<meta charset=utf-16be>", "utf-8"],
    ['<meta http-equiv="Content-Type" content="text/html; charset=gb2312">', "gbk"],
    ["<meta content='text/html;charset = \"gbk\"' http-equiv=content-type>", "gbk"],
    ["<meta http-equiv=content-type content='charset charset=gbk;x'>", "gbk"],
    ["<meta content='text/html; charset=gbk'>", null],
    ["<meta http-equiv=refresh content='charset=gbk'>", null],
    ["<meta charset=nonsense http-equiv=content-type content='charset=gbk'><meta charset=big5>", "big5"],
    ["<meta charset=gbk charset=big5>", "gbk"],
    // html-encoding-sniffer 6.0.0 throws at these three, which is why the standard's algorithm is written out here.
    ['<meta name=keywords content="html charset"><meta charset=gbk>', "gbk"],
    ['<meta http-equiv=content-type content="text/html; charset=">', null],
    ['<meta http-equiv=content-type content="text/html; charset= ">', null],
    ["<!-- <meta charset=gbk> --><meta charset=big5>", "big5"],
    ["<!--><meta charset=gbk>-->", "gbk"],
    ["<!-- <meta charset=gbk>", null],
    ["<!doctype html><?php ?></p><meta charset=gbk>", "gbk"],
    ["<p title='<meta charset=gbk>'><meta charset=big5>", "big5"],
    ["<p title=a>b<meta charset=gbk>", "gbk"],
    ["</p title='>'><meta charset=gbk>", "gbk"],
    ["<metadata charset=gbk>", null],
    ["< meta charset=gbk>", null],
    ["<<<meta charset=gbk>", "gbk"],
    ["<meta charset=gbk", null],
    ["<meta charset='gbk", null],
    ["<meta charset=>", null],
    ["<meta charset>", null],
    ["<meta =gbk charset=big5>", "big5"],
    ['<?xml version="1.0" encoding="gb2312"?><html>', "gbk"],
    ["<?xml version='1.0' encoding = 'euc-jp' ?><html>", "euc-jp"],
    ['<?xml version="1.0" encoding="gbk"?><meta charset=big5>', "big5"],
    ['<?xml version="1.0" encoding="utf-16"?>', "utf-8"],
    ['<?xml version="1.0"?>', null],
    [` <?xml encoding="gbk"?>`, null],
    ["<\0?\0x\0", "utf-16le"],
    ["\0<\0?\0x", "utf-16be"],
    [`${" ".repeat(1_006)}<meta charset=gbk>`, "gbk"],
  ])("%j", (html, encoding) => {
    // A byte that is not UTF-8 tells a declaration of UTF-8 from none.
    expect(decodeHtml(bytes(html, [0x80]), null).encoding).toBe(encoding ?? "windows-1252");
  });
});

/** Browsers read it as XML: its declaration counts, and a `meta` says nothing (RFC 7303, section 3). */
describe("XHTML", () => {
  const declaration = '<?xml version="1.0" encoding="windows-1251"?>';
  const meta = "<meta charset=koi8-r />";
  const xhtml = "application/xhtml+xml";
  test.each<[string, Part[], string, string]>([
    ["declared", [declaration, CYRILLIC], xhtml, "windows-1251"],
    ["declared, and all of it ASCII", [declaration], xhtml, "windows-1251"],
    ["declared, and a meta that says otherwise", [declaration, meta, CYRILLIC], xhtml, "windows-1251"],
    ["the same as HTML", [declaration, meta, CYRILLIC], "text/html", "koi8-r"],
    ["header before declaration", [declaration, CYRILLIC], "Application/XHTML+XML ; charset=koi8-r", "koi8-r"],
    ["a header in any spelling", [declaration, meta, CYRILLIC], "Application/XHTML+XML ; x=y", "windows-1251"],
    ["mark before declaration", [[0xef, 0xbb, 0xbf], declaration], xhtml, "utf-8"],
    ["no declaration", [UTF8], xhtml, "utf-8"],
    ["no declaration, and a meta", [meta, UTF8], xhtml, "utf-8"],
    // Nothing that a browser would show, so the best that can be made of it.
    ["no declaration, a meta, and no UTF-8", [meta, CYRILLIC], xhtml, "koi8-r"],
    ["declared by a name of nothing", ['<?xml version="1.0" encoding="nonsense"?>', meta, UTF8], xhtml, "utf-8"],
    ["UTF-16 by its first letters", ["<\0?\0x\0m\0l\0"], xhtml, "utf-16le"],
  ])("%s", (_, parts, contentType, encoding) =>
    expect(decodeHtml(bytes(...parts), contentType).encoding).toBe(encoding),
  );
});

test("decodes any bytes under any header", () => {
  const html = fc
    .array(
      fc.constantFrom(
        "<",
        ">",
        "<meta ",
        "<!--",
        "-->",
        "charset=",
        "content=",
        "http-equiv=content-type",
        "'",
        '"',
        " ",
        "/",
        "=",
        "gbk",
        "<?xml ",
        "encoding=",
      ),
      { maxLength: 30 },
    )
    .map((parts) => bytes(parts.join("")));
  fc.assert(
    fc.property(
      fc.oneof(fc.uint8Array({ maxLength: 200 }), html),
      fc.option(fc.string()),
      fc.boolean(),
      (body, header, valid) => {
        const type = body.length % 2 === 0 ? "text/html" : "application/xhtml+xml";
        const { text, encoding } = decodeHtml(body, valid && header !== null ? `${type}; charset=${header}` : header);
        expect(typeof text).toBe("string");
        expect(new TextDecoder(encoding).encoding).toBe(encoding);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("an XML declaration of 64 KiB that does not end is looked through once", () => {
  // Looked through from each of its words, one takes a quarter of a second.
  const body = bytes(`<?xml ${'encoding=""'.repeat(5_900)}`, [0x80]);
  const ms = cpuMsOf(() => {
    for (let times = 0; times < 20; times++) expect(decodeHtml(body, null).encoding).toBe("windows-1252");
  });
  expect(ms).toBeLessThan(2_000);
});

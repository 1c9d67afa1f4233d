import { describe, expect, test } from "vitest";
import { decodeAttribute, encodeAttribute } from "../../../../src/reading/replay/decode-attribute.ts";
import { plainContext, ReplayLinks } from "../../../../src/reading/replay/replay-links.ts";
import { rewriteCss, rewriteRefresh, rewriteSrcset } from "../../../../src/reading/replay/rewrite-text.ts";

const PAGE = "https://a.test/dir/page?x=1";
const links = new ReplayLinks("/R/", plainContext(PAGE));

describe("a link", () => {
  test.each<[string, string | null]>([
    ["b.html", "/R/https://a.test/dir/b.html"],
    ["/b?q=1&r=%2F#top", "/R/https://a.test/b?q=1&r=%2F#top"],
    ["?y=2", "/R/https://a.test/dir/page?y=2"],
    ["//b.test/c", "/R/https://b.test/c"],
    [" HTTP://B.test:8080/ \n", "/R/http://b.test:8080/"],
    ["https://me:secret@b.test/", "/R/https://b.test/"],
    ["../../up/./x y", "/R/https://a.test/up/x%20y"],
    ["#top", null],
    ["", null],
    ["mailto:a@b.test", null],
    ["data:image/png;base64,AA==", null],
    ["javascript:alert(1)", null],
    ["https://", null],
  ])("%j", (written, address) => {
    expect(links.addressOf(written)).toBe(address);
  });

  test("below another base, where a place in the page is one in another", () => {
    const based = new ReplayLinks("/R/", { ...plainContext(PAGE), base: "https://b.test/base/" });
    expect([based.addressOf("x"), based.addressOf("#top")]).toEqual([
      "/R/https://b.test/base/x",
      "/R/https://b.test/base/#top",
    ]);
  });
});

test.each([
  ["a { b: url(c.png) }", 'a { b: url("/R/https://a.test/dir/c.png") }'],
  ["@import 'c.css' screen;", '@import "/R/https://a.test/dir/c.css" screen;'],
  ["a { b: url(#shape); c: url(data:,x); d: url() }", "a { b: url(#shape); c: url(data:,x); d: url() }"],
  [`a { b: url('?"\\5c') }`, 'a { b: url("/R/https://a.test/dir/page?%22\\\\") }'],
  ["a { content: '</b>' }", "a { content: '</b>' }"],
])("CSS %j", (css, rewritten) => {
  expect(rewriteCss(css, links)).toBe(rewritten);
});

test.each([
  ["a.png 1x, /b.png 2x", "/R/https://a.test/dir/a.png 1x, /R/https://a.test/b.png 2x"],
  ["data:,x 1x, b.png", "data:,x 1x, /R/https://a.test/dir/b.png"],
])("srcset %j", (srcset, rewritten) => {
  expect(rewriteSrcset(srcset, links)).toBe(rewritten);
});

test.each([
  ["0;url=next", "0; url=/R/https://a.test/dir/next"],
  ["5 , URL = 'next'", "5; url=/R/https://a.test/dir/next"],
  ["30", "30"],
])("refresh %j", (content, rewritten) => {
  expect(rewriteRefresh(content, links)).toBe(rewritten);
});

test.each([
  ["?a=1&amp;b=2", "?a=1&b=2"],
  ["?a=1&b=2", "?a=1&b=2"],
  ["?a=1&copy=2", "?a=1&copy=2"],
  ["&#x2f;&#47;", "//"],
  ['"&amp;"', '"&"'],
])("the attribute %j means %j", (source, value) => {
  expect(decodeAttribute(source)).toBe(value);
  expect(decodeAttribute(encodeAttribute(value))).toBe(value);
});

import { expect, test } from "vitest";
import { findCssUrls } from "../../../../src/media/css/css-urls.ts";
import { cpuMsOf } from "../../cpu-time.ts";

test.each<[string, string[]]>([
  ["a { background: url(a.png) }", ["a.png"]],
  ["a { background: URL(  'a b.png'  ) }", ["a b.png"]],
  ['a { background: url("a)b.png"), url(c.png) }', ["a)b.png", "c.png"]],
  ["@import url(a.css) screen;", ["a.css"]],
  ["@import 'a.css' layer(x) supports(display: grid);", ["a.css"]],
  ['@IMPORT "a.css"; @import "b.css";', ["a.css", "b.css"]],
  ["@import 'a.css' url(never.css);", ["a.css", "never.css"]],
  ["/* url(no.png) @import 'no.css'; */ a { b: url(a.png) }", ["a.png"]],
  ["a::before { content: 'url(no.png)' } b { c: url(a.png) }", ["a.png"]],
  ["a { content: 'a string' }", []],
  ["@namespace url(http://www.w3.org/1999/xhtml); a { b: url(a.png) }", ["a.png"]],
  ["@font-face { src: url(a.woff2) format('woff2'), local('Name') }", ["a.woff2"]],
  ["a { b: image-set('a.png' 1x, url(b.png) 2x, 'c.avif' type('image/avif')) }", ["a.png", "b.png", "c.avif"]],
  ["a { b: -webkit-image-set('a.png' 1x); content: 'no.png' }", ["a.png"]],
  ["a { b: my-url(no.png) }", []],
  ["a { b: url(a\\29 b.png) }", ["a)b.png"]],
  ["a { b: url('a\\\nb.png') }", ["ab.png"]],
  ["a { b: url('a\\000000.png') }", ["a\ufffd.png"]],
  ["a { b: url(data:image/png;base64,AAAA) }", ["data:image/png;base64,AAAA"]],
  ["a { b: url(un closed.png) } c { d: url(a.png) }", ["a.png"]],
  ["a { b: url() }", [""]],
  ["a { b: 'unclosed\n} c { d: url(a.png) }", ["a.png"]],
  ["/* unclosed url(no.png)", []],
  ["@import 'a.css", ["a.css"]],
])("%j", (css, urls) => {
  const found = [...findCssUrls(css)];
  expect(found.map(({ url }) => url)).toEqual(urls);
  for (const { start, end } of found) expect(css.slice(start, end)).toMatch(/^(?:url\(.*\)|["'])/is);
});

test.each([
  ["url(", "url(".repeat(200_000)],
  ["quotes in url(", 'url("'.repeat(200_000)],
  ["escaped quotes", `url("${'\\"url("'.repeat(100_000)}`],
  ["comments that begin", "/*".repeat(400_000)],
  ["escapes", `url(${"\\a".repeat(400_000)}`],
])("many %s are read in time", (_, css) => {
  const ms = cpuMsOf(() => {
    for (const _found of findCssUrls(css));
  });
  expect(ms).toBeLessThan(2_000);
});

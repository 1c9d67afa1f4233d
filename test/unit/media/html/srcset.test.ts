import { expect, test } from "vitest";
import { findSrcsetUrls } from "../../../../src/media/html/links/srcset.ts";

test.each<[string, string[]]>([
  ["a.png", ["a.png"]],
  ["a.png 1x, b.png 2x", ["a.png", "b.png"]],
  ["a.png, b.png", ["a.png", "b.png"]],
  ["  a.png 100w ,\n\tb.png 200w  ", ["a.png", "b.png"]],
  ["/w_10,h_10/a.png 1x,/w_20,h_20/a.png 2x", ["/w_10,h_10/a.png", "/w_20,h_20/a.png"]],
  ["a.png,b.png 2x", ["a.png,b.png"]],
  ["a.png 1x (x, y), b.png", ["a.png", "b.png"]],
  ["data:image/png;base64,AA== 1x, b.png 2x", ["data:image/png;base64,AA==", "b.png"]],
  [",,, ,", []],
  ["", []],
  ["a.png,,", ["a.png"]],
])("%j", (srcset, urls) => {
  const found = [...findSrcsetUrls(srcset)];
  expect(found.map(({ url }) => url)).toEqual(urls);
  for (const { url, start, end } of found) expect(srcset.slice(start, end)).toBe(url);
});

import { expect, test } from "vitest";
import { pageRequisites } from "../../../../src/media/html/links/requisites.ts";
import { parseHtml } from "../../../../src/media/html/tree/linkedom.ts";
import { canonicalize } from "../../../../src/url/canonicalize.ts";

const PAGE = "https://a.test/dir/page";

test.each<[string, string[]]>([
  ["<img src=i.png srcset='j.png 1x, k.png 2x'>", ["i.png", "j.png", "k.png"]],
  ["<picture><source srcset=a.webp type=image/webp><img src=a.png></picture>", ["a.webp", "a.png"]],
  ["<video src=v.mp4 poster=p.png><source src=w.webm></video><audio src=a.ogg>", ["p.png", "v.mp4", "w.webm", "a.ogg"]],
  ["<link rel='alternate stylesheet' href=s.css><link rel='shortcut icon' href=f.ico>", ["s.css", "f.ico"]],
  ["<link rel=preload href=f.woff2 as=font><link rel=apple-touch-icon href=t.png>", ["f.woff2", "t.png"]],
  ["<link rel=canonical href=no><link rel=next href=no><link rel=dns-prefetch href=//no.test><link href=no>", []],
  ["<script src=s.js></script><script>'no.js'</script>", ["s.js"]],
  ["<img src='data:,x' data-src=lazy.png data-srcset='l1.png 1x, l2.png 2x'>", ["lazy.png", "l1.png", "l2.png"]],
  ["<picture><source data-srcset=lazy.webp></picture><script data-src=no.js></script>", ["lazy.webp"]],
  ["<iframe srcdoc=\"<img src='f.png'><style>a { b: url(g.png) }</style>\"></iframe>", ["f.png", "g.png"]],
  ["<input type=IMAGE src=b.png><input src=no.png>", ["b.png"]],
  ["<body background=b.png><table background=c.png>", ["b.png", "c.png"]],
  [
    "<p style='background: url(b.png)'><style>@import \"s.css\"; a { b: url(c.png) }</style>",
    ["b.png", "s.css", "c.png"],
  ],
  ["<svg><image href=i.png /><use xlink:href='u.svg#x' /><use href='#here' /></svg>", ["i.png", "u.svg"]],
  ["<noscript><img src=n.png></noscript>", ["n.png"]],
  ["<a href=no.png>x</a><iframe src=no.html></iframe><object data=no.swf></object>", []],
  ["<img src=''><img src='#x'><img src=page><img src='data:,x'><img src='blob:x'>", []],
  ["<img src=i.png><img src=./i.png#x>", ["i.png"]],
  ["<img src='https://b.test/i.png?a=1&amp;b=2'>", ["https://b.test/i.png?a=1&b=2"]],
])("%j", (html, urls) => {
  const found = pageRequisites(parseHtml(html), PAGE, PAGE, canonicalize);
  expect(found).toEqual(urls.map((url) => new URL(url, PAGE).href));
});

test("below another base", () => {
  const found = pageRequisites(parseHtml("<img src=i.png>"), PAGE, "https://b.test/x/", canonicalize);
  expect(found).toEqual(["https://b.test/x/i.png"]);
});

test("no page has more of them than anybody would write", () => {
  const html = Array.from({ length: 5_000 }, (_, i) => `<img src=${i}.png>`).join("");
  expect(pageRequisites(parseHtml(html), PAGE, PAGE, canonicalize)).toHaveLength(1_000);
});

import { describe, expect, test } from "vitest";
import { findParts } from "../../../../src/changes/restless-places.ts";
import type { PagePart } from "../../../../src/media/document.ts";
import { readHtml } from "../../../../src/media/html/tree/read-html.ts";

/** What a page says beside its text, as it is read of HTML. */

function partsOf(html: string, ignoredElements: string[] = []): PagePart[] {
  const source = { url: "https://a.test/dir/page", contentType: "text/html; charset=utf-8" };
  const wanted = { agent: "t", scriptLinks: false, requisites: false, formats: ["text" as const], obeyNoindex: false };
  return [
    ...(readHtml(new TextEncoder().encode(html), source, { ...wanted, parts: true, ignoredElements }).parts ?? []),
  ];
}

/** Whether a version with the second page would be stored after the first one. */
const differs = (before: string, after: string) => findParts(partsOf(before), partsOf(after), null, 1).isStored;

test("reads links, pictures and data with their places, URLs as they are known", () => {
  const html = `<html><head><meta name="description" content="D"></head><body><main class="m1 x">
    <p>Text <a href="../other?utm_source=x">o</a></p><img src="/a.png" alt="A"></main></body></html>`;
  expect(partsOf(html)).toEqual([
    { kind: "data", place: "meta description", value: "D" },
    { kind: "link", place: "html>body>main.m#>p>a href", value: "https://a.test/other" },
    { kind: "image", place: "html>body>main.m#>img src", value: "https://a.test/a.png" },
    { kind: "image", place: "html>body>main.m#>img alt", value: "A" },
  ]);
});

describe("a page is another", () => {
  test.each<[string, string, string]>([
    ["where a link is mended", `<a href="/x">x</a>`, `<a href="/y">x</a>`],
    ["where a link is added", `<a href="/x">x</a>`, `<a href="/x">x</a><a href="/y"></a>`],
    ["where a link goes", `<a href="/x">x</a><a href="/y"></a>`, `<a href="/x">x</a>`],
    ["where a frame shows another page", `<iframe src="/x"></iframe>`, `<iframe src="/y"></iframe>`],
    ["where a picture is another", `<img src="/1.png">`, `<img src="/2.png">`],
    ["where a picture has another description", `<img src="/1.png" alt="old">`, `<img src="/1.png" alt="new">`],
    ["where a picture of many sizes is another", `<img srcset="/1.png 2x">`, `<img srcset="/2.png 2x">`],
    ["where a video is another", `<video src="/1.mp4"></video>`, `<video src="/2.mp4"></video>`],
    ["where a price is another in a data attribute", `<b data-price="10">Buy</b>`, `<b data-price="12">Buy</b>`],
    ["in microdata", `<meta itemprop="price" content="10">`, `<meta itemprop="price" content="12">`],
    ["in another microdata", `<b itemprop="price" content="10">Buy</b>`, `<b itemprop="price" content="12">Buy</b>`],
    [
      "in Open Graph",
      `<meta property="og:price:amount" content="10">`,
      `<meta property="og:price:amount" content="12">`,
    ],
    [
      "in JSON-LD",
      `<script type="application/ld+json">{"@type":"Product","offers":{"price":10}}</script>`,
      `<script type="application/ld+json">{"@type":"Product","offers":{"price":12}}</script>`,
    ],
    ["in a date", `<time datetime="2026-01-01">soon</time>`, `<time datetime="2026-01-02">soon</time>`],
    ["in a choice", `<option value="1">a`, `<option value="2">a`],
    ["in its style sheet", `<link rel="stylesheet" href="/a.css">`, `<link rel="stylesheet" href="/b.css">`],
    ["in its canonical URL", `<link rel="canonical" href="/a">`, `<link rel="canonical" href="/b">`],
  ])("%s", (_, before, after) => {
    expect([differs(before, after), differs(before, before)]).toEqual([true, false]);
  });
});

describe("a page is the same", () => {
  const token = (n: number) => `a3F9${n}kQz7Lm2Xw8Yp4Rt6${n}Bn`;
  test.each<[string, (n: number) => string]>([
    ["with another token in a form", (n) => `<input type="hidden" name="csrf" value="${n}">`],
    ["with another token in its head", (n) => `<meta name="csrf-token" content="${n}${n}">`],
    ["with another nonce", (n) => `<script nonce="${n}" src="/a.js"></script>`],
    ["with another token in a data attribute", (n) => `<b data-state="${token(n)}">b</b>`],
    ["with another name of its request", (n) => `<b data-request-id="${n}">b</b>`],
    ["with another hash", (n) => `<b data-of="0123456789abcdef0123456789abcde${n}">b</b>`],
    ["with another time of the server", (n) => `<b data-now="176400000${n}123">b</b>`],
    ["with another number against caches", (n) => `<img src="/a.png?_=${n}"><a href="/x?id=7&ts=${n}">x</a>`],
    ["with a session in its links", (n) => `<a href="/x?id=7&sid=${n}">x</a>`],
    ["with a token in its links", (n) => `<a href="/x?k=${token(n)}">x</a>`],
    ["with another script in it", (n) => `<script>var now = ${n}</script>`],
    ["with other classes of its own elements", (n) => `<p class="p-${n}"><a href="/x">x</a></p>`],
    ["with another drawn picture", (n) => `<img src="data:image/png;base64,${n}">`],
    ["with another text", (n) => `<p>Text ${n}</p>`],
  ])("%s", (_, page) => {
    expect(differs(page(1), page(2))).toBe(false);
  });

  test.each<[string, string]>([
    ["a slug of words", "https://a.test/x?name=The-New-Phone-15-Pro-Max-black"],
    ["a number of an article", "https://a.test/x?id=20260104"],
  ])("though %s is no token", (_, url) => {
    expect(partsOf(`<a href="${url}">x</a>`)).toMatchObject([{ value: url }]);
  });

  test("but for elements that its watch ignores", () => {
    expect(partsOf(`<div class="ad"><p><a href="/x">x</a></p></div><a href="/y">y</a>`, [".ad"])).toMatchObject([
      { value: "https://a.test/y" },
    ]);
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { extractPage } from "../../../../src/media/html/page.ts";
import { parseHtml } from "../../../../src/media/html/tree/linkedom.ts";
import { canonicalize } from "../../../../src/url/canonicalize.ts";
import { messyHtml } from "./messy-html.ts";

const PAGE = "https://example.com/dir/page";
const extract = (html: string, maxLinks?: number) =>
  extractPage(parseHtml(html), PAGE, canonicalize, maxLinks === undefined ? {} : { maxLinks });
/** The links as `kind path`, `!` for nofollow. */
const links = (html: string) =>
  extract(html).links.map(
    ({ url, kind, nofollow }) => `${kind}${nofollow ? "!" : ""} ${url.replace("https://example.com", "")}`,
  );

describe("which elements are links", () => {
  test.each([
    ["<a href=/a>x</a>", ["a /a"]],
    ["<A HREF=/a>x</A>", ["a /a"]],
    ["<a name=x>", []],
    ["<area href=/a>", ["area /a"]],
    ["<frameset><frame src=/a><frame SRC=/b></frameset>", ["frame /a", "frame /b"]],
    ["<iframe src=/a></iframe><iframe></iframe>", ["iframe /a"]],
    ["<iframe src=about:blank></iframe>", []],
    ["<link rel=next href=/a><link rel='PREV' href=/b>", ["link /a", "link /b"]],
    ["<link rel=alternate hreflang=de href=/de>", ["link /de"]],
    ["<link rel='alternate' type='text/html; charset=utf-8' href=/a>", ["link /a"]],
    ["<link rel=alternate type=application/rss+xml href=/feed>", []],
    ["<link rel=alternate type=application/json+oembed href=/oembed?url=x>", []],
    ["<link rel='alternate stylesheet' href=/dark.css>", []],
    ["<link rel=stylesheet href=/a.css><link rel=icon href=/i><link rel=preload href=/p><link href=/x>", []],
    ["<link rel='nofollow\nnext' href=/a>", ["link! /a"]],
    ["<link rel=nextpage href=/a>", []],
    ["<meta http-equiv=Refresh content='0; url=/a'>", ["refresh /a"]],
    ["<a href=/a rel='noopener NOFOLLOW'>", ["a! /a"]],
    ["<a href=/a rel=nofollower>", ["a /a"]],
    ["<a href=/a rel=ugc><a href=/b rel='Sponsored noopener'>", ["a! /a", "a! /b"]],
    ["<a href=/a rel='nofollow,noopener'><a href=/b rel='noopener,ugc'>", ["a! /a", "a! /b"]],
    ["<svg><a href=/a></a></svg>", ["a /a"]],
    ["<svg><a xlink:href=/a></a><A XLINK:HREF=/b /></svg><a xlink:href=/c>", ["a /a", "a /b"]],
    ["<svg><a xlink:href=/a href=/b></a></svg>", ["a /b"]],
    ["<noscript><a href=/a></a></noscript>", ["a /a"]],
    ["<head><noscript><link rel=next href=/a></noscript></head><a href=/b>", ["link /a", "a /b"]],
    ["<noframes><a href=/a></a></noframes>", ["a /a"]],
    ["<frameset><frame src=/a><noframes><body><a href=/b></noframes></frameset>", ["frame /a", "a /b"]],
    ["<iframe src=/a>no frames? <a href=/b>here</a></iframe><a href=/c>", ["iframe /a", "a /b", "a /c"]],
    ["<img src=/a srcset='/b 1x, /c 2x'><picture><source srcset=/d></picture>", []],
    ["<link rel=preload as=image href=/a imagesrcset='/b 1x'>", []],
    ["<template><a href=/a></a></template><a href=/b>", ["a /b"]],
    ["<template><p><b><a href=/a></a>x</b>y</p>z</template><a href=/b>", ["a /b"]],
    ["<template>text</template><a href=/a>", ["a /a"]],
    ["<template><template><a href=/a></template><a href=/b></template><a href=/c>", ["a /c"]],
    ["<template><base href=/x/></template><a href=a>", ["a /dir/a"]],
    ["<template shadowrootmode=open><a href=/a></a></template>", ["a /a"]],
    ["<a href=/1>x<a href=/2>y<p><a href=/3>", ["a /1", "a /2", "a /3"]],
    ["text <a href=/a>", ["a /a"]],
    ["<a href=/a>1<area href=/b><iframe src=/c></iframe><a href=/d>", ["a /a", "area /b", "iframe /c", "a /d"]],
    ["", []],
  ])("%j", (html, expected) => expect(links(html)).toEqual(expected));
});

describe("what is text, and no element", () => {
  test.each([
    "<script>'<a href=/a>'</script>",
    "<SCRIPT>'<a href=/a>'</SCRIPT\n>",
    "<style><a href=/a></style>",
    "<title><a href=/a></title>",
    "<textarea><a href=/a></textarea>",
    "<xmp><a href=/a></xmp>",
    "<XMP><a href=/a></b></XMP>",
    "<noembed><a href=/a></noembed>",
    "<noembed><b><a href=/a>x</a></b></noembed>",
    "<!-- <a href=/a> -->",
    "<!-- <a href=/a> --!>",
    "<!-- -- > <a href=/a> --->",
    "<!-->",
    "<!--->",
    "<!doctype x '<a href=/a'>",
    "<?php '<a href=/a' ?>",
    "</p '<a href=/a'>",
    "<b title='<a href=/a>'>",
  ])("%j, and what follows is read", (html) => expect(links(`${html}<a href=/after>`)).toEqual(["a /after"]));

  test.each([
    "<plaintext><a href=/a></plaintext><a href=/b>",
    "<!-- <a href=/a>",
    "<script><a href=/a>",
    "<textarea><a href=/a>",
    "<title><a href=/a>",
    "<a href=/a",
    "<a href='/a'",
    "<a href='/a><a href=/b>",
  ])("%j, to the end of the page", (html) => expect(links(`<a href=/before>${html}`)).toEqual(["a /before"]));
});

describe("how the href is written", () => {
  test.each([
    ["<a href=/x?a=1&amp;b=2>", "/x?a=1&b=2"],
    ["<a href='/x?a=1&#38;b=2'>", "/x?a=1&b=2"],
    ["<a href='/x?a=1&#X26b=2'>", "/x?a=1%C9%AB=2"],
    ["<a href='/x?a=1&b=2'>", "/x?a=1&b=2"],
    ["<a href='/x?a&copy=2'>", "/x?a&copy=2"],
    ["<a href='/x?a&copyright'>", "/x?a&copyright"],
    ["<a href='/x?a&copy;=2'>", "/x?a%C2%A9=2"],
    ["<a href='/x?a&copy'>", "/x?a%C2%A9"],
    ["<a href=/x?a&lt=1&sect=2&notit;>", "/x?a&lt=1&sect=2&notit;"],
    ["<a href='&sol;x&Tab;y&NewLine;'>", "/xy"],
    ["<a href='/x?&#0;'>", "/x?%EF%BF%BD"],
    ["<a href = '/x y'>", "/x%20y"],
    ['<a HREF\n=\n" /x\ny ">', "/xy"],
    ["<a\fhref=/x\f>", "/x"],
    ["<a/href=/x/>", "/x/"],
    ["<a class='c'href='/x'title=t>", "/x"],
    ["<a href=/x'y\"z>", "/x'y%22z"],
    ['<a href="/x\'y">', "/x'y"],
    ["<a href=/x?<b>y", "/x?%3Cb"],
    ["<a href==x>", "/dir/=x"],
    ["<a href=/x href=/y>", "/x"],
    ["<a HREF='/x' href=/y>", "/x"],
    ["<a href=/x <a href=/y>", "/x"],
    ["<a href='/x\0y'>", "/x%EF%BF%BDy"],
    ["<a href=\0/x>", "/dir/%EF%BF%BD/x"],
    ["<a href=//other.example/x>", "https://other.example/x"],
    ["<a href=http://bücher.example/>", "http://xn--bcher-kva.example/"],
    ["<a href=http://%65xample.com/>", "http://example.com/"],
  ])("%j", (html, url) => expect(links(html)).toEqual([`a ${url}`]));

  test.each([
    "<a href=''>",
    "<a href= >x",
    "<a href>",
    "<a href href=/x>",
    "<a hreflang=/x>",
    "<a =href=/x>",
    "<a\0 href=/x>",
  ])("%j leads nowhere", (html) => expect(links(html)).toEqual([]));
});

describe("links that are hidden in scripts", () => {
  const hidden = (html: string) =>
    extractPage(parseHtml(html), PAGE, canonicalize, { scriptLinks: true }).links.map(
      ({ url, kind, nofollow }) => `${kind}${nofollow ? "!" : ""} ${url.replace("https://example.com", "")}`,
    );

  test.each([
    ["<script>'/a'</script>", ["script /a"]],
    ["<script type=''>'/a'</script><script type=Module>'/b'</script>", ["script /a", "script /b"]],
    ["<script type=' text/javascript '>'/a'</script>", ["script /a"]],
    ['<script type=\'application/ld+json; charset=utf-8\'>{"url":"\\/a"}</script>', ["script /a"]],
    ['<script type=application/json>["/a&amp;b"]</script>', ["script /a&amp;b"]],
    ['<script type=text/template>\'/a\'</script><script type=importmap>{"a":"/a"}</script>', []],
    ["<script src=x.js>'/a'</script><script src>'/b'</script>", []],
    ["<div data-href=/a DATA-X='[&quot;/b&quot;]' data=/c title=/d></div>", ["script /a", "script /b"]],
    ["<script data-url=/a src=x.js></script>", ["script /a"]],
    ["<template><script>'/a'</script><p data-x=/b></template>", []],
    ["<textarea>'/a'</textarea><style>'/b'</style><!-- '/c' --><p>'/d'", []],
    ["<base href=//other.example/x/><script>'/a'</script>", ["script https://other.example/a"]],
    ["<script>'/a'</script><a href=/b><p data-x=/c><a href=/d>", ["a /b", "a /d", "script /a", "script /c"]],
    ["<script>'/a', '/a#b', 'https://example.com/a'</script><a href=/a>", ["a /a"]],
    ["<script>'/a'</script><a href=/a rel=nofollow>", ["a! /a"]],
    ["<script>'/a'</script><link rel=canonical href=/a>", ["link /a"]],
    ["<p data-x=/a><plaintext><p data-x=/b>", ["script /a"]],
  ])("%j", (html, expected) => {
    expect(hidden(html)).toEqual(expected);
    expect(links(html)).toEqual(expected.filter((link) => !link.startsWith("script")));
  });

  test("a wrong guess is not counted as the page's invalid link, and written links are the first to be kept", () => {
    const html = "<script>'http://', '//a.b:99999/', '/a', '/b'</script><a href=/c><a href=//[>";
    const page = extractPage(parseHtml(html), PAGE, canonicalize, { scriptLinks: true, maxLinks: 2 });
    expect(page).toMatchObject({ invalidCount: 1, invalid: ["//["], dropped: { count: 1 } });
    expect(page.links.map(({ kind }) => kind)).toEqual(["a", "script"]);
  });

  test("an element of 400,000 attributes takes no longer than others", () => {
    const attributes = Array.from({ length: 400_000 }, (_, at) => `data-${at}=/${at}`);
    expect(hidden(`<p ${attributes.join(" ")}>`)).toHaveLength(1_000);
  });

  test("whatever the page, the written links are those that it has without, and come first", () => {
    fc.assert(
      fc.property(messyHtml, (html) => {
        const written = links(html);
        expect(hidden(html).slice(0, written.length)).toEqual(written);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("each URL once", () => {
  test.each([
    ["<a href=/a><a href=/a#b><a href=../a><area href=/a>", ["a /a"]],
    ["<area href=/a rel=nofollow><a href=/a rel=nofollow>", ["area! /a"]],
    ["<a href=/a rel=nofollow><a href=/a>", ["a /a"]],
    ["<a href=/a?utm_source=x><a href=/a>", ["a /a"]],
    ["<a href=#b><a href=''><a href=page>", ["a /dir/page"]],
  ])("%j", (html, expected) => expect(links(html)).toEqual(expected));

  test("at most maxLinks, and the others are counted", () => {
    const html = "<a href=1><a href=1><a href=2><a href=javascript:0><a href=2><a href=//[>";
    expect(extract(html, 2)).toMatchObject({ dropped: { count: 0 }, invalidCount: 1, invalid: ["//["] });
    const cut = extract(`${html}<a href=3><link rel=canonical href=/c>`, 2);
    expect(cut.dropped).toMatchObject({ count: 2, examples: ["https://example.com/dir/3", "https://example.com/c"] });
    expect(cut.links.map(({ url }) => url)).toEqual(["https://example.com/dir/1", "https://example.com/dir/2"]);
    expect(cut.canonical).toBe("https://example.com/c");
  });
});

describe("base", () => {
  test.each([
    ["<base href=/x/><a href=a>", "https://example.com/x/", ["a /x/a"]],
    ["<a href=a><base href=/x/>", "https://example.com/x/", ["a /x/a"]],
    ["<base target=_top><base href=/x/><base href=/y/><a href=a>", "https://example.com/x/", ["a /x/a"]],
    ["<base href=sub/><a href=a>", "https://example.com/dir/sub/", ["a /dir/sub/a"]],
    ["<base href=javascript:0><a href=a>", PAGE, ["a /dir/a"]],
    ["<base href='/x/'><a href=#top>", "https://example.com/x/", ["a /x/"]],
    ["<base href=page><a href=#top>", PAGE, []],
    ["<svg><base href=/x/></svg><base href=/y/><a href=a>", "https://example.com/y/", ["a /y/a"]],
  ])("%j", (html, base, expected) => {
    expect(extract(html).base).toBe(base);
    expect(links(html)).toEqual(expected);
  });
});

describe("canonical and refresh", () => {
  test.each([
    ["<link rel=canonical href=/c>", "https://example.com/c", null],
    ["<link rel=canonical href=/c><link rel=canonical href=/d>", "https://example.com/c", null],
    ["<link rel='next canonical' href='/c#d'>", "https://example.com/c", null],
    ["<link rel=canonical href=''><link rel=canonical>", null, null],
    ["<link rel=canonical href=javascript:0>", null, null],
    ["<meta http-equiv=refresh content='3;url=/r?a&amp;b'>", null, "https://example.com/r?a&b"],
    ["<meta http-equiv=refresh content=30><meta http-equiv=refresh content='1;/r'>", null, "https://example.com/r"],
    ["<meta http-equiv=refresh content='1;/r'><meta http-equiv=refresh content='1;/s'>", null, "https://example.com/r"],
    ["<meta http-equiv=refresh content='0;url=javascript:x'>", null, null],
    ["<meta http-equiv=refresh><meta content='0;url=/r'>", null, null],
    ["<noscript><meta http-equiv=refresh content='0;url=/r'></noscript>", null, "https://example.com/r"],
  ])("%j", (html, canonical, refresh) => expect(extract(html)).toMatchObject({ canonical, refresh }));
});

describe("what the page says of itself", () => {
  test.each([
    ["<title>A &amp; B</title>", "A & B"],
    ["<title>\n  A\t <b>B</b>\u00a0C  </title>", "A <b>B</b>\u00a0C"],
    ["<svg><title>no</title></svg><title>yes</title><title>late</title>", "yes"],
    ["<svg><title>no</title></svg>", null],
    ["<title></title><title>late</title>", null],
    ["<p>none", null],
    ["<body><p><title>in body</title>", "in body"],
    ["<title>unclosed <p>", "unclosed <p>"],
    [`<title>${"x".repeat(600)}</title>`, "x".repeat(500)],
    [`<title>${"x".repeat(499)}😀</title>`, "x".repeat(499)],
  ])("title %j", (html, title) => expect(extract(html).title).toBe(title));

  test.each([
    ["<meta name=description content=' a\n b '>", "a b"],
    ["<META NAME=Description CONTENT=a><meta name=description content=b>", "a"],
    ["<meta name=description content=''><meta name=description content=b>", "b"],
    ["<meta name=description>", null],
    ["<meta property=og:description content=a>", null],
    [`<meta name=description content=${"x".repeat(1_500)}>`, "x".repeat(1_000)],
  ])("description %j", (html, description) => expect(extract(html).description).toBe(description));

  test.each([
    ["<html lang=de-CH>", "de-CH"],
    ["<html LANG=' en '>", "en"],
    ["<html lang=''><p lang=fr>", null],
    ["<html><html lang=nl>", "nl"],
    ["<html xml:lang=fr>", "fr"],
    ["<html xml:lang=fr lang=de>", "de"],
    ["<p>", null],
  ])("language %j", (html, language) => expect(extract(html).language).toBe(language));

  test.each([
    ["<meta name=robots content='NoIndex, nofollow'>", ["noindex", "nofollow"]],
    ["<meta name=ROBOTS content=noindex><meta name=robots content='noindex,noarchive'>", ["noindex", "noarchive"]],
    ["<meta name=robots content='noindex nofollow,,'>", ["noindex", "nofollow"]],
    ["<meta name=robots content='noindex max-snippet: 50, none'>", ["noindex", "max-snippet: 50", "none"]],
    [
      "<meta name=robots content='unavailable_after: 25 Jun 2026 15:00:00 PST, noindex'>",
      ["unavailable_after: 25 jun 2026 15:00:00 pst", "noindex"],
    ],
    ["<meta name=googlebot content=noindex><meta name=robots>", []],
  ])("robots %j", (html, robots) => expect(extract(html).robots).toEqual(robots));
});

test("whatever the page, links are absolute, http or https, and each there once", () => {
  fc.assert(
    fc.property(fc.oneof(messyHtml, fc.string({ unit: "binary" })), (html) => {
      const page = extract(html);
      const urls = page.links.map(({ url }) => url);
      expect(new Set(urls).size).toBe(urls.length);
      for (const url of [page.base, page.canonical, page.refresh, ...urls]) {
        if (url !== null) expect(new URL(url).protocol).toMatch(/^https?:$/);
      }
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ["<link rel=alternate type=application/rss+xml href=/rss>", ["/rss"]],
  ["<link rel='ALTERNATE home' type='application/atom+xml; charset=utf-8' href=atom>", ["/dir/atom"]],
  ["<link rel=alternate type=application/rss+xml href=/rss><link rel=alternate type=text/xml href=/x>", ["/rss"]],
  ["<link rel=alternate href=/a><link rel=alternate type=application/feed+json href=/b>", []],
  ["<link rel='alternate nofollow' type=application/rss+xml href=/rss>", []],
  ["<link type=application/rss+xml href=/rss><a rel=alternate type=application/rss+xml href=/b>", []],
])("the feeds of %j", (html, expected) => {
  expect(extract(html).feeds).toEqual(expected.map((path) => `https://example.com${path}`));
});

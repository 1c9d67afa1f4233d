import { expect, test } from "vitest";
import { decodePageLinks, encodePageLinks } from "../../../../src/graph/page-links.ts";
import { readHtml } from "../../../../src/media/html/tree/read-html.ts";

/** What a site audit asks of a page, read from its HTML and kept with its links. */

const URL = "https://a.test/dir/page";
const REQUEST = { agent: "bot", scriptLinks: false, requisites: false, formats: null, obeyNoindex: false };
const read = (html: string, url = URL) =>
  readHtml(new TextEncoder().encode(html), { url, contentType: "text/html" }, REQUEST).audit;
const loaded = (html: string) =>
  read(html)?.resources.map(({ url, kind }) => `${kind} ${url.slice("https://".length)}`);

test.each([
  ['<img src="a.png">', ["image a.test/dir/a.png"]],
  [
    '<img src="a.png" srcset="b.png 2x, /c.png 640w">',
    ["image a.test/dir/a.png", "image a.test/dir/b.png", "image a.test/c.png"],
  ],
  ['<picture><source srcset="a.webp"><img src="a.webp" alt=""></picture>', ["image a.test/dir/a.webp"]],
  ['<link rel="stylesheet" href="/s.css"><link rel=icon href=/i.ico>', ["style a.test/s.css", "image a.test/i.ico"]],
  ["<link rel='alternate stylesheet' href=/dark.css><link rel=canonical href=/x>", []],
  ["<script src=//cdn.test/x.js></script><script>let x</script>", ["script cdn.test/x.js"]],
  [
    "<video src=v.mp4 poster=p.jpg><track src=t.vtt></video>",
    ["media a.test/dir/v.mp4", "image a.test/dir/p.jpg", "media a.test/dir/t.vtt"],
  ],
  [
    "<audio><source src=s.ogg></audio><object data=o.svg></object>",
    ["media a.test/dir/s.ogg", "media a.test/dir/o.svg"],
  ],
  ['<base href="/other/"><img src=a.png>', ["image a.test/other/a.png"]],
  ['<img src=""><img src="data:image/png;base64,AA"><img src="mailto:x">', []],
  ["<template><img src=a.png></template>", []],
])("%s loads %j", (html, expected) => expect(loaded(html)).toEqual(expected));

test.each([
  ["<img src=a.png>", 1],
  ["<img src=a.png><img src=b.png>", 2],
  ['<img src=a.png alt=""><img src=b.png alt="B"><img src=c.png aria-label=C>', 0],
  ["<img src=a.png role=presentation><img src=b.png aria-hidden=true>", 0],
])("%s has %i images without alt", (html, count) => expect(read(html)?.unlabelled).toBe(count));

test.each([
  ["<h1>One</h1>", 1, "One"],
  ["<h1> A \n <b>bold</b> one</h1><h1>Two</h1>", 2, "A bold one"],
  ["<h1></h1>", 1, ""],
  ["<h2>No</h2>", 0, ""],
])("%s has %i first-level headings", (html, count, text) =>
  expect(read(html)).toMatchObject({ headings: count, firstHeading: text }),
);

test("canonical URLs are counted once each", () => {
  const links = (...hrefs: string[]) => hrefs.map((href) => `<link rel=canonical href="${href}">`).join("");
  expect(
    [links("/a"), links("/a", "https://a.test/a#x"), links("/a", "/b")].map((html) => read(html)?.canonicals),
  ).toEqual([1, 1, 2]);
});

test("an audit is kept as it was, bounded, and a line without one is read", () => {
  const many = Array.from({ length: 700 }, (_, i) => `<img src="${i}.png">`).join("");
  const audit = read(`<h1>Title</h1>${many}`);
  expect([audit?.resources.length, audit?.droppedResources, audit?.unlabelledExamples.length]).toEqual([500, 200, 3]);
  const page = {
    url: URL,
    title: null,
    description: null,
    canonical: null,
    alternates: [],
    ids: null,
    links: [],
    dropped: 0,
  };
  const lines = [{ ...page, ...(audit && { audit }) }, page, { ...page, followsNone: true as const }];
  const bytes = Buffer.concat(lines.map(encodePageLinks));
  expect([...decodePageLinks(bytes)]).toEqual(lines);
});

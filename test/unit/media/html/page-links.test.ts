import { expect, test } from "vitest";
import { readHtml } from "../../../../src/media/html/tree/read-html.ts";
import { hashId } from "../../../../src/media/id-hash.ts";
import { HrefResolver, mergeLinks, resolveLinks } from "../../../../src/media/links/links.ts";
import { canonicalize } from "../../../../src/url/canonicalize.ts";

/** Every link of a page, and what a link can lead to in it. */

const PAGE = "https://a.test/dir/page";
const REQUEST = { agent: "", scriptLinks: false, requisites: false, formats: null, obeyNoindex: false };
const read = (html: string) =>
  readHtml(new TextEncoder().encode(html), { url: PAGE, contentType: "text/html; charset=utf-8" }, REQUEST);

test.each<[html: string, ...links: string[]]>([
  ["<a href=/a>x</a>", "https://a.test/a x"],
  ["<a href=/a>x</a><a href=/a>x</a>", "https://a.test/a x"],
  ["<a href=/a>x</a><a href=/a>y</a>", "https://a.test/a x", "https://a.test/a y"],
  ["<a href=/a#b>x</a><a href=/a>x</a>", "https://a.test/a#b x", "https://a.test/a x"],
  ["<a href=/a rel=me>x</a><a href=/a>x</a>", "https://a.test/a x", "https://a.test/a x"],
  ["<nav><a href=/a>x</a></nav><p>text <a href=/a>x</a>", "https://a.test/a x", "https://a.test/a x"],
  // Places in the page itself.
  ["<a href=#top>up</a>", `${PAGE}#top up`],
  ["<a href='#'>up</a>", `${PAGE}# up`],
  ["<a href=page#top>up</a>", `${PAGE}#top up`],
  ["<a href=''>again</a>"],
  ["<base href=/other><a href=#top>up</a>", "https://a.test/other#top up"],
  // A fragment is kept as it is written, without the white space that the URL standard drops.
  ["<a href='/a#b c\n%C3%A4ä '>x</a>", "https://a.test/a#b c%C3%A4ä x"],
  ["<a href=/a#b#c>x</a>", "https://a.test/a#b#c x"],
  ["<a href=mailto:x@a.test#b>x</a><a href='javascript:#x'>y</a>"],
])("%s has the links %s %s", (html, ...links) => {
  const { pageLinks } = read(html);
  expect(
    pageLinks.map(({ url, fragment, text }) => `${url}${fragment === null ? "" : `#${fragment}`} ${text}`),
  ).toEqual(links);
});

test.each([
  ['data-method="delete"', "data-method=delete"],
  ['data-turbo-method="POST"', "data-turbo-method=post"],
  ['data-method="get"', undefined],
  ['data-confirm="Are you sure?"', "data-confirm=are you sure?"],
  ['data-turbo-confirm="Sure?"', "data-turbo-confirm=sure?"],
  ['hx-delete="/x"', "hx-delete=/x"],
  ['data-hx-post="/x"', "data-hx-post=/x"],
  ['hx-get="/x"', undefined],
  ['up-method="put"', "up-method=put"],
  ['data-methods="delete" class="x"', undefined],
])("a link with %s does %s", (attribute, acts) => {
  expect(read(`<a href="/posts/5" ${attribute}>Away with it</a>`).pageLinks[0]?.acts).toBe(acts);
});

test("merged by their URLs, they are the outlinks of the document", () => {
  const { links, pageLinks } = read(
    `<nav><a href=/a rel=nofollow>menu</a></nav><p>text and text <a href=/a#b>in the text</a> <a href=#c>here</a>
     <a href=page#d>there</a> <a href=/b rel=ugc>b</a></p><link rel=canonical href=/c>`,
  );
  expect(mergeLinks(pageLinks, PAGE)).toEqual(links);
  expect(links.map(({ url, text, nofollow }) => [url, text, nofollow])).toEqual([
    ["https://a.test/a", "in the text", false],
    ["https://a.test/b", "b", true],
    ["https://a.test/c", "", false],
  ]);
});

test("a page has the hashes of its ids and anchor names, its description and canonical URL, and its translations", () => {
  const page = read(
    `<title>T</title><meta name=description content="D"><link rel=canonical href=/c>
     <link rel=alternate hreflang=de href=/de><link rel=alternate hreflang=fr type=application/rss+xml href=/feed>
     <h1 id=one>x</h1><a name=two></a><a id=one name=one>y</a><p id="">z</p><template><p id=three></template>`,
  );
  expect(page).toMatchObject({ title: "T", description: "D", canonical: "https://a.test/c" });
  expect(page.ids).toEqual([hashId("one"), hashId("two")]);
  expect(page.alternates).toEqual([{ url: "https://a.test/de", language: "de" }]);
});

test("ids have different hashes of 32 bits, whatever letters they have", () => {
  const ids = Array.from({ length: 2_000 }, (_, at) => [`s${at}`, `第${at}節`]).flat();
  const hashes = ids.map(hashId);
  expect(new Set(hashes).size).toBe(ids.length);
  for (const hash of hashes) expect(hash).toBe(hash >>> 0);
});

test("a page with more ids than are kept has none, so no fragment counts as missing", () => {
  const html = Array.from({ length: 50_001 }, (_, at) => `<i id=${at}>`).join("");
  expect(read(html).ids).toBeNull();
});

test("links beyond the limit are left out and counted", () => {
  const link = { kind: "a", nofollow: false, rel: "", text: "", place: "content" } as const;
  const written = Array.from({ length: 100_003 }, (_, at) => ({ ...link, href: `#${at}` }));
  const resolver = new HrefResolver(PAGE, PAGE, canonicalize);
  const { pageLinks, droppedPageLinks, links } = resolveLinks(written, resolver, PAGE, 10);
  expect([pageLinks.length, droppedPageLinks, links.length]).toEqual([100_000, 3, 0]);
});

import { expect, test } from "vitest";
import { readHtml } from "../../../src/media/html/tree/read-html.ts";
import { type AnswerHeaders, readHeaderLinks } from "../../../src/media/links/header-links.ts";
import { readText } from "../../../src/media/text/read-text.ts";
import { cpuMsOf } from "../cpu-time.ts";

const URL_OF_PAGE = "https://example.com/dir/page";
const REQUEST = {
  agent: "orbweaver",
  scriptLinks: false,
  requisites: true,
  formats: null,
  obeyNoindex: true,
};

test.each<[value: string, links: string[]]>([
  ["</a>; rel=next", ["/a next"]],
  ['</a>;rel="next prev" , <b> ; REL = canonical', ["/a next prev", "b canonical"]],
  ['</a>; rel="next"; rel=prev; type="text/html; charset=x"', ["/a next"]],
  ['<https://x.test/?a=1,2;b>; title="a, <b>; rel=no"; rel=next', ["https://x.test/?a=1,2;b next"]],
  ['</a>; title="\\"; rel=no"; rel="ne\\xt"', ["/a next"]],
  ["</a>", ["/a "]],
  ["</a>; rel=next; anchor=/other, </b>; rel=next", ["/b next"]],
  ["<>; rel=next, <#top>; rel=next", []],
  ['</a>; rel=next, </b>; rel="cut', ["/a next", "/b "]],
  ["</a>; rel=next, </b", ["/a next"]],
  ["nonsense, ; rel=next", []],
])("Link: %s", (value, links) => {
  expect(readHeaderLinks([["link", value]]).map(({ href, rel }) => `${href} ${rel}`)).toEqual(links);
});

test("a header made to cost much costs little", () => {
  const ms = cpuMsOf(() => {
    for (const unit of ["<a>;a=", "<a>; ;", '<a>;a="', "<", "<a>;;a=\\"])
      readHeaderLinks([["link", unit.repeat(20_000)]]);
  });
  expect(ms).toBeLessThan(2_000);
});

const linksOf = (headers: AnswerHeaders, html = "") => {
  const document = readHtml(
    new TextEncoder().encode(html),
    { url: URL_OF_PAGE, contentType: "text/html", headers },
    REQUEST,
  );
  const { links, sitemaps, requisites } = document;
  const path = (url: string) => url.replace("https://example.com", "");
  return {
    links: links.map(({ url, kind, nofollow }) => `${kind}${nofollow ? "!" : ""} ${path(url)}`),
    sitemaps: sitemaps.map(path),
    requisites: requisites.map(path),
  };
};
const NOTHING = { links: [], sitemaps: [], requisites: [] };

test.each<[name: string, value: string, found: Partial<ReturnType<typeof linksOf>>]>([
  ["link", "</next>; rel=next, <prev>; rel=prev", { links: ["link /next", "link /dir/prev"] }],
  [
    "link",
    '</de>; rel=alternate; hreflang=de, </feed>; rel=alternate; type="application/rss+xml"',
    { links: ["link /de"] },
  ],
  ["link", "</a>; rel=help, </b>; rel=preconnect", {}],
  ["link", '</a>; rel="next nofollow"', { links: ["link! /a"] }],
  ["link", "</maps/one.xml>; rel=sitemap", { sitemaps: ["/maps/one.xml"] }],
  ["link", "</a.css>; rel=stylesheet, </b.js>; rel=preload; as=script", { requisites: ["/a.css", "/b.js"] }],
  ["refresh", "0; url=/next", { links: ["refresh /next"] }],
  ["refresh", "5; URL='other'", { links: ["refresh /dir/other"] }],
  ["refresh", "5", {}],
])("%s: %s", (name, value, found) => {
  expect(linksOf([[name, value]])).toEqual({ ...NOTHING, ...found });
  expect(linksOf([["server", "x"]])).toEqual(NOTHING);
});

test("headers are relative to the page, whatever its base is, and elements come first", () => {
  const html =
    "<base href=/base/><a href=x>x</a><meta http-equiv=refresh content='0; url=y'><link rel=sitemap href=z.xml>";
  const headers: AnswerHeaders = [
    ["link", "<x>; rel=next, </base/x>; rel=next, <s.xml>; rel=sitemap"],
    ["refresh", "0; url=no"],
  ];
  expect(linksOf(headers, html)).toEqual({
    links: ["a /base/x", "refresh /base/y", "link /dir/x"],
    sitemaps: ["/base/z.xml", "/dir/s.xml"],
    requisites: [],
  });
});

test("the headers of a text count too", () => {
  const headers: AnswerHeaders = [
    ["link", "</next>; rel=next"],
    ["refresh", "0; url=/r"],
  ];
  const document = readText(
    new TextEncoder().encode("text"),
    { url: URL_OF_PAGE, contentType: "text/plain", headers },
    REQUEST,
  );
  expect(document.links.map(({ url }) => url)).toEqual(["https://example.com/next", "https://example.com/r"]);
});

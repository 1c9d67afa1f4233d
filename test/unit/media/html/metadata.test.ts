import { describe, expect, test } from "vitest";
import type { Metadata } from "../../../../src/media/document.ts";
import { contentOf } from "./make-content.ts";

const metadata = (html: string) => contentOf(html, []).metadata;
const jsonLd = (value: unknown) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;
const meta = (name: string, content: string) =>
  `<meta ${/^(?:og|article):/.test(name) ? "property" : "name"}="${name}" content="${content}">`;

describe("what a page says of itself", () => {
  test.each<[string, Partial<Metadata>]>([
    ["", { title: null, author: null, publishedAt: null, openGraph: {}, jsonLd: [], wordCount: 0, kind: "other" }],
    [`<title>A | B</title>${meta("og:title", "A")}<h1>C</h1>`, { title: "A" }],
    [`${meta("og:title", "A &amp; B")}<h1>C</h1>`, { title: "A & B" }],
    ["<h1>C <b>d</b></h1>", { title: "C d" }],
    [meta("og:description", " a\n b "), { description: "a b" }],
    [meta("description", "a") + meta("og:description", "b"), { description: "a" }],
    [jsonLd({ "@type": "NewsArticle", description: "a" }), { description: "a" }],
    ["<html lang=de-AT>", { language: "de-AT" }],
    [meta("og:locale", "pt_BR"), { language: "pt-BR" }],
    ["<link rel=canonical href=/a?utm_source=b>", { canonical: "https://example.com/a" }],
    [meta("author", "By Ann Lee"), { author: "Ann Lee" }],
    [
      meta("article:author", "https://facebook.com/ann") + jsonLd({ "@type": "Article", author: { name: "Ann" } }),
      { author: "Ann" },
    ],
    [
      jsonLd({ "@type": ["Thing", "BlogPosting"], author: [{ name: "Ann" }, "Bo", { name: "Ann" }] }),
      { author: "Ann, Bo" },
    ],
    [
      jsonLd({
        "@graph": [
          { "@type": "Person", "@id": "#p", name: "Ann" },
          { "@type": "Article", author: { "@id": "#p" } },
        ],
      }),
      { author: "Ann" },
    ],
    ["<p>by <span itemprop=author itemscope><b itemprop=name>Ann</b> staff</span></p>", { author: "Ann" }],
    ["<p><a rel='author' href=/ann>Ann</a></p>", { author: "Ann" }],
    [meta("article:published_time", "2024-03-05T10:00:00+02:00"), { publishedAt: "2024-03-05T10:00:00+02:00" }],
    [meta("article:published_time", "2024-03-05T10:00"), { publishedAt: "2024-03-05T10:00:00" }],
    [
      jsonLd({ "@type": "Article", datePublished: "2024-03-05", dateModified: "2024-03-06T00:30:00.123-05:00" }),
      { publishedAt: "2024-03-05", modifiedAt: "2024-03-06T00:30:00-05:00" },
    ],
    [
      meta("date", "March 5, 2024") + meta("last-modified", "Tue, 05 Mar 2024 10:00:00 GMT"),
      { publishedAt: "2024-03-05", modifiedAt: "2024-03-05T10:00:00Z" },
    ],
    [meta("dc.date", "5 March 2024"), { publishedAt: "2024-03-05" }],
    [meta("pubdate", "20240305"), { publishedAt: "2024-03-05" }],
    [meta("pubdate", "2024年3月5日"), { publishedAt: "2024-03-05" }],
    [meta("date", "2024-02-31") + meta("pubdate", "yesterday"), { publishedAt: null }],
    ["<p><time datetime='2024-03-05T10:00Z'>today</time>", { publishedAt: "2024-03-05T10:00:00Z" }],
    ["<p><span itemprop=dateModified>2024-03-05</span>", { modifiedAt: "2024-03-05" }],
    [meta("citation_date", "2024/03/05"), { publishedAt: "2024-03-05" }],
    [meta("citation_online_date", "2024/3/5"), { publishedAt: "2024-03-05" }],
    [meta("dcterms.issued", "5. März 2024"), { publishedAt: "2024-03-05" }],
    ["<html lang=de><p><time>05.03.2024</time>", { publishedAt: "2024-03-05" }],
    ["<html lang=fr><p><time>il y a 5 minutes</time> <time>5 mars 2024</time>", { publishedAt: "2024-03-05" }],
    ["<link rel=canonical href=/2024/03/05/spiders><p>text", { publishedAt: "2024-03-05" }],
    ["<link rel=canonical href=/2024/03/05/><p>text", { publishedAt: null }],
    [
      meta("citation_author", "Lee, Ann") + meta("citation_author", "Bo Chu") + meta("citation_author", "Lee, Ann"),
      { author: "Ann Lee, Bo Chu" },
    ],
    ["<p class='post-byline'>By <b>Ann Lee</b> | March 5, 2024", { author: "Ann Lee" }],
    ["<div class=byline>\n  Von Ann Größe am 5. März 2024</div>", { author: "Ann Größe" }],
    ["<span class='author vcard'><a class='url fn n' href=/ann>Ann Lee</a></span>", { author: "Ann Lee" }],
    ...[
      ["By John le Carré", "John le Carré"],
      ["By John le Carré, 5 March 2024", "John le Carré"],
      ["By Ursula K. Le Guin | 5 March", "Ursula K. Le Guin"],
      ["By Hans vom Bruch", "Hans vom Bruch"],
      ["Par Ann Lee le lundi 5 mars 2024", "Ann Lee"],
      ["Von Ann Lee am Dienstag, 5. März", "Ann Lee"],
      ["By Ann Lee on Monday", "Ann Lee"],
      ["BY ANN LEE ON MARCH 5", "ANN LEE"],
      ["Por Ann Lee el 5 de marzo", "Ann Lee"],
    ].map(([byline, author]): [string, Partial<Metadata>] => [
      `<p class=byline>${byline}</p>`,
      { author: author ?? "" },
    ]),
    ["<p class='vcard fn'>Di Stefano", { author: "Di Stefano" }],
    ["<span class=vcard>by <a class=fn href=/v>Von Miller</a></span>", { author: "Von Miller" }],
    ["<span class=vcard>by Ann Lee</span>", { author: "Ann Lee" }],
    ["<address class='author vcard'><a class=fn href=/ann>Ann Lee</a></address>", { author: "Ann Lee" }],
    ["<address class=vcard><b class=fn>The publisher</b></address>", { author: null }],
    ["<article class=comment><b class='vcard fn'>Bo</b></article><footer class=vcard>Site</footer>", { author: null }],
    [["Ann", "Bo", "Cy", "Di"].map((name) => `<p class=byline>by ${name}</p>`).join(""), { author: null }],
    [
      `${meta("keywords", "spiders, Webs,spiders,,")}${meta("article:tag", "silk")}${jsonLd({ "@type": "Article", keywords: ["webs", "legs"] })}`,
      { keywords: ["spiders", "Webs", "silk", "legs"] },
    ],
    ["<p>nothing", { keywords: [], robots: [], favicon: null, feeds: [], alternates: [] }],
    [meta("robots", "NoFollow, max-snippet:-1"), { robots: ["nofollow", "max-snippet:-1"] }],
    [
      "<link rel='shortcut icon' href=/i.ico><link rel=apple-touch-icon href=/a.png>",
      { favicon: "https://example.com/i.ico" },
    ],
    [
      "<link rel=icon href='data:image/png,x'><link rel=apple-touch-icon href=a.png>",
      { favicon: "https://example.com/dir/a.png" },
    ],
    [
      `<link rel=alternate type="application/rss+xml; charset=utf-8" title=" All  news " href=/rss><link rel=alternate type=application/atom+xml href=/atom>
       <link rel=alternate hreflang=de-AT href=/de><link rel=alternate hreflang=x-default href=/><link rel="alternate stylesheet" href=/s.css>
       <link rel=alternate media=print href=/print><link rel=alternate type=application/json+oembed hreflang="" href=/o>`,
      {
        feeds: [
          { url: "https://example.com/rss", type: "application/rss+xml", title: "All news" },
          { url: "https://example.com/atom", type: "application/atom+xml", title: null },
        ],
        alternates: [
          { url: "https://example.com/de", language: "de-AT" },
          { url: "https://example.com/", language: "x-default" },
        ],
      },
    ],
    [meta("og:site_name", "A") + jsonLd({ "@type": "WebSite", name: "B" }), { siteName: "A" }],
    [jsonLd({ "@type": "Article", publisher: { "@type": "Organization", name: "B" } }), { siteName: "B" }],
    [meta("og:image", "/a.png?utm_source=b"), { image: "https://example.com/a.png" }],
    [
      meta("og:image", "javascript:x") + jsonLd({ "@type": "Article", image: [{ url: "b.png" }] }),
      { image: "https://example.com/dir/b.png" },
    ],
    [
      meta("og:type", "a") + meta("og:type", "b") + meta("og:__proto__", "c"),
      {
        openGraph: Object.fromEntries([
          ["type", "a"],
          ["__proto__", "c"],
        ]),
      },
    ],
    [
      `${jsonLd({ a: 1 })}${jsonLd([2])}<script type=application/ld+json>{</script>${jsonLd("text")}`,
      { jsonLd: [{ a: 1 }, [2]] },
    ],
    ['<script type=\'application/ld+json\'>//<![CDATA[\n{"a": "b\nc"}\n//]]></script>', { jsonLd: [{ a: "b c" }] }],
    [`<script type="application/ld+json">${"[".repeat(60)}${"]".repeat(60)}</script>`, { jsonLd: [] }],
    [
      "<nav><h2>x</h2></nav><h1>a</h1><h3> b <i>c</i></h3>",
      {
        headings: [
          { level: 1, text: "a" },
          { level: 3, text: "b c" },
        ],
      },
    ],
    ["<p>It's a well-known text, 你好、world — 3.5!", { wordCount: 9 }],
  ])("%j", (html, expected) => expect(metadata(html)).toMatchObject(expected));
});

describe("how much of it is kept", () => {
  test("headings, OpenGraph and JSON-LD", () => {
    const many = (count: number, write: (at: number) => string) =>
      Array.from({ length: count }, (_, at) => write(at)).join("");
    const page = metadata(
      many(300, (at) => meta(`og:p${at}`, "x".repeat(5_000))) +
        many(300, () => jsonLd({ a: "x".repeat(2_000) })) +
        many(300, () => `<h2>${"x ".repeat(2_000)}</h2>`),
    );
    expect(page.headings).toHaveLength(200);
    expect(Object.keys(page.openGraph)).toHaveLength(100);
    expect(page.jsonLd.length).toBe(49);
    expect(JSON.stringify(page).length).toBeLessThan(310_000);
  });
});

describe("its kind", () => {
  const prose = "Of prose there is enough, with commas, for a reader to find it here. ".repeat(5);
  test.each<[string, Metadata["kind"], string]>([
    ["prose", "article", `<div><p>${prose}</p><p>${prose}</p></div>`],
    ["links", "listing", `<ul>${"<li><a href=/a>A link to something else</a></li>".repeat(20)}</ul>`],
    ["a form", "other", "<form><label>Name <input></label><button>Log in</button></form>"],
  ])("%s", (_, kind, html) => expect(metadata(html).kind).toBe(kind));
});

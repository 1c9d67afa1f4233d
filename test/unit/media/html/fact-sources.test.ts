import { describe, expect, test } from "vitest";
import type { Metadata } from "../../../../src/media/document.ts";
import { contentOf } from "./make-content.ts";

/** Title, author and date of a page, and where each was read. The page's host is example.com. */

const metadata = (html: string) => contentOf(html, []).metadata;
const jsonLd = (value: unknown) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;
const meta = (name: string, content: string) => `<meta name="${name}" content="${content}">`;
const PROSE = `<p>${"There is enough prose here, with commas, for a reader to find an article in it. ".repeat(8)}</p>`;
const article = (top: string) => `<title>Spiders at work</title><main><h1>Spiders at work</h1>${top}${PROSE}</main>`;
const LINKS = `<ul>${"<li><a href=/a>A link to something else</a></li>".repeat(30)}</ul>`;

type Case = [html: string, value: string | null, source: string | undefined];

describe("the title", () => {
  const titled = (title: string, rest = "") => `<title>${title}</title>${rest}`;
  test.each<Case>([
    [titled("Spiders at work"), "Spiders at work", "title"],
    [titled("Spiders at work | The Weaver"), "Spiders at work", "title"],
    [
      titled("Spiders at work - Weavers of the World Unite Today"),
      "Spiders at work - Weavers of the World Unite Today",
      "title",
    ],
    [titled("Spiders at work - Example"), "Spiders at work", "title"],
    [titled("Example.com: Spiders at work"), "Spiders at work", "title"],
    [titled("Spiders - The Daily Web", meta("application-name", "The Daily Web")), "Spiders", "title"],
    [titled("Example"), "Example", "title"],
    [titled("Results 2025 / 2026"), "Results 2025 / 2026", "title"],
    [titled("Weaver - Spiders at work", "<h1>SPIDERS at work</h1>"), "SPIDERS at work", "h1"],
    [titled("The Weaver: all about spiders", "<h1>The Weaver</h1>"), "The Weaver", "h1"],
    [titled("How spiders work in 2026", "<h1>How do spiders work?</h1>"), "How do spiders work?", "h1"],
    [titled("Mail for teams | Example", "<h1>Win customers on all channels</h1>"), "Mail for teams", "title"],
    [titled("Spiders at work", "<h1>Example</h1>"), "Spiders at work", "title"],
    [
      titled("Spiders at work | Web", meta("og:title", "Spiders at their work")),
      "Spiders at their work",
      "meta og:title",
    ],
    [titled("Spiders at work | Web", meta("og:title", "Join us now!")), "Spiders at work", "title"],
    [titled("draft-04 - Spiders", meta("dc.title", "On spiders")), "On spiders", "meta dc.title"],
    [titled("draft-04", '<meta property="x:title dc:title" content="On spiders">'), "On spiders", "meta dc.title"],
    [titled("蜘蛛はどう働くか | 新聞", "<h1>蜘蛛はどう働くか</h1>"), "蜘蛛はどう働くか", "h1"],
    ["<h1>Spiders<br>at work</h1><title>Spiders at work</title>", "Spiders at work", "h1"],
    [
      titled("Spiders at work | The Weaver", `${meta("og:title", "Spiders at work")}<h1>The Weaver</h1>`),
      "Spiders at work",
      "meta og:title",
    ],
    // A logo leads to the home page.
    [titled("Spiders | The Web", "<h1><a href=/>The Web</a></h1><h2>Spiders</h2>"), "Spiders", "title"],
    [
      titled("Spiders | The Web Weaver", "<a href='https://example.com'><h1>The Web Weaver</h1></a><h2>Spiders</h2>"),
      "Spiders",
      "title",
    ],
    [titled("Spiders | The Web", "<h1><a href=/spiders>Spiders</a> <a href=/>Home</a></h1>"), "Spiders Home", "h1"],
    // A manual's name is a heading of each of its pages.
    [titled("Spiders — Manual of the web", "<h1>Manual of the web</h1><h1>Spiders</h1>"), "Spiders", "h1"],
    [titled("Manual of the web", "<h1>Manual of the web</h1><h2>Spiders</h2>"), "Manual of the web", "h1"],
    [
      titled("How do spiders work in 2026?", "<h1>Thread: How do spiders work in 2026?</h1>"),
      "How do spiders work in 2026?",
      "h1",
    ],
    [titled("Spiders at work - Weavers", "<h1>Spiders at work (sometimes)</h1>"), "Spiders at work (sometimes)", "h1"],
    [titled("Spiders at work - Weavers", "<h1>Spiders at work (2026)</h1>"), "Spiders at work (2026)", "h1"],
    [
      titled("How do spiders work? - Weavers", "<h1>How do spiders work? (87)</h1><h2>Answers</h2>"),
      "How do spiders work?",
      "title",
    ],
    [titled("Thread: how spiders work", "<h1>Thread: how spiders work</h1>"), "Thread: how spiders work", "h1"],
    [titled("The Weaver - Spiders", "<h2>The Weaver</h2><h1>Spiders</h1>"), "Spiders", "h1"],
    [titled("How do spiders work", "<h1>Why, and how do spiders work</h1>"), "Why, and how do spiders work", "h1"],
    [titled("???"), "???", "title"],
    // Versions of a page without a title element are compared by these.
    [`${meta("og:title", "A | Site")}<h1>A</h1>`, "A | Site", "meta og:title"],
    ["<h1>A</h1>", "A", "h1"],
    ["<p>a", null, undefined],
  ])("%s", (html, title, source) => {
    const found = metadata(html);
    expect([found.title, found.sources.title]).toEqual([title, source]);
  });
});

describe("the author", () => {
  const site = meta("application-name", "The Weaver");
  test.each<Case>([
    [meta("author", "Ann Lee"), "Ann Lee", "meta author"],
    [meta("dc:creator", "Ann Lee"), "Ann Lee", "meta dc.creator"],
    [meta("author", "{{ page.author }}"), null, undefined],
    [meta("author", "page.meta.author"), null, undefined],
    [meta("twitter:creator", "@weaver"), null, undefined],
    [meta("twitter:creator", "weaver"), null, undefined],
    [meta("twitter:label1", "Written by") + meta("twitter:data1", "Ann Lee"), "Ann Lee", "meta twitter:data1"],
    [meta("twitter:label1", "Price") + meta("twitter:data1", "12 EUR"), null, undefined],
    [article(`${meta("author", "admin")}<p class=byline>By Ann Lee</p>`), "Ann Lee", "byline"],
    [article(`${meta("author", "ann7")}<p class=byline>By Ann Lee</p>`), "Ann Lee", "byline"],
    [article(meta("author", "ann7")), "ann7", "meta author"],
    [article(`${site}${meta("author", "The Weaver")}<p class=byline>By Ann Lee</p>`), "Ann Lee", "byline"],
    [article(`${site}${meta("author", "The Weaver")}`), "The Weaver", "meta author"],
    [`${site}${meta("author", "Weaver")}${meta("application-name", "Weaver")}${LINKS}`, "Weaver", "meta author"],
    [`<title>Web</title>${meta("author", "Example")}${LINKS}`, null, undefined],
    [
      article(
        jsonLd({ "@type": "Article", author: { "@type": "Organization", name: "Weavers" } }) +
          "<p class=author>Ann Lee",
      ),
      "Ann Lee",
      "byline",
    ],
    [
      article(jsonLd({ "@type": "Article", author: { "@type": "Organization", name: "Weavers" } })),
      "Weavers",
      "json-ld author",
    ],
    [jsonLd({ "@type": "Article", author: { name: "By Ann O&#8217;Lee" } }), "Ann O’Lee", "json-ld author"],
    ["<p>by <span itemprop=author>Ann Lee<br>\n12 medals</span>", "Ann Lee", "microdata author"],
    [article("<div class=post_author_name>Ann Lee</div>"), "Ann Lee", "byline"],
    [article("<div class=author-avatar>Picture</div>"), null, undefined],
    [article("<p><a href=/authors/ann-lee>Ann Lee</a>"), "Ann Lee", "byline"],
    [article("<p><a href=/authors/>All authors</a>"), null, undefined],
    [article("<p><span>Written by</span> <b>Ann Lee</b>"), "Ann Lee", "byline"],
    [article("<p>By Ann Lee"), "Ann Lee", "byline"],
    [article("<p>By default, Spiders rest"), null, undefined],
    [article("<p>By clicking you agree"), null, undefined],
    [article("<p class=byline><b>Ann Lee</b><i>March 5, 2024</i>"), "Ann Lee", "byline"],
    [article("<p class=author>Posts by Ann Lee"), "Ann Lee", "byline"],
    [article("<p class=author>Sign in"), null, undefined],
    [`<div class=has-sidebar>${article("<p class=author>Ann Lee")}</div>`, "Ann Lee", "byline"],
    [`<div class=sidebar><p class=author>Bo Chu</div>${article("")}`, null, undefined],
    [article(`<p class=author>Ann Lee</p>${PROSE}<p class=author>Bo Chu</p>`), "Ann Lee", "byline"],
    [`<title>News</title><h1>News</h1>${LINKS}<p class=author>Ann Lee</p>${LINKS}`, null, undefined],
  ])("%s", (html, author, source) => {
    const found = metadata(html);
    expect([found.author, found.sources.author]).toEqual([author, source]);
  });
});

describe("the date", () => {
  const dates = (html: string): Partial<Metadata> => metadata(html);
  test.each<Case>([
    [meta("date", "2024-03-05T23:30:00-0500"), "2024-03-05T23:30:00-05:00", "meta date"],
    [meta("date", "2024-03-05T23:30:00 UTC"), "2024-03-05T23:30:00Z", "meta date"],
    [jsonLd({ "@type": "Article", datePublished: "2024-03-05" }), "2024-03-05", "json-ld datePublished"],
    ["<p><span itemprop=dateCreated>2024-03-05</span>", "2024-03-05", "microdata datePublished"],
    [article("<p><time datetime=2024-03-05>5th</time> <time>2024-04-06</time>"), "2024-03-05", "time"],
    [article("<p><span>March 5, 2024</span> · 5 min read"), "2024-03-05", "text"],
    [article("<p>by Ann - 5-mar-2024 10:00"), "2024-03-05", "text"],
    [
      article("<p>In the March 5, 2024 issue, which this text is too long to be a date, spiders are at work again."),
      null,
      undefined,
    ],
    [article("<p>Joined: March 5, 2024"), null, undefined],
    [article("<p>Updated March 6, 2024</p><p>Published March 5, 2024"), "2024-03-05", "text"],
    [article("<p>Updated March 6, 2024"), "2024-03-06", "text"],
    [article(`${PROSE.repeat(4)}<p>Posted on March 5, 2024`), "2024-03-05", "text"],
    [article(`${PROSE.repeat(4)}<p>March 5, 2024</p><p>April 6, 2024`), null, undefined],
    [`<p>April 6, 2024</p>${PROSE.repeat(2)}${article("<p>March 5, 2024")}`, "2024-03-05", "text"],
    [`<title>News</title><h1>News</h1><p>March 5, 2024</p>${LINKS}`, null, undefined],
    [
      `<title>Why spiders rest</title><div>Why spiders rest</div><p>March 5, 2024</p>${PROSE}<p>April 6, 2024</p>`,
      "2024-03-05",
      "text",
    ],
    ["<link rel=canonical href=/2024/03/05/spiders><p>text", "2024-03-05", "url"],
  ])("%s", (html, date, source) => {
    const found = metadata(html);
    expect([found.publishedAt, found.sources.publishedAt]).toEqual([date, source]);
  });

  test("of the last change is apart", () => {
    expect(dates(article("<p>Published March 5, 2024</p><p>Last updated: April 6, 2024"))).toMatchObject({
      publishedAt: "2024-03-05",
      modifiedAt: "2024-04-06",
      sources: { publishedAt: "text", modifiedAt: "text" },
    });
  });
});

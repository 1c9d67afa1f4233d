import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Document } from "../../../../src/media/document.ts";
import { DocumentProblem } from "../../../../src/media/document-problem.ts";
import { readFeed } from "../../../../src/media/feed/read-feed.ts";
import { readSitemap } from "../../../../src/media/sitemap/sitemap.ts";
import { canonicalize } from "../../../../src/url/canonicalize.ts";
import { cpuMsOf } from "../../cpu-time.ts";

const URL_OF_FEED = "https://example.com/blog/feed.xml";
const REQUEST = {
  agent: "orbweaver",
  scriptLinks: false,
  requisites: false,
  formats: ["markdown", "text"],
  obeyNoindex: false,
} as const;
const bytesOf = (text: string) => new TextEncoder().encode(text);
const read = (body: string | Uint8Array, contentType = "application/rss+xml"): Document =>
  readFeed(
    typeof body === "string" ? bytesOf(body) : body,
    { url: URL_OF_FEED, contentType, headers: [["link", "</next>; rel=next"]] },
    REQUEST,
  ) as Document;
const rss = (items: string, head = "<title>News</title><link>https://example.com/</link>") =>
  `<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>${head}${items}</channel></rss>`;
/** The links of entries: what they lead to, as what, and when it was written. */
const entriesOf = ({ links }: Document) =>
  links
    .filter(({ place }) => place === "content")
    .map(({ url, text, lastmod }) => [
      url.replace("https://example.com", ""),
      text,
      lastmod === undefined ? null : new Date(lastmod ?? 0).toISOString().slice(0, 16),
    ]);

describe("each dialect", () => {
  const ENTRIES = [
    ["/", "News", null],
    ["/1", "One", "2026-01-05T10:00"],
    ["/2", "Two & more", "2026-01-04T00:00"],
  ];
  test.each<[name: string, contentType: string, body: string]>([
    [
      "RSS 2.0",
      "application/rss+xml",
      `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><link>https://example.com/</link>
       <description>All of it</description><language>en-GB</language><managingEditor>a@b.example (Ann)</managingEditor>
       <pubDate>Mon, 05 Jan 2026 12:00:00 GMT</pubDate><lastBuildDate>Tue, 06 Jan 2026 12:00:00 +0200</lastBuildDate>
       <item><title>One</title><link>/1</link><pubDate>Mon, 05 Jan 2026 10:00:00 GMT</pubDate>
       <description>&lt;p&gt;First &lt;b&gt;words&lt;/b&gt;&lt;/p&gt;</description></item>
       <item><title>Two &amp;amp; more</title><guid>https://example.com/2</guid><pubDate>Sun, 04 Jan 2026 00:00:00 GMT</pubDate>
       <description><![CDATA[<p>Second</p>]]></description></item></channel></rss>`,
    ],
    [
      "RSS 1.0",
      "application/rdf+xml",
      `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
       <channel rdf:about="https://example.com/"><title>News</title><link>https://example.com/</link><description>All of it</description>
       <dc:language>en-GB</dc:language><dc:creator>Ann</dc:creator><dc:date>2026-01-06T10:00:00Z</dc:date>
       <items><rdf:Seq><rdf:li rdf:resource="/2"/><rdf:li rdf:resource="/1"/></rdf:Seq></items></channel>
       <item rdf:about="/1"><title>One</title><link>/1</link><dc:date>2026-01-05T10:00:00Z</dc:date>
       <description>&lt;p>First &lt;b>words&lt;/b>&lt;/p></description></item>
       <item rdf:about="/2"><title>Two &amp;amp; more</title><link>https://example.com/2</link><dc:date>2026-01-04</dc:date>
       <description>Second</description></item></rdf:RDF>`,
    ],
    [
      "Atom",
      "application/atom+xml; charset=utf-8",
      `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en-GB"><title>News</title><subtitle type="html">All &lt;i>of&lt;/i> it</subtitle>
       <link rel="self" href="/feed.xml"/><link href="https://example.com/"/><updated>2026-01-06T10:00:00Z</updated><author><name>Ann</name></author>
       <entry><title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">O<i>ne</i></div></title><link href="/1"/><id>urn:1</id>
       <updated>2026-01-05T10:00:00Z</updated><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>First <b>words</b></p></div></content></entry>
       <entry><title>Two &amp; more</title><link rel="alternate" href="/2"/><updated>2026-01-04T00:00:00Z</updated><summary>Second</summary></entry></feed>`,
    ],
    [
      "JSON Feed",
      "application/feed+json",
      JSON.stringify({
        version: "https://jsonfeed.org/version/1.1",
        title: "News",
        home_page_url: "https://example.com/",
        description: "All of it",
        language: "en-GB",
        authors: [{ name: "Ann" }],
        items: [
          {
            id: "1",
            url: "/1",
            title: "One",
            content_html: "<p>First <b>words</b></p>",
            date_published: "2026-01-05T10:00:00Z",
          },
          {
            id: "https://example.com/2",
            title: "Two & more",
            content_text: "Second",
            date_published: "2026-01-04T00:00:00Z",
          },
        ],
      }),
    ],
  ])("%s", (_, contentType, body) => {
    const document = read(body, contentType);
    const { content, title, description, language, leftOut } = document;
    expect({ title, description, language }).toEqual({ title: "News", description: "All of it", language: "en-GB" });
    expect(entriesOf(document)).toEqual(ENTRIES);
    expect(document.links.map(({ url }) => url)).toContain("https://example.com/next");
    expect(content?.metadata).toMatchObject({ author: "Ann", kind: "listing", title: "News" });
    expect(content?.metadata.modifiedAt).toMatch(/^2026-01-0[56]T10:00:00Z$/);
    expect(content?.metadata.headings).toEqual([
      { level: 1, text: "News" },
      { level: 2, text: "One" },
      { level: 2, text: "Two & more" },
    ]);
    const markdown = content?.markdown?.replace(/(, )?Ann\n/, "\n") ?? "";
    expect(markdown).toBe(
      [
        "# [News](https://example.com/)",
        "All of it",
        "## [One](https://example.com/1)",
        "2026-01-05 10:00 UTC",
        "First **words**",
        "## [Two & more](https://example.com/2)",
        "2026-01-04",
        "Second",
      ].join("\n\n"),
    );
    expect(leftOut.problem).toBeNull();
  });
});

const ITEM = "<item><title>A</title><link>/a</link></item>";
test.each<[name: string, body: string, entries: string[]]>([
  ["bare signs", rss("<item><title>A < B & C</title><link>/a?x=1&y=2</link></item>"), ["/a?x=1&y=2 A < B & C"]],
  [
    "two entries that are not closed",
    rss("<item><title>A</title><link>/a</link><item><title>B</title><link>/b</link>"),
    ["/a A", "/b B"],
  ],
  [
    "titles that are not closed",
    `<rss><channel><title>News${ITEM.replace("</title>", "")}<item><title>B<link>/b`,
    ["/a A", "/b B"],
  ],
  ["another end tag", rss("<item><title>A</titel><link>/a</link></item>"), ["/a A"]],
  [
    "a feed cut off in a tag",
    rss(`${ITEM}<item><title>B</title><link>/b</link><descr`).split("</channel>")[0] ?? "",
    ["/a A", "/b B"],
  ],
  [
    "a feed cut off in a title",
    `<rss version="2.0"><channel><title>News</title>${ITEM}<item><link>/b</link><title>Bee`,
    ["/a A", "/b Bee"],
  ],
  ["elements that are too deep", rss(`${ITEM}${"<x>".repeat(2_000)}`), ["/a A"]],
  [
    "names of JavaScript",
    rss(`<item><__proto__><x/></__proto__><constructor/><title>A</title><link>/a</link></item>`),
    ["/a A"],
  ],
])("broken XML: %s", (_, body, entries) => {
  const document = read(body);
  const found = entriesOf(document).map(([url, text]) => `${url} ${text}`);
  expect(found.filter((each) => each !== "/ News")).toEqual(entries);
});

test("says that broken XML was mended, and nothing of XML that was not", () => {
  expect(read(rss("<item><title>A<item><title>B</title></item>")).leftOut.problem).toBe(
    "its XML is broken, and was read as far as it can be understood",
  );
  expect(
    read(rss("<item><title>A &amp; B</title><description><p>x<br>y</description></item>")).leftOut.problem,
  ).toBeNull();
  expect(
    read(rss("<item><title>A</title><description><![CDATA[<item> <entry>]]></description></item>")).leftOut.problem,
  ).toBeNull();
});

test.each([
  ["HTML", "<!doctype html><title>Not found</title><p>x", "application/rss+xml"],
  ["a sitemap", "<urlset><url><loc>/a</loc></url></urlset>", "application/rss+xml"],
  ["nothing", "", "application/atom+xml"],
  ["broken JSON", '{"version": "https://jsonfeed.org/version/1", "items": [', "application/feed+json"],
  ["other JSON", '{"items": 1}', "application/feed+json"],
])("%s is no feed", (_, body, contentType) => {
  expect(() => read(body, contentType)).toThrow(DocumentProblem);
});

test("an encoding comes from the header, the XML declaration or the bytes", () => {
  const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
  const titleIn = (declaration: string, contentType: string) =>
    read(latin1(`${declaration}<rss version="2.0"><channel><title>Caf\xe9</title></channel></rss>`), contentType);
  expect(titleIn('<?xml version="1.0" encoding="iso-8859-1"?>', "text/xml")).toMatchObject({ title: "Café" });
  expect(titleIn("", "application/rss+xml; charset=windows-1252")).toMatchObject({ title: "Café" });
  // The declaration is wrong, as after a conversion.
  const utf8 = read(
    `<?xml version="1.0" encoding="utf-8"?>${rss("", "<title>Café</title>").slice(21)}`,
    "text/xml; charset=none",
  );
  expect(utf8).toMatchObject({ title: "Café", encoding: "utf-8" });
});

test("relative URLs are resolved against xml:base, the nearest first", () => {
  const { links, content } = read(
    `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/base/"><title>T</title><link href="home"/>
     <entry xml:base="one/"><title>A</title><link href="a"/><content type="html" xml:base="deep/">&lt;a href="b">b&lt;/a>&lt;img src="c.png"></content></entry>
     <entry><title>D</title><link href="d"/></entry></feed>`,
    "application/atom+xml",
  );
  const urls = links
    .filter(({ place }) => place === "content")
    .map(({ url }) => url.slice("https://example.com".length));
  expect(urls).toEqual(["/base/home", "/base/one/a", "/base/one/deep/b", "/base/d"]);
  expect(content?.markdown).toContain("(https://example.com/base/one/deep/c.png)");
});

test("HTML of an entry cannot reach beyond it, and nothing of it runs", () => {
  const { content, links } = read(
    rss(
      [
        "<item><title>&lt;b&gt;Bold&lt;/b&gt; &amp;lt;3</title><link>/a</link><description><![CDATA[<script>alert(1)</script><p onclick=x>Text <!-- <plaintext> <textarea>]]></description></item>",
        "<item><title>B</title><link>javascript:alert(1)</link><description><![CDATA[</article></body></html><a href='javascript:x'>x</a><pre>]]></description></item>",
        "<item><title>C</title><link>/c</link><description>After</description></item>",
      ].join(""),
    ),
  );
  expect(content?.metadata.headings.map(({ text }) => text)).toEqual(["News", "Bold <3", "B", "C"]);
  expect(content?.markdown).not.toMatch(/alert\(1\)\s*<|onclick|javascript/);
  expect(content?.markdown?.endsWith("After")).toBe(true);
  expect(links.map(({ url }) => url)).toEqual([
    "https://example.com/",
    "https://example.com/a",
    "https://example.com/c",
    "https://example.com/next",
  ]);
});

test("files of entries and further parts are links", () => {
  const { links } = read(
    `<feed xmlns="http://www.w3.org/2005/Atom"><link rel="next" href="?page=2"/>
     <entry><title>A</title><link rel="enclosure" href="/a.mp3"/></entry></feed>`,
    "application/atom+xml",
  );
  expect(links).toMatchObject([
    { url: `${URL_OF_FEED}?page=2`, kind: "link", rel: "next" },
    { url: "https://example.com/a.mp3", kind: "a", place: "content" },
    { url: "https://example.com/next" },
  ]);
});

const BOMB = `<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;"><!ENTITY x SYSTEM "file:///etc/passwd">]>`;
test("no entity is expanded, and no file is read", () => {
  const { content } = read(`${BOMB}${rss("<item><title>&c; &x; &eacute;</title><link>/a</link></item>").slice(21)}`);
  expect(content?.metadata.headings.map(({ text }) => text)).toEqual(["News", "&c; &x; é"]);
});

const entry = (n: number) =>
  `<item><title>Entry ${n}</title><link>/${n}</link><pubDate>Mon, 05 Jan 2026 10:00:00 GMT</pubDate><description><![CDATA[<p>Text of <a href="/x${n}">${n}</a>.</p>]]></description></item>`;
const entries = (count: number) => rss(Array.from({ length: count }, (_, n) => entry(n)).join(""));

test("a feed of 5,000 entries is read to its end", () => {
  const document = read(entries(5_000));
  expect(document.leftOut.problem).toBeNull();
  expect(entriesOf(document)).toHaveLength(10_001);
  expect(document.content?.markdown?.match(/^## /gm)).toHaveLength(5_000);
});

test("a longer one says what is left out", () => {
  const document = read(rss("<item><link>/a</link></item>".repeat(10_002)));
  expect(document.leftOut.problem).toBe("2 entries beyond the first 10000 are left out");
});

test("too much text is left out, and said", () => {
  const long = `<item><title>L</title><description>${"word ".repeat(100_000)}</description></item>`;
  const { content, leftOut } = read(rss(long.repeat(12)));
  expect(leftOut.problem).toBe("4 entries are without their text, because there is too much of it");
  expect(content?.metadata.headings).toHaveLength(13);
});

const CHARACTERS = 300_000;
const fill = (text: string) => text.repeat(Math.ceil(CHARACTERS / text.length));
test.each<[name: string, body: string]>([
  ["start tags", rss(fill("<item>"))],
  ["nested elements", rss(fill("<a>"))],
  ["attributes", rss(`<item ${Array.from({ length: 30_000 }, (_, n) => `a${n}="1"`).join(" ")}/>`)],
  ["less-than signs", rss(fill("<"))],
  ["open CDATA", rss(`<item><description>${fill("<![CDATA[")}`)],
  ["open comments", rss(`<item><description>${fill("<!--")}`)],
  ["ampersands", rss(`<item><title>${fill("&")}</title></item>`)],
  ["DOCTYPEs", fill("<!DOCTYPE ") + rss(ITEM)],
  ["subsets", `<!DOCTYPE x ${fill("[")}${rss(ITEM)}`],
  ["contents", rss(fill("<items "))],
  ["titles with markup", rss(fill("<item><title>&lt;b>a&lt;/b></title></item>"))],
  ["prefixes", rss(`<${fill("a:")}item>`)],
  [
    "namespaces",
    `<rss version="2.0" ${Array.from({ length: 30_000 }, (_, n) => `xmlns:a${n}="http://purl.org/dc/elements/1.1/"`).join(" ")}><channel>${ITEM}</channel></rss>`,
  ],
  ["authors", rss(`<item><author>${fill("(")}</author></item>`)],
  [
    "spaces",
    rss(`<item><title>${fill(" ")}x</title><pubDate>${fill(" ")}x</pubDate><author>${fill(" ")}x</author></item>`),
  ],
  [
    "a JSON feed of braces",
    `{"version":"https://jsonfeed.org/version/1","items":${"[".repeat(5_000)}${"]".repeat(5_000)}}`,
  ],
  [
    "a table of contents",
    `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel><title>R</title><items><rdf:Seq>${Array.from({ length: 20_000 }, (_, n) => `<rdf:li rdf:resource="u${n}"/>`).join("")}</rdf:Seq></items></channel>${Array.from({ length: 20_000 }, (_, n) => `<item rdf:about="u${19_999 - n}"/>`).join("")}</rdf:RDF>`,
  ],
])("300,000 characters of %s cost a bounded time", (name, body) => {
  const cpu = cpuMsOf(() => {
    try {
      read(body, name.includes("JSON") ? "application/feed+json" : "application/rss+xml");
    } catch (error) {
      expect(error).toBeInstanceOf(DocumentProblem);
    }
  });
  expect(cpu).toBeLessThan(3_000);
});

const PARTS =
  '<item> </item> <title> </title> <link> </link> <![CDATA[ ]]> < > & &amp; x <!-- --> </rss> <?x ?> <a\u0020b=" " </ <!DOCTYPE [ ] <description> <p>'
    .split(" ")
    .map((part) => part.replace("\u0020", " "));

test("broken XML of any kind is read or refused, and every entry that is read keeps its title", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PARTS), { maxLength: 40 }), (parts) => {
      const { content, leftOut } = read(rss(`${parts.join("")}`, `<title>News</title>${ITEM}`));
      expect(content?.metadata.headings[0]).toEqual({ level: 1, text: "News" });
      expect(content?.metadata.headings[1]).toMatchObject({ level: 2, text: "A" });
      expect(leftOut.links.count).toBe(0);
    }),
    { numRuns: 150 },
  );
});

describe("a page has the same date by its feed's text and by the reader of sitemaps", () => {
  const atom = (entries: string) => `<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title>${entries}</feed>`;
  const dayOf = (day: number) => `2026-01-0${day}T00:00:00Z`;
  test.each<[name: string, body: string, day: number | null]>([
    ["RSS", rss("<item><link>/1</link><pubDate>Mon, 05 Jan 2026 00:00:00 GMT</pubDate></item>"), 5],
    ["RSS without a date", rss("<item><title>One</title><link>/1</link></item>"), null],
    [
      "a page with two entries",
      rss([6, 4].map((day) => `<item><link>/1</link><pubDate>0${day} Jan 2026 00:00:00 GMT</pubDate></item>`).join("")),
      6,
    ],
    ["Atom", atom(`<entry><link href="/1"/><published>${dayOf(3)}</published></entry>`), 3],
    [
      "Atom with a later change",
      atom(`<entry><link href="/1"/><published>${dayOf(3)}</published><updated>${dayOf(7)}</updated></entry>`),
      7,
    ],
    [
      "Atom with a change that is no date",
      atom(`<entry><link href="/1"/><updated>soon</updated><published>${dayOf(3)}</published></entry>`),
      3,
    ],
  ])("%s", async (_, body, day) => {
    const whole = async function* () {
      yield bytesOf(body);
    };
    const listed = await readSitemap(whole(), URL_OF_FEED, null, canonicalize);
    for (const { links } of [read(body), listed])
      expect(links.find(({ url }) => url === "https://example.com/1")?.lastmod ?? null).toBe(
        day === null ? null : Date.parse(dayOf(day)),
      );
  });

  test("JSON Feed with a later change", () => {
    const item = { id: "1", url: "/1", title: "One", date_published: dayOf(3), date_modified: dayOf(7) };
    const { links, content } = read(
      JSON.stringify({ version: "https://jsonfeed.org/version/1.1", title: "News", items: [item] }),
      "application/feed+json",
    );
    expect(links.find(({ url }) => url === "https://example.com/1")?.lastmod).toBe(Date.parse(dayOf(7)));
    expect(content?.markdown).toContain("2026-01-03");
  });
});

import { describe, expect, test } from "vitest";
import { readSitemap } from "../../../../src/media/sitemap/sitemap.ts";
import type { SitemapLimits } from "../../../../src/media/sitemap/sitemap-list.ts";
import { canonicalize } from "../../../../src/url/canonicalize.ts";
import { listedIn } from "../../../listed-in.ts";

const URL_OF_SITEMAP = "https://example.com/maps/sitemap.xml";
const CUT_OFF = "it ends in the middle";
const NO_SITEMAP = "it is neither XML nor a list of URLs";
const HTML_PAGE = "it is an HTML page";

type Body = string | Uint8Array;

interface Asked {
  contentType?: string;
  limits?: Partial<SitemapLimits>;
  chunkSize?: number;
}

async function read(body: Body, { contentType, limits, chunkSize = Number.POSITIVE_INFINITY }: Asked = {}) {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const chunks = inChunks(bytes, chunkSize);
  return listedIn(await readSitemap(chunks, URL_OF_SITEMAP, contentType ?? null, canonicalize, limits));
}

async function* inChunks(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const bytesOf = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
const utf16 = (text: string, littleEndian: boolean) => {
  const view = new DataView(new ArrayBuffer(2 * text.length));
  for (let i = 0; i < text.length; i++) view.setUint16(2 * i, text.charCodeAt(i), littleEndian);
  return new Uint8Array(view.buffer);
};

/** Paths on example.com, with the day of the lastmod where there is one. */
const show = (entries: { url: string; lastmod: number | null }[]) =>
  entries.map(({ url, lastmod }) => {
    const day = lastmod === null ? "" : ` ${new Date(lastmod).toISOString().slice(0, 10)}`;
    return url.replace("https://example.com", "") + day;
  });

const A = "<url><loc>https://example.com/a</loc></url>";
const B = "<url><loc>https://example.com/b</loc></url>";
const urlset = (inner: string) => `<urlset>${inner}</urlset>`;
const rss = (item: string) => `<rss><channel><link>https://example.com/</link>${item}</channel></rss>`;
const feed = (inner: string) => `<feed xmlns="http://www.w3.org/2005/Atom">${inner}</feed>`;

describe("sitemaps, as they are to be and as they are met", () => {
  test.each<[name: string, xml: string, pages: string[]]>([
    [
      "the protocol's own example",
      urlset(`${A}<url><loc>/b</loc><lastmod>2005-01-01</lastmod></url>`),
      ["/a", "/b 2005-01-01"],
    ],
    [
      "declaration, namespace, white space, other elements",
      `\ufeff\n<?xml version="1.0" encoding="UTF-8"?>\n<?xml-stylesheet href="x.xsl"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
        <!-- <url><loc>/no</loc></url> -->
        <url>\n<loc>\n  https://example.com/a\n</loc>\n<lastmod> 2024-05-01T10:00:00Z </lastmod><changefreq>daily</changefreq><priority>0.5</priority></url>
      </urlset>\n`,
      ["/a 2024-05-01"],
    ],
    [
      "a prefix",
      "<sm:urlset><sm:url><sm:loc>/a</sm:loc><sm:lastmod>2024</sm:lastmod></sm:url></sm:urlset>",
      ["/a 2024-01-01"],
    ],
    [
      "a wrong namespace",
      '<urlset xmlns="http://www.google.com/schemas/sitemap/0.84"><url><loc>/a</loc></url></urlset>',
      ["/a"],
    ],
    ["capitals", "<URLSET><Url><LOC>/a</LOC><LastMod>2024</LastMod></Url></URLSET>", ["/a 2024-01-01"]],
    ["lastmod before loc", urlset("<url><lastmod>2024</lastmod><loc>/a</loc></url>"), ["/a 2024-01-01"]],
    ["a lastmod of nonsense", urlset("<url><loc>/a</loc><lastmod>today</lastmod></url>"), ["/a"]],
    ["CDATA", urlset("<url><loc><![CDATA[https://example.com/a?b=1&c=2]]></loc></url>"), ["/a?b=1&c=2"]],
    ["CDATA within", urlset("<url><loc> https://example.com/<![CDATA[a]]>b<!-- c -->d </loc></url>"), ["/abd"]],
    ["entities", urlset("<url><loc>/a?b=&amp;c=&#38;d=&#x26;e=&apos;f</loc></url>"), ["/a?b=&c=&d=&e=%27f"]],
    ["an ampersand as it is", urlset("<url><loc>/a?b=1&c=2&copy=3</loc></url>"), ["/a?b=1&c=2&copy=3"]],
    [
      "relative",
      urlset("<url><loc>b</loc></url><url><loc>../c</loc></url><url><loc>//example.com/d</loc></url>"),
      ["/maps/b", "/c", "/d"],
    ],
    [
      "canonical, once",
      urlset("<url><loc>/a#x</loc></url><url><loc>/a?utm_source=y</loc></url><url><loc>/b</loc></url>"),
      ["/a", "/b"],
    ],
    ["a lastmod that comes later", urlset(`${A}<url><loc>/a</loc><lastmod>2024</lastmod></url>`), ["/a 2024-01-01"]],
    [
      "a lastmod that comes twice",
      urlset(`<url><loc>/a</loc><lastmod>2024</lastmod></url><url><loc>/a</loc><lastmod>2025</lastmod></url>${A}`),
      ["/a 2024-01-01"],
    ],
    [
      "other languages, which are pages too",
      urlset(
        '<url><loc>/a</loc><lastmod>2024</lastmod><xhtml:link rel="alternate" hreflang="de" href="/de?x=1&amp;y=2"/><x:link href="/fr" rel="ALTERNATE"></x:link><xhtml:link rel="stylesheet" href="/no"/><xhtml:link rel="alternate"/><xhtml:link href="/no"/></url>',
      ),
      ["/a 2024-01-01", "/de?x=1&y=2", "/fr"],
    ],
    [
      "images, videos and news are none",
      urlset(
        `<url><image:image><image:loc>/no</image:loc></image:image><loc>/a</loc><video:video><video:content_loc>/no</video:content_loc><video:player_loc>/no</video:player_loc><video:loc>/no</video:loc></video:video><news:news><news:publication_date>2024</news:publication_date><news:loc>/no</news:loc></news:news></url>${B}`,
      ),
      ["/a", "/b"],
    ],
    ["an image without its frame", urlset("<url><loc>/a</loc><image:loc>/no</image:loc></url>"), ["/a"]],
    [
      "an image without a prefix",
      urlset("<url><loc>/a</loc><image><loc>/no</loc><lastmod>2024</lastmod></image></url>"),
      ["/a"],
    ],
    ["an empty image", urlset("<url><image/><loc>/a</loc></url>"), ["/a"]],
    [
      "an image never closed",
      urlset(`<url><loc>/a</loc><image:image><image:loc>/no</image:loc></url>${B}`),
      ["/a", "/b"],
    ],
    [
      "urls never closed",
      urlset("<url><loc>/a</loc><lastmod>2024</lastmod><url><loc>/b</loc>"),
      ["/a 2024-01-01", "/b"],
    ],
    [
      "locs never closed",
      urlset("<url><loc>/a</url><url><loc>/b<lastmod>2024</lastmod></url><url><loc>/c<url><loc>/d"),
      ["/a", "/b 2024-01-01", "/c", "/d"],
    ],
    [
      "mismatched tags",
      urlset("<url><loc>/a</lok><lastmod>2024</loc></url></b></url><url></loc><loc>/b</loc>"),
      ["/a 2024-01-01", "/b"],
    ],
    ["no url at all", urlset("<loc>/a</loc><lastmod>2024</lastmod><loc>/b</loc>"), ["/a 2024-01-01", "/b"]],
    [
      "two locs in one",
      urlset("<url><loc>/a</loc><loc>/b</loc><lastmod>2024</lastmod></url>"),
      ["/a", "/b 2024-01-01"],
    ],
    ["garbage after the root", `${urlset(A)}\n<script>1</script>${B}<div> & <`, ["/a"]],
    ["a warning before the root", `<br />\n<b>Warning</b>: x in <b>y.php</b><?xml version="1.0"?>${urlset(A)}`, ["/a"]],
    ["DOCTYPE", `<!DOCTYPE urlset SYSTEM "x.dtd">${urlset(A)}`, ["/a"]],
    [
      "entities of its own are not expanded",
      `<!DOCTYPE urlset [<!ENTITY a "<url><loc>/no</loc></url>"><!ENTITY b "&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>${urlset("&b;&c;<url><loc>/x&b;</loc></url>")}`,
      ["/x&b;"],
    ],
    ["nothing in it", "<urlset/>", []],
    ["nothing in it, at length", `<?xml version="1.0"?>${urlset("\n")}`, []],
  ])("%s", async (_, xml, pages) => {
    const sitemap = await read(xml);
    expect(show(sitemap.pages)).toEqual(pages);
    expect(sitemap).toMatchObject({ format: "urlset", sitemaps: [], problem: null, truncated: null });
    expect(sitemap.invalid).toEqual({ count: 0, examples: [] });
  });

  test.each<[name: string, xml: string, sitemaps: string[], pages: string[]]>([
    [
      "an index",
      "<sitemapindex><sitemap><loc>/1.xml</loc><lastmod>2024-01-02</lastmod></sitemap><sitemap><loc>/2.xml.gz</loc></sitemap></sitemapindex>",
      ["/1.xml 2024-01-02", "/2.xml.gz"],
      [],
    ],
    ["with a prefix", "<s:sitemapindex><s:sitemap><s:loc>/1.xml</s:loc></s:sitemap></s:sitemapindex>", ["/1.xml"], []],
    ["without sitemap tags", "<sitemapindex><loc>/1.xml</loc></sitemapindex>", ["/1.xml"], []],
    ["with a page in it", `<sitemapindex><sitemap><loc>/1.xml</loc></sitemap>${A}</sitemapindex>`, ["/1.xml"], ["/a"]],
  ])("%s", async (_, xml, sitemaps, pages) => {
    const sitemap = await read(xml);
    expect([show(sitemap.sitemaps), show(sitemap.pages)]).toEqual([sitemaps, pages]);
    expect(sitemap).toMatchObject({ format: "index", problem: null });
  });
});

describe("feeds", () => {
  test.each<[name: string, xml: string, pages: string[]]>([
    [
      "RSS 2.0",
      rss(
        "<item><title>x</title><link>https://example.com/a</link><guid>https://example.com/no</guid><pubDate>Wed, 02 Oct 2002 13:00:00 GMT</pubDate></item>",
      ),
      ["/a 2002-10-02"],
    ],
    [
      "the guid in place of a link",
      rss("<item><guid>https://example.com/a</guid><pubDate>2 Oct 2002</pubDate></item>"),
      ["/a 2002-10-02"],
    ],
    [
      "the guid in place of an empty link",
      rss("<item><guid isPermaLink='true'>https://example.com/a</guid><link/></item>"),
      ["/a"],
    ],
    [
      "a guid that is no link",
      rss("<item><guid isPermaLink='false'>https://example.com/no</guid></item><item><guid>17</guid></item>"),
      [],
    ],
    [
      "other links in an item",
      rss(
        "<item><atom:link href='/no' rel='self'/><image><link>/no</link></image><source url='/no'>x</source><enclosure url='/no'/><media:content url='/no'/><link>/a</link><comments>/no</comments></item>",
      ),
      ["/a"],
    ],
    [
      "escaped HTML in an item",
      rss("<item><description><![CDATA[<link>/no</link>]]>&lt;link>/no</description><link>/a</link></item>"),
      ["/a"],
    ],
    ["items never closed", rss("<item><link>/a</link><item><link>/b</link>"), ["/a", "/b"]],
    [
      "RSS 1.0",
      "<rdf:RDF><channel><link>/no</link><items><rdf:Seq><rdf:li resource='/a'/></rdf:Seq></items></channel><item rdf:about='/a'><link>/a</link><dc:date>2024-03-04</dc:date></item></rdf:RDF>",
      ["/a 2024-03-04"],
    ],
  ])("%s", async (_, xml, pages) => {
    const sitemap = await read(xml);
    expect(show(sitemap.pages)).toEqual(pages);
    expect(sitemap).toMatchObject({ format: "rss", sitemaps: [], problem: null, invalid: { count: 0 } });
  });

  const dates = "<updated>2024-02-02T00:00:00Z</updated>";
  test.each<[name: string, xml: string, pages: string[]]>([
    [
      "Atom",
      feed(`<link href="/no"/><updated>2020</updated><entry><link href="/a"/>${dates}</entry>`),
      ["/a 2024-02-02"],
    ],
    [
      "published, where it was never updated",
      feed('<entry><published>2024-01-01</published><link href="/a"/></entry>'),
      ["/a 2024-01-01"],
    ],
    [
      "updated wins",
      feed(`<entry><published>2024-01-01</published><link href="/a"/>${dates}</entry>`),
      ["/a 2024-02-02"],
    ],
    [
      "rel",
      feed(
        '<entry><link rel="self" href="/no"/><link rel="edit" href="/no"/><link rel="alternate" href="/a"/><link rel="http://www.iana.org/assignments/relation/alternate" href="/b"></link><link rel="enclosure" href="/no"/><link/></entry>',
      ),
      ["/a", "/b"],
    ],
    ["a prefix", '<a:feed><a:entry><a:link href="/a"/><x:link href="/no"/></a:entry></a:feed>', ["/a"]],
    ["relative to the feed", feed('<entry><link href="b"/></entry>'), ["/maps/b"]],
    [
      "xml:base of feed, entry and link, each from the one around it",
      '<feed xml:base="/f/"><entry><link href="1"/></entry><entry xml:base="e/"><link href="2"/><link xml:base="l/" href="3"/></entry><entry xml:base="javascript:x"><link href="4"/></entry></feed>',
      ["/f/1", "/f/e/2", "/f/e/l/3", "/f/4"],
    ],
    [
      "the source of an entry",
      feed(`<entry><link href="/a"/><source><link href="/no"/>${dates}</source></entry>`),
      ["/a"],
    ],
    [
      "content as XML",
      feed('<entry><link href="/a"/><content type="xhtml"><link href="/no"/></content></entry>'),
      ["/a"],
    ],
  ])("%s", async (_, xml, pages) => {
    const sitemap = await read(xml);
    expect(show(sitemap.pages)).toEqual(pages);
    expect(sitemap).toMatchObject({ format: "atom", sitemaps: [], problem: null, invalid: { count: 0 } });
  });
});

describe("lists of URLs", () => {
  test.each<[name: string, text: string, pages: string[], invalid: string[]]>([
    ["LF", "https://example.com/a\nhttps://example.com/b\n", ["/a", "/b"], []],
    ["CRLF", "https://example.com/a\r\nhttps://example.com/b\r\n", ["/a", "/b"], []],
    ["CR", "https://example.com/a\rhttps://example.com/b", ["/a", "/b"], []],
    [
      "mark, blank lines, white space",
      "\ufeff\n\n  https://example.com/a\t\n \n\tHTTPS://EXAMPLE.com/b",
      ["/a", "/b"],
      [],
    ],
    ["each once", "https://example.com/a\nhttps://example.com/a#b", ["/a"], []],
    [
      "what is none",
      "# pages\nhttps://example.com/a\n/b\nwww.example.com\nhttps://\nftp://example.com/",
      ["/a"],
      ["# pages", "/b", "www.example.com"],
    ],
  ])("%s", async (_, text, pages, invalid) => {
    const sitemap = await read(text);
    expect(show(sitemap.pages)).toEqual(pages);
    expect(sitemap).toMatchObject({ format: "text", problem: null, invalid: { examples: invalid } });
  });
});

describe("what can not be read", () => {
  test.each<[name: string, body: Body, problem: string, pages: string[]]>([
    ["nothing", "", "it is empty", []],
    ["white space", "\ufeff \r\n ", "it is empty", []],
    ["a declaration alone", '<?xml version="1.0"?>', CUT_OFF, []],
    ["a root alone", "<urlset>", CUT_OFF, []],
    ["an end in a URL", `<urlset>${A}<url><loc>https://example.com/b`, CUT_OFF, ["/a"]],
    ["an end in a tag", `<urlset>${A}<url><loc>https://example.com/b</lo`, CUT_OFF, ["/a"]],
    ["an end after a URL", `<urlset>${A}<url><loc>https://example.com/b</loc><lastmod>2024`, CUT_OFF, ["/a", "/b"]],
    ["an end before the root's", `<urlset>${A}</url>`, CUT_OFF, ["/a"]],
    ["an end in a comment", `<urlset>${A}<!-- </urlset>`, CUT_OFF, ["/a"]],
    ["an end in CDATA", `<urlset>${A}<url><loc><![CDATA[/b</loc></url></urlset>`, CUT_OFF, ["/a"]],
    ["an end in a DOCTYPE", `<!DOCTYPE urlset [ <!ENTITY a "b"> ${urlset(A)}`, CUT_OFF, []],
    ["two roots", `${urlset(A)}<?xml version="1.0"?>${urlset(B)}`, "another <urlset> follows after its end", ["/a"]],
    ["HTML", "<!DOCTYPE html><html><loc>/a</loc></html>", HTML_PAGE, []],
    ["HTML without DOCTYPE", `\n<!-- x --><HTML lang="en">${urlset(A)}`, HTML_PAGE, []],
    [
      "XHTML",
      '<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x"><html>',
      HTML_PAGE,
      [],
    ],
    [
      "other XML",
      "<Error><Code>NoSuchKey</Code></Error>",
      "it is no sitemap and no feed: its first element is <error>",
      [],
    ],
    ["a letter", "x", NO_SITEMAP, []],
    ["JSON", '{"urls": ["https://example.com/a"]}', NO_SITEMAP, []],
    ["JSON in lines", '[\n"https://example.com/a",\n"https://example.com/b"\n]', NO_SITEMAP, []],
    ["words", "Not found", NO_SITEMAP, []],
    ["binary", bytesOf("\x1f\x8b\x08\0\0\0"), "it is neither XML nor text", []],
    ["binary after a mark", bytesOf("\xef\xbb\xbf\0https://example.com/"), "it is neither XML nor text", []],
  ])("%s", async (_, body, problem, pages) => {
    const sitemap = await read(body);
    expect(sitemap.problem).toBe(problem);
    expect(show(sitemap.pages)).toEqual(pages);
  });

  test("what broke the stream off is the caller's to know", async () => {
    async function* broken() {
      yield bytesOf("<urlset>");
      throw new Error("connection lost");
    }
    await expect(readSitemap(broken(), URL_OF_SITEMAP, null, canonicalize)).rejects.toThrow("connection lost");
  });
});

describe("encodings", () => {
  const xml = (declaration: string, path: string) => `${declaration}${urlset(`<url><loc>/${path}</loc></url>`)}`;
  const declared = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?>`;
  test.each<[name: string, body: Body, contentType: string, page: string]>([
    ["UTF-8, by default", xml("", "é"), "", "/%C3%A9"],
    ["a header", bytesOf(xml("", "\xe9")), "text/xml; charset=ISO-8859-1", "/%C3%A9"],
    ["a header in quotes", bytesOf(xml("", "\xe9")), 'text/xml;Charset = "windows-1252"', "/%C3%A9"],
    ["a header before the declaration", xml(declared("iso-8859-1"), "é"), "text/xml;charset=utf-8", "/%C3%A9"],
    ["a header of no meaning", bytesOf(xml(declared("iso-8859-1"), "\xe9")), "text/xml;charset=none", "/%C3%A9"],
    ["a declaration", bytesOf(xml(declared("windows-1251"), "\xe9")), "", "/%D0%B9"],
    ["a declaration after blank lines", bytesOf(`\r\n${xml(declared("windows-1251"), "\xe9")}`), "text/xml", "/%D0%B9"],
    ["a declaration of no meaning", xml(declared("UTF8-8"), "é"), "", "/%C3%A9"],
    ["a declaration that can not be true", xml(declared("UTF-16"), "é"), "", "/%C3%A9"],
    ["GBK", bytesOf(xml(declared("gb2312"), "\xd6\xd0")), "", "/%E4%B8%AD"],
    [
      "a mark before all",
      bytesOf(`\xef\xbb\xbf${xml(declared("gbk"), "\xc3\xa9")}`),
      "text/xml;charset=gbk",
      "/%C3%A9",
    ],
    ["UTF-16, marked", utf16(`\ufeff${xml(declared("UTF-16"), "é")}`, true), "text/xml;charset=utf-8", "/%C3%A9"],
    ["UTF-16, big end first", utf16(`\ufeff${xml("", "é")}`, false), "", "/%C3%A9"],
    ["UTF-16 without a mark", utf16(xml(declared("UTF-16"), "é"), true), "", "/%C3%A9"],
    ["UTF-16 without a mark, big end first", utf16(xml("", "é"), false), "text/xml;charset=utf-16", "/%C3%A9"],
    ["a list in Latin-1", bytesOf("https://example.com/\xe9"), "text/plain; charset=latin1", "/%C3%A9"],
    ["bytes that do not fit", bytesOf(xml("", "\xe9")), "", "/%EF%BF%BD"],
  ])("%s", async (_, body, contentType, page) => {
    for (const chunkSize of [1, 7, 1e6])
      expect(show((await read(body, { contentType, chunkSize })).pages)).toEqual([page]);
  });
});

describe("entries that are no URL", () => {
  test.each([
    ["mailto:a@example.com", "mailto:a@example.com"],
    ["ftp://example.com/", "ftp://example.com/"],
    ["https://", "https://"],
    ["", ""],
    ["<![CDATA[ ]]>", ""],
    [`https://example.com/${"x".repeat(5000)}`, `https://example.com/${"x".repeat(180)}`],
  ])("%.40j", async (loc, example) => {
    const sitemap = await read(urlset(`${A}<url><loc>${loc}</loc><lastmod>2024</lastmod></url>${B}`));
    expect(sitemap).toMatchObject({ invalid: { count: 1, examples: [example] }, problem: null });
    expect(show(sitemap.pages)).toEqual(["/a", "/b"]);
  });

  test("all are counted, three are shown", async () => {
    const { invalid } = await read(urlset([1, 2, 3, 4].map((n) => `<url><loc>x:${n}</loc></url>`).join("")));
    expect(invalid).toEqual({ count: 4, examples: ["x:1", "x:2", "x:3"] });
  });

  test("an entry without a loc is not counted", async () => {
    expect((await read(urlset("<url><lastmod>2024</lastmod></url>"))).invalid.count).toBe(0);
  });

  test("a URL somewhat longer than scope takes is left to scope, which says so", async () => {
    expect((await read(urlset(`<url><loc>/${"x".repeat(3000)}</loc></url>`))).pages[0]?.url).toHaveLength(3020);
  });
});

describe("limits", () => {
  const list = "https://example.com/a\nhttps://example.com/b\nhttps://example.com/c\n";
  test.each<[name: string, body: string, limits: Partial<SitemapLimits>, truncated: string | null, pages: string[]]>([
    ["as many URLs as may be", urlset(A + B), { urls: 2 }, null, ["/a", "/b"]],
    ["more URLs", urlset(A + B), { urls: 1 }, "more than 1 URLs", ["/a"]],
    [
      "other languages, which do not count",
      urlset(`<url><loc>/a</loc><lastmod>2024</lastmod><xhtml:link rel="alternate" href="/b"/></url>`),
      { urls: 1 },
      null,
      ["/a 2024-01-01", "/b"],
    ],
    [
      "another language that has its own entry, which counts",
      urlset(`<url><loc>/a</loc><xhtml:link rel="alternate" href="/b"/></url>${B}${A}<url><loc>/c</loc></url>`),
      { urls: 2 },
      "more than 2 URLs",
      ["/a", "/b"],
    ],
    ["the same URLs", urlset(A + A + B), { urls: 2 }, null, ["/a", "/b"]],
    ["as many characters as may be", urlset(A + B), { characters: 42 }, null, ["/a", "/b"]],
    ["more characters", urlset(A + B), { characters: 41 }, "more than 41 characters of URLs", ["/a"]],
    ["as many bytes as may be", urlset(A), { bytes: 60 }, null, ["/a"]],
    ["more bytes", urlset(A), { bytes: 59 }, "more than 59 bytes", ["/a"]],
    ["an end in a line's URL", list, { bytes: 42 }, "more than 42 bytes", ["/a"]],
    ["an end in a line's scheme", list, { bytes: 26 }, "more than 26 bytes", ["/a"]],
    [
      "a shorter URL after",
      `${list}https://example.com/\n`,
      { characters: 62 },
      "more than 62 characters of URLs",
      ["/a", "/b"],
    ],
    ["lines", list, { urls: 2 }, "more than 2 URLs", ["/a", "/b"]],
  ])("%s", async (_, body, limits, truncated, pages) => {
    const sitemap = await read(body, { limits });
    expect(sitemap).toMatchObject({ truncated, problem: null, invalid: { count: 0 } });
    expect(show(sitemap.pages)).toEqual(pages);
  });

  test("pages and sitemaps are counted together", async () => {
    const sitemap = await read(`<sitemapindex><sitemap><loc>/1.xml</loc></sitemap>${A}</sitemapindex>`, {
      limits: { urls: 1 },
    });
    expect(sitemap).toMatchObject({ truncated: "more than 1 URLs", pages: [] });
  });

  test("other languages have a limit of their own, and the entries after it are read", async () => {
    const link = (path: string) => `<xhtml:link rel="alternate" href="${path}"/>`;
    const xml = urlset(`<url><loc>/a</loc>${["/1", "/2", "/a", "/3"].map(link).join("")}</url>${B}`);
    const sitemap = await read(xml, { limits: { alternates: 1 } });
    expect(show(sitemap.pages)).toEqual(["/a", "/1", "/b"]);
    expect(sitemap).toMatchObject({ truncated: null, links: { count: 2, examples: expect.any(Array) } });
  });

  test("50,000 entries in three languages each are read", async () => {
    const entry = (_: unknown, i: number) =>
      `<url><loc>/en/${i}</loc><xhtml:link rel="alternate" href="/de/${i}"/><xhtml:link rel="alternate" href="/fr/${i}"/></url>`;
    const sitemap = await read(urlset(Array.from({ length: 50_000 }, entry).join("")));
    expect([sitemap.pages.length, sitemap.truncated, sitemap.links.count]).toEqual([150_000, null, 0]);
  });

  test("the protocol's: 50,000 URLs", async () => {
    const lines = (count: number) => Array.from({ length: count }, (_, i) => `https://example.com/${i}`).join("\n");
    const whole = await read(lines(50_000));
    expect([whole.pages.length, whole.truncated]).toEqual([50_000, null]);
    const more = await read(lines(50_001));
    expect([more.pages.length, more.truncated]).toEqual([50_000, "more than 50,000 URLs"]);
    const most = await read(lines(70_000));
    expect([most.pages.length, most.links]).toEqual([
      50_000,
      { count: 20_000, examples: [0, 1, 2].map((i) => `https://example.com/${50_000 + i}`) },
    ]);
  });
});

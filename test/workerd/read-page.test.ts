import { describe, expect, test } from "vitest";
import type { PageHeaders } from "../../src/crawl/page/outcome.ts";
import { readPage } from "../../src/fetch/reading/read-page.ts";
import { ALL_SAID, ASKS_NOTHING, type ReadRequest } from "../../src/fetch/request/page-request.ts";

const REQUEST = { ...ASKS_NOTHING, url: "https://a.test/dir/", agent: "orbweaver", pageRobots: true };
const NOW = Date.parse("2026-03-01");

async function read(html: string, headers: PageHeaders, now = NOW, changes: Partial<ReadRequest> = {}) {
  const body = new TextEncoder().encode(html);
  const request = { ...REQUEST, ...changes };
  const page = await readPage({ body, contentType: "text/html", headers, httpStatus: 200 }, request, 5, now);
  return page.kind === "page" ? page : null;
}

test("a page is left out from the date of its unavailable_after on", async () => {
  const html = "<meta name=robots content='unavailable_after: 2026-03-01'><a href=x>";
  expect(await read(html, [], NOW - 1)).toMatchObject({ noindex: null, links: ["https://a.test/dir/x"] });
  expect(await read(html, [])).toMatchObject({
    noindex: "meta: unavailable_after: 2026-03-01",
    links: ["https://a.test/dir/x"],
  });
  const header: PageHeaders = [["x-robots-tag", "otherbot: noindex, unavailable_after: 1 Jan 2026"]];
  expect((await read("x", header))?.noindex).toBe("X-Robots-Tag: unavailable_after: 1 jan 2026");
});

test("the headers of the answer name links and sitemaps", async () => {
  const headers: PageHeaders = [
    ["link", '</next>; rel=next, </map.xml>; rel=sitemap, </left>; rel="next nofollow"'],
    ["refresh", "0; url=/moved"],
  ];
  expect(await read("<a href=a>", headers)).toMatchObject({
    links: ["https://a.test/dir/a", "https://a.test/next", "https://a.test/moved"],
    sitemaps: ["https://a.test/map.xml"],
    nofollow: { count: 1, examples: ["https://a.test/left"] },
  });
});

test.each<[string, string, PageHeaders, string | undefined]>([
  ["its element", "<link rel=canonical href=/a>", [], "https://a.test/a"],
  ["its element, for the page itself", "<link rel=canonical href=./#top>", [], "https://a.test/dir/"],
  ["its header", "x", [["link", "</b>; rel=canonical"]], "https://a.test/b"],
  ["no element without a URL", "<link rel=canonical>", [], undefined],
  ["no URL that is longer than any crawled one", `<link rel=canonical href=/${"a".repeat(10_000)}>`, [], undefined],
  ["no address", "<link rel=canonical href=mailto:a@a.test>", [], undefined],
])("a page names its canonical URL by %s", async (_, html, headers, canonical) => {
  expect((await read(html, headers))?.canonical).toBe(canonical);
});

test("a page that asks not to follow its links names no sitemaps", async () => {
  const sitemapsOf = async (html: string, headers: PageHeaders = []) => (await read(html, headers))?.sitemaps;
  const link = "<link rel=sitemap href=/map.xml>";
  expect(await sitemapsOf(link)).toEqual(["https://a.test/map.xml"]);
  expect(await sitemapsOf(`<meta name=robots content=nofollow>${link}`)).toEqual([]);
  expect(await sitemapsOf(link, [["x-robots-tag", "none"]])).toEqual([]);
  expect(await sitemapsOf('<link rel="sitemap nofollow" href=/map.xml>')).toEqual([]);
  expect(await sitemapsOf("x", [["link", '</map.xml>; rel="sitemap nofollow"']])).toEqual([]);
});

test("a page that is read for its links alone has them, and nothing to keep", async () => {
  const linksOnly = { reason: "noindex", detail: "the crawl says so" } as const;
  const everything = { parts: ["markdown" as const], search: true, hook: true, version: ALL_SAID, assets: true };
  const topic = { lens: null, words: "crawlers", maxExample: 0 };
  const html = "<html lang=en><title>T</title><p>Some words about crawlers.<a href=x>x</a>";
  const page = await read(html, [], NOW, { ...everything, linksOnly, languages: ["de"], topic });
  expect(page).toMatchObject({ linksOnly, title: "T", links: ["https://a.test/dir/x"], otherLanguage: null });
  expect(page).toMatchObject({ content: null, text: null, version: null, topic: { linkScores: [expect.any(Number)] } });
  expect(await read(html, [], NOW, everything)).toMatchObject({ linksOnly: null, content: expect.any(Uint8Array) });
});

test("a feed under a type of XML is stored under its own, and its entries are links", async () => {
  const body = new TextEncoder().encode(
    "<rss><channel><title>T</title><item><link>a</link><pubDate>Mon, 05 Jan 2026 10:00:00 GMT</pubDate></item></channel></rss>",
  );
  const received = { body, contentType: "text/xml; charset=utf-8", headers: [], httpStatus: 200 };
  const page = await readPage(received, { ...REQUEST, documents: ["feed"], parts: ["markdown"] }, 5, NOW);
  expect(page).toMatchObject({
    contentType: "application/rss+xml; charset=utf-8",
    title: "T",
    links: ["https://a.test/dir/a"],
  });
  expect(await readPage(received, REQUEST, 5, NOW)).toMatchObject({
    reason: "content-type",
    detail: "application/rss+xml that is called text/xml",
  });
});

test("10 MB of JSON are kept as they are, and searched as far as the index goes", async () => {
  const body = new TextEncoder().encode(`["${"some words ".repeat(900_000)}"]`);
  const received = { body, contentType: "application/json", headers: [], httpStatus: 200 };
  const page = await readPage(
    received,
    { ...REQUEST, documents: ["json"], search: true, version: ALL_SAID, parts: ["markdown"] },
    5,
    NOW,
  );
  expect(page).toMatchObject({
    kind: "page",
    bytes: body.length,
    leftOut: { problem: expect.stringContaining("10%") },
  });
  if (page.kind !== "page") return;
  expect(page.text?.length).toBeLessThanOrEqual(1_000_000);
  expect(page.version).toMatchObject({ rest: { characters: expect.any(Number) } });
});

describe("the language of a page", () => {
  const GERMAN =
    "Der Wanderer ging am frühen Morgen durch den stillen Wald und hörte die Vögel singen, die auf den hohen Bäumen saßen. ";
  const TEXT = `<p>${GERMAN.repeat(8)}</p>`;
  const KEEP_DE = { languages: ["de"], byLanguage: true };
  const SAYS_DE: PageHeaders = [["content-language", "de-AT"]];

  test.each<[string, string, PageHeaders, string | null]>([
    ["its attribute, before the header", "<html lang=pt_BR><p>x", SAYS_DE, "pt-BR"],
    ["the header", "<p>x", SAYS_DE, "de-AT"],
    ["no attribute that names none", "<html lang=x-default><p>x", SAYS_DE, "de-AT"],
    ["no header of several", "<p>x", [["content-language", "de, en"]], null],
    ["its metadata, if they are read", "<meta property=og:locale content=fr_FR><p>x", [], null],
    ["no text, unless the crawl asks for languages", TEXT, [], null],
  ])("is that of %s", async (_, html, headers, language) => {
    expect(await read(html, headers)).toMatchObject({ language, otherLanguage: null });
  });

  test.each<[string, string, Partial<ReadRequest>, string | null]>([
    ["its metadata", "<meta property=og:locale content=fr_FR><p>x", KEEP_DE, "fr-FR"],
    ["its text", TEXT, KEEP_DE, "de"],
    ["its text, for links", TEXT, { byLanguage: true }, "de"],
    ["its text, with formats", TEXT, { ...KEEP_DE, parts: ["markdown"] }, "de"],
    ["no short text", "<p>Guten Tag", KEEP_DE, null],
  ])("is that of %s in a crawl of languages", async (_, html, changes, language) => {
    expect((await read(html, [], NOW, changes))?.language).toBe(language);
  });

  test("that the crawl does not ask for leaves the links of the page, and nothing to keep", async () => {
    const html = `<html lang=en><title>T</title>${TEXT}<a href=x>x</a>`;
    const asked = { ...KEEP_DE, parts: ["markdown" as const], search: true, version: ALL_SAID };
    const page = await read(html, [], NOW, asked);
    expect(page).toMatchObject({ otherLanguage: "en", title: "T", links: ["https://a.test/dir/x"] });
    expect(page).toMatchObject({ content: null, text: null, version: null });
    expect(page?.print).toBeUndefined();
    expect(await read(html.replace("lang=en", "lang=de-AT"), [], NOW, asked)).toMatchObject({
      otherLanguage: null,
      text: expect.stringContaining("Wanderer"),
    });
  });

  test("of its translations is told to a crawl of languages alone", async () => {
    const html = "<link rel=alternate hreflang=de href=/de/><p>x";
    const alternates = [{ url: "https://a.test/de/", language: "de" }];
    expect((await read(html, [], NOW, KEEP_DE))?.alternates).toEqual(alternates);
    expect((await read(html, []))?.alternates).toBeUndefined();
  });
});

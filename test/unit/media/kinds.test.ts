import { expect, test } from "vitest";
import type { DocumentKind } from "../../../src/media/kind/document-kinds.ts";
import { canBePage, kindOf, recognizePage, signatureOf, sniffType } from "../../../src/media/kind/kinds.ts";
import { isBinary } from "../../../src/media/kind/sniff.ts";

test.each([
  ["<!DOCTYPE html><title>x</title>", "text/html"],
  ["\n\t <HTML lang=en>", "text/html"],
  ["<!-- a -->", "text/html"],
  ["<p>x", "text/html"],
  ["<a href=/>x</a>", "text/html"],
  ["<abbr>x</abbr>", "text/plain"],
  ["<p", "text/plain"],
  ["a <p>x", "text/plain"],
  ["< p>", "text/plain"],
  ["", "text/plain"],
  ["plain words\r\n\f\t\x1b[1m", "text/plain"],
  ["naïve – €", "text/plain"],
  ['<?xml version="1.0"?><html>', "text/xml"],
  ["%PDF-1.7\n", "application/octet-stream"],
  ["GIF89a\x01\0", "application/octet-stream"],
  ["a\x0b", "application/octet-stream"],
  [`${"a".repeat(1_445)}\0`, "text/plain"],
  ["<p>\0", "text/html"],
])("%j is %s", (text, type) => expect(sniffType(text)).toBe(type));

const binaryType = (bytes: Uint8Array, contentType: string) =>
  signatureOf(bytes) ?? (isBinary(bytes, contentType) ? "binary data" : null);
const latin1 = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));

test.each([
  ["%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj", "application/pdf"],
  ["\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png"],
  ["GIF89a\x01\0\x01\0", "image/gif"],
  ["GIF87a\x01\0\x01\0", "image/gif"],
  ["\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg"],
  ["RIFF\x24\0\0\0WEBPVP8 ", "image/webp"],
  ["PK\x03\x04\x14\0\0\0\x08\0", "application/zip"],
  ["\x1f\x8b\x08\0\0\0\0\0", "application/gzip"],
  ["Rar!\x1a\x07\x01\0", "application/x-rar-compressed"],
  ["7z\xbc\xaf\x27\x1c\0\x04", "application/x-7z-compressed"],
  ["\0\0\0\x18ftypmp42", "video/mp4"],
  ["\x1a\x45\xdf\xa3\x9f\x42", "video/webm"],
  ["OggS\0\x02", "application/ogg"],
  ["\0\x01\x02\xff".repeat(10), "binary data"],
  [`<p>${"\0".repeat(8)}a slip or two`, null],
  ["<!doctype html><p>%PDF-", null],
  ["PK is a text", null],
  ["<h1>ftyp</h1>", null],
  ["GIF89 is a format", null],
  ["", null],
])("%j holds %s", (text, type) => expect(binaryType(latin1(text), "text/html; charset=utf-8")).toBe(type));

test("the NUL bytes of UTF-16 are text", () => {
  const utf16 = latin1("<\0p\0>\0a\0b\0c\0d\0e\0f\0g\0h\0");
  const types = ["utf-16le", "windows-1252"].map((charset) => binaryType(utf16, `text/html; charset=${charset}`));
  expect(types).toEqual([null, "binary data"]);
  expect(binaryType(latin1("\xff\xfe<\0p\0>\0a\0b\0c\0d\0e\0f\0g\0h\0"), "")).toBeNull();
});

test.each<[type: string | null, body: string, expected: string]>([
  ["text/html", "<p>x", "text/html"],
  ["Application/XHTML+XML; charset=utf-8", "<p>x", "application/xhtml+xml"],
  ["text/markdown", "# x", "text/markdown"],
  [null, "<p>x", "text/html"],
  ["; charset=utf-8", "words", "text/plain"],
  ["text/html, text/html", "<p>x", "text/html"],
  ["*/*", "<p>x", "text/html"],
  ["unknown/unknown", "<!doctype html><p>x", "text/html"],
  ["html", "words", "text/plain"],
  ["html", "GIF89a\x01\0\x01\0", "no type is given; it is image/gif"],
  ["text/html", "%PDF-1.7", "application/pdf that is called text/html"],
  [null, "%PDF-1.7", "no type is given; it is application/pdf"],
  [null, "\0".repeat(20), "no type is given; it is binary data"],
  [null, "<?xml version='1.0'?><a/>", "text/xml"],
  ["application/json", "{", "application/json"],
  ["Application/Vnd.Api+JSON; v=1", "{}", "application/vnd.api+json"],
  ["application/json", '{"version": "https://jsonfeed.org/version/1.1"}', "application/feed+json"],
  [
    "application/geo+json",
    '\n{ "title": "x", "version": "http:\\/\\/jsonfeed.org\\/version\\/1" }',
    "application/feed+json",
  ],
  ["application/json", '{"a": {"version": "https://example.com/version/1"}}', "application/json"],
  ["application/json", '["version", "https://jsonfeed.org/version/1.1"]', "application/json"],
  ["application/kml+xml", "<kml/>", "application/kml+xml"],
  ["text/x-markdown", "# x", "text/x-markdown"],
  ["image/svg+xml", "<svg/>", "image/svg+xml"],
  ["application/octet-stream", "# x", "application/octet-stream"],
  [null, "\x0b", "no type is given; it looks like application/octet-stream"],
])("as a page %j with %j is %s", (contentType, body, expected) => {
  const found = recognizePage(latin1(body), contentType, ["feed", "json", "xml"]);
  expect("problem" in found ? found.problem : found.type).toBe(expected);
});

const XMLNS = 'xmlns="http://www.w3.org/1999/xhtml"';
test.each<[type: string | null, body: string, expected: string]>([
  ["application/xml", `<html ${XMLNS}>`, "application/xhtml+xml"],
  ["text/xml; charset=utf-8", `\xef\xbb\xbf<?xml version="1.0"?>\n<html lang="en" ${XMLNS}>`, "application/xhtml+xml"],
  [null, `<?xml version="1.0"?><html ${XMLNS}>`, "application/xhtml+xml"],
  ["text/xml", `<!-- > --><!DOCTYPE html [<!ENTITY a ">">]><?style x?><html ${XMLNS}>`, "application/xhtml+xml"],
  ["text/xml", "<h:html xmlns:h='http://www.w3.org/1999/xhtml'>", "application/xhtml+xml"],
  ["text/html", `<?xml version="1.0"?><html ${XMLNS}>`, "text/html"],
  ["application/xml", "<html>", "application/xml"],
  ["application/xml", `<a><html ${XMLNS}>`, "application/xml"],
  ["application/xml", `<htmls ${XMLNS}>`, "application/xml"],
  ["application/rss+xml", `<html ${XMLNS}>`, "application/rss+xml"],
  ["text/xml", "<rss version='2.0'>", "application/rss+xml"],
  [null, "<?xml version='1.0'?><!-- <html> --><RSS>", "application/rss+xml"],
  ["application/xml", "<feed xmlns='http://www.w3.org/2005/Atom'>", "application/atom+xml"],
  ["application/xml", "<a:feed xmlns:a='http://www.w3.org/2005/Atom'/>", "application/atom+xml"],
  ["application/xml", "<feed version='0.3' xmlns='http://purl.org/atom/ns#'>", "application/atom+xml"],
  ["application/xml", "<feed xmlns='https://example.com/'>", "application/xml"],
  ["application/rdf+xml", "<r:RDF xmlns:r='x' xmlns='http://purl.org/rss/1.0/'>", "application/rss+xml"],
  ["application/rdf+xml", "<r:RDF xmlns:r='x' xmlns='http://xmlns.com/foaf/0.1/'>", "application/rdf+xml"],
  [
    "application/xml",
    "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>",
    "sitemap that is called application/xml",
  ],
  [null, "<?xml version='1.0'?><sitemapindex>", "no type is given; it looks like sitemap"],
  ["text/xml", "<svg xmlns='http://www.w3.org/2000/svg'>", "image/svg+xml that is called text/xml"],
  ["application/xml", "", "application/xml"],
])("XML of type %j with %j is %s", (contentType, body, expected) => {
  const found = recognizePage(latin1(body), contentType);
  expect("problem" in found ? found.problem : found.type).toBe(expected);
});

test("a prolog beyond its limit is no page, and takes no time", () => {
  const found = recognizePage(latin1(`${"<?a?>".repeat(2_000)}<html ${XMLNS}>`), "text/xml");
  expect(found).toMatchObject({ type: "text/xml", kind: { document: "xml" } });
});

test.each<[type: string, body: string, documents: DocumentKind[], expected: string | null]>([
  ["text/html", "<p>x", [], "text/html"],
  ["text/xml", `<html ${XMLNS}>`, [], "application/xhtml+xml"],
  ["text/xml", "<a/>", ["feed"], "text/xml"],
  ["text/xml", "<rss>", ["xml"], "application/rss+xml that is called text/xml"],
  ["application/rss+xml", "<rss>", ["feed"], "application/rss+xml"],
  ["application/rss+xml", "<rss>", ["xml", "json"], null],
  ["application/json", "{}", ["feed"], "application/json"],
  ["application/json", "{}", ["xml"], null],
  ["application/rdf+xml", "<a/>", [], "application/rdf+xml"],
  ["application/kml+xml", "<a/>", ["feed"], null],
  ["application/pdf", "%PDF-1.7", ["pdf"], "application/pdf"],
  ["application/pdf", "%PDF-1.7", ["feed"], null],
])("%s with %j is read for the documents %j", (contentType, body, documents, expected) => {
  // Null: the body is not even fetched.
  expect(canBePage(contentType, documents)).toBe(expected !== null);
  const found = recognizePage(latin1(body), contentType, documents);
  if (expected !== null) expect("problem" in found ? found.problem : found.type).toBe(expected);
  else expect(found).toHaveProperty("problem");
});

test.each([
  ["text/html; charset=utf-8", "html", true],
  ["application/xhtml+xml", "html", true],
  ["text/plain", "bytes", true],
  ["text/markdown", "bytes", true],
  ["text/css", "css", false],
  ["application/rss+xml", "bytes", true],
  ["application/json; charset=utf-8", "bytes", true],
  ["application/problem+json", "bytes", true],
  ["application/mathml+xml", "bytes", true],
  ["image/svg+xml", "bytes", false],
  ["image/png", "bytes", false],
  [null, "bytes", false],
])("%s is replayed as %s; it is a page: %s", (contentType, replay, isPage) => {
  expect(kindOf(contentType)).toMatchObject({ replay, isPage });
});

import { describe, expect, test } from "vitest";
import { pageOf, whyInvalid } from "../../../../src/crawl/lists/page-url.ts";
import { readList } from "../../../../src/crawl/lists/read-list.ts";

const read = (text: string, name = "list.txt") => readList(text, name).map(({ text: url, line }) => `${line} ${url}`);

const LISTS: [what: string, text: string, entries: string[], name?: string][] = [
  [
    "lines, comments and blank lines",
    "# mine\n\nhttps://a.test/1\r\n  b.test/2  \n<https://a.test/3> # third\n",
    ["3 https://a.test/1", "4 b.test/2", "5 https://a.test/3"],
  ],
  [
    "fragments, commas and semicolons of URLs",
    "https://a.test/#top\nhttps://a.test/x,y\nhttps://a.test/x;y=1,2\n",
    ["1 https://a.test/#top", "2 https://a.test/x,y", "3 https://a.test/x;y=1,2"],
  ],
  [
    "CSV by its header",
    'Title,Address,Status\n"A, the first",https://a.test/1,200\n"two\nlines",https://a.test/2,404\n',
    ["2 https://a.test/1", "3 https://a.test/2"],
  ],
  ["CSV with semicolons", "name;url\nx;https://a.test/1\n", ["2 https://a.test/1"]],
  [
    "CSV with a header that says nothing: the first column of URLs",
    "x,y,z\n1,https://a.test/1,https://a.test/no\n",
    ["2 https://a.test/1"],
    "pages.csv",
  ],
  ["CSV without a header", "1,https://a.test/1\n2,https://a.test/2\n", ["1 https://a.test/1", "2 https://a.test/2"]],
  ["ranked domains", "1,a.test\n2,b.test\n", ["1 a.test", "2 b.test"]],
  ["tabs", "https://a.test/1\tone\nhttps://a.test/2\ttwo\n", ["1 https://a.test/1", "2 https://a.test/2"]],
  ["one column with a header, and quotes", 'url\n"https://a.test/x,y"\n', ["2 https://a.test/x,y"], "pages.csv"],
  [
    "records.jsonl",
    '{"url":"https://a.test/1","status":"completed"}\n\n{"url":"https://a.test/2"}\nbroken\n',
    ["1 https://a.test/1", "3 https://a.test/2", "4 broken"],
  ],
  ["a JSON list", '["https://a.test/1", {"loc": "https://a.test/2"}]', ["1 https://a.test/1", "2 https://a.test/2"]],
  ["an IPv6 address", "[::1]:8080/\n", ["1 [::1]:8080/"]],
  [
    "a sitemap, without its images",
    '<?xml version="1.0"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n<url><loc> https://a.test/?a=1&amp;b=2 </loc><image:image><image:loc>https://a.test/i.png</image:loc></image:image></url>\n<url><loc><![CDATA[https://a.test/2]]></loc></url></urlset>',
    ["3 https://a.test/?a=1&b=2", "4 https://a.test/2"],
  ],
  [
    "a sitemap with a prefix",
    '<s:urlset xmlns:s="x">\n<s:url><s:loc>https://a.test/</s:loc></s:url></s:urlset>',
    ["2 https://a.test/"],
  ],
  ["nothing", "\n# none\n", []],
];

test.each(LISTS)("reads %s", (_, text, entries, name) => {
  expect(read(text, name)).toEqual(entries);
});

describe("what is no list", () => {
  test.each([
    ["<html><body>no</body></html>", /no sitemap/],
    ['{"name":"x"}\n', /has no URLs/],
  ])("%s", (text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});

test("an index gives sitemaps", () => {
  const index = "<sitemapindex>\n<sitemap><loc>https://a.test/s1.xml</loc></sitemap></sitemapindex>";
  expect(readList(index, "list")).toEqual([{ text: "https://a.test/s1.xml", line: 2, rest: [], isSitemap: true }]);
});

const PAGES: [string, string | null][] = [
  ["https://a.test", "https://a.test/"],
  ["a.test/x?utm_source=m", "https://a.test/x"],
  ["localhost:8080/a", "http://localhost:8080/a"],
  ["localhost", "http://localhost/"],
  ["intranet:81", "https://intranet:81/"],
  ["http://intranet/a", "http://intranet/a"],
  ["[::1]:80/", "http://[::1]/"],
  ["münchen.test", "https://xn--mnchen-3ya.test/"],
  ["URL", null],
  ["/about", null],
  ["mailto:a@b.test", null],
  ["a@b.test", null],
  ["ftp://a.test/", null],
  ["javascript:void(0)", null],
  ["https://a.test/a b", null],
  [`https://a.test/${"x".repeat(2_048)}`, null],
];

test.each(PAGES)("%s names the page %s", (text, url) => {
  expect(pageOf(text)).toBe(url);
});

test.each(["http://me:secret@a.test/", "https://me@a.test/x"])(
  "%s names no page, because its log-in is not sent",
  (text) => {
    expect(pageOf(text)).toBeNull();
    expect(whyInvalid({ text })).toContain("are not sent");
  },
);

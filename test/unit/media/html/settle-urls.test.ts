import { expect, test } from "vitest";
import { ContentElement } from "../../../../src/media/html/article/content-tree.ts";
import { UrlSettler } from "../../../../src/media/html/links/settle-urls.ts";

/** Content has the URLs that the URL standard's parser makes, whichever way they are made. */

const BASES = [
  "https://a.test/docs/page.html",
  "http://a.test:8080/",
  "https://user:secret@a.test/docs/",
  "ftp://a.test/docs/",
  `https://a.test/${"long".repeat(2_000)}/`,
];
const HREFS = ["/", "/a/b.html", "/a/../b", "/a//b", "//b.test/c", "/a?b=c", "/ä", "/a b", "/%7Ea", "/a/.b", "c.html"];

test.each(BASES)("hrefs on a page at %.40s", (base) => {
  const settler = new UrlSettler(base);
  const from = base.length > 2_000 ? "https://a.test/" : base;
  for (const href of HREFS) {
    const link = new ContentElement("a");
    link.setAttribute("href", href);
    settler.settle(link);
    expect(link.getAttribute("href")).toBe(new URL(href, from).href);
  }
});

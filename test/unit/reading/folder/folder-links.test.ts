import { describe, expect, test } from "vitest";
import type { LinkTarget } from "../../../../src/crawl/page/link-target.ts";
import { findFiles } from "../../../../src/reading/folder/find-files.ts";
import { CollectedLinks, FolderLinks } from "../../../../src/reading/folder/folder-links.ts";
import { plainContext } from "../../../../src/reading/replay/replay-links.ts";
import { rewriteCss, rewriteRefresh, rewriteSrcset } from "../../../../src/reading/replay/rewrite-text.ts";

const PAGE = "https://a.test/dir/page?x=1";
const FILES = new Map([
  ["https://a.test/", "a.test/index.html"],
  ["https://a.test/dir/b", "a.test/dir/b~.html"],
  ["https://a.test/dir/a,b.png", "a.test/dir/a,b~.png"],
  ["https://b.test/c.css?v=1", "b.test/c~v=1.css"],
  [PAGE, "a.test/dir/page~x=1.html"],
]);
const links = new FolderLinks(plainContext(PAGE), "a.test/dir/page~x=1.html", FILES);

describe("a link", () => {
  test.each<[string, string | null]>([
    ["b", "b~.html"],
    ["b?utm_source=x#part", "b~.html#part"],
    ["/", "../index.html"],
    ["//b.test/c.css?v=1", "../../b.test/c~v=1.css"],
    ["?x=1", "page~x=1.html"],
    ["gone.html?a#b", "https://a.test/dir/gone.html?a#b"],
    ["https://me:secret@c.test/", "https://c.test/"],
    ["#top", null],
    ["", null],
    ["mailto:a@b.test", null],
    ["javascript:alert(1)", null],
  ])("%j", (written, address) => {
    expect(links.addressOf(written)).toBe(address);
  });

  test("below another base", () => {
    const based = new FolderLinks(
      { ...plainContext(PAGE), base: "https://a.test/" },
      "a.test/dir/page~x=1.html",
      FILES,
    );
    expect([based.addressOf("dir/b"), based.addressOf("#top")]).toEqual(["b~.html", "../index.html#top"]);
  });
});

test("CSS, srcset and refreshes lead to files", () => {
  expect(rewriteCss("a { b: url(b) } @import '//b.test/c.css?v=1';", links)).toBe(
    `a { b: url("b~.html") } @import "../../b.test/c~v=1.css";`,
  );
  expect(rewriteSrcset("a,b.png 1x, x.png 2x", links)).toBe("a%2Cb~.png 1x, https://a.test/dir/x.png 2x");
  expect(rewriteRefresh("0;url=/", links)).toBe("0; url=../index.html");
});

test("links are collected as canonical URLs, and stay as written", () => {
  const collected = new CollectedLinks(plainContext(PAGE));
  const css = "a { b: url(b#x); c: url(b?utm_source=y); d: url(#e); f: url(data:,x) }";
  expect(rewriteCss(css, collected)).toBe(css);
  expect([...collected.urls]).toEqual(["https://a.test/dir/b"]);
});

describe("the file of a URL", () => {
  const row = (url: string, changes: Partial<LinkTarget> = {}): LinkTarget => ({
    url: `https://a.test/${url}`,
    status: "completed",
    reason: null,
    detail: null,
    contentType: "text/html",
    sha256: "00",
    ...changes,
  });
  const moved = (url: string, to: string) =>
    row(url, { status: "skipped", reason: "redirected", detail: `to https://a.test/${to}` });
  const ROWS = [
    row("", {}),
    row("image", { contentType: "image/png" }),
    row("gone", { status: "errored", reason: "http-status" }),
    row("waits", { status: "queued", contentType: null }),
    moved("old", "older"),
    moved("older", ""),
    moved("round", "again"),
    moved("again", "round"),
    moved("away", "unknown"),
    ...Array.from({ length: 40 }, (_, i) => moved(`hop-${i}`, i === 39 ? "" : `hop-${i + 1}`)),
  ];

  test.each<[string, string | undefined]>([
    ["", "a.test/index.html"],
    ["image", "a.test/image~~.png"],
    ["old", "a.test/index.html"],
    ["gone", undefined],
    ["waits", undefined],
    ["round", undefined],
    ["away", undefined],
    ["unknown", undefined],
    ["hop-30", "a.test/index.html"],
    // More redirects than a browser follows.
    ["hop-0", undefined],
  ])("%j is %s", async (path, file) => {
    const url = `https://a.test/${path}`;
    let asked = 0;
    const files = await findFiles(new Set([url]), async (urls) => {
      asked += 1;
      return ROWS.filter((found) => urls.includes(found.url));
    });
    expect(files.get(url)).toBe(file);
    expect(asked).toBeLessThanOrEqual(21);
  });
});

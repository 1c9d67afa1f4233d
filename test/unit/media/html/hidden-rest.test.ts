import { describe, expect, test } from "vitest";
import type { DocumentRequest } from "../../../../src/media/document.ts";
import { extractPage } from "../../../../src/media/html/page.ts";
import { parseHtml } from "../../../../src/media/html/tree/linkedom.ts";
import { readHtml } from "../../../../src/media/html/tree/read-html.ts";
import { scanPage } from "../../../../src/media/html/tree/scan-page.ts";
import { canonicalize } from "../../../../src/url/canonicalize.ts";
import { cpuMsOf } from "../../cpu-time.ts";

/** Markup after which browsers show the rest of a page. */

const SOURCE = { url: "https://example.com/", contentType: "text/html" };
const REQUEST: DocumentRequest = {
  agent: "orbweaver",
  scriptLinks: false,
  requisites: false,
  formats: ["markdown"],
  obeyNoindex: true,
};
const pathsOf = (links: readonly { url: string }[]) => links.map(({ url }) => url.slice("https://example.com".length));

const CASES: [html: string, links: string[]][] = [
  ["<script>'<a href=/no>'</script/><a href=/b>", ["/b"]],
  ["<script>'<a href=/no>'</SCRIPT/x y><a href=/b>", ["/b"]],
  ["<script>'</script</script><a href=/b>", ["/b"]],
  ["<style>a {}</style/><a href=/b>", ["/b"]],
  ["<title>a</title/><a href=/b>", ["/b"]],
  ["<textarea><a href=/no></textarea/><a href=/b>", ["/b"]],
  ["<xmp><a href=/no></xmp/><a href=/b>", ["/b"]],
  ["<template><a href=/no></template/><a href=/b>", ["/b"]],
  ["<noembed><a href=/no></noembed/><a href=/b>", ["/b"]],

  ["<p><![CDATA[ never closed <p>text<a href=/b>", ["/b"]],
  ["<![CDATA[ closed > <a href=/b>x</a> ]]> <a href=/c>", ["/b", "/c"]],
  ["<script>//<![CDATA[\n'<a href=/no>' //]]></script><a href=/b>", ["/b"]],
  ["<svg></svg><![CDATA[ x ><a href=/b>", ["/b"]],
  ["<svg><![CDATA[ > <a href=/no>]]></svg><a href=/b>", ["/b"]],
  ["<math><mi></mi><![CDATA[<a href=/no>]]></math><a href=/b>", ["/b"]],

  ["<iframe src=/f><!-- <a href=/no> </iframe><a href=/b>", ["/f", "/b"]],
  ["<iframe><!-- <a href=/no> --><a href=/a><!-- </iframe><a href=/b><!-- --><a href=/c>", ["/a", "/b", "/c"]],
  ["<noframes><!-- </noframes><a href=/b>", ["/b"]],
  ["<noscript><!-- --!> <!-- </noscript><a href=/b>", ["/b"]],
  ["<noembed><!-- </NOEMBED ><a href=/b>", ["/b"]],
  ["<iframe><!-- <a href=/no> never closed", []],
  ["<!-- <iframe> <!-- </iframe> <a href=/no> --><a href=/b>", ["/b"]],

  ["<!-- <noscript> --><!-- <noscript></noscript><a href=/no> --><a href=/b>", ["/b"]],

  ["<svg><title>a</svg><a href=/b>", ["/b"]],
  ["<svg><g><style>a {}</g></svg><a href=/b>", ["/b"]],
  ["<svg><textarea>a</svg><a href=/b><textarea><a href=/no></textarea>", ["/b"]],
  ["<svg><script>a</svg><a href=/b><script>'<a href=/no>'</script>", ["/b"]],
  ["<svg><xmp></svg><svg><xmp></svg><a href=/b>", ["/b"]],
  ["<math><title>a</math><a href=/b>", ["/b"]],
  ["<svg><TITLE>a<a href=/b>", ["/b"]],
  ["<svg><style>'<a href=/no>'</style><title><a href=/no></title></svg><a href=/b>", ["/b"]],
  ["<svg><style/><title/></svg><a href=/b>", ["/b"]],
  ["<svg><titles>a</svg><a href=/b>", ["/b"]],
];

test.each(CASES)("%s", (html, links) => {
  expect(pathsOf(extractPage(parseHtml(html), SOURCE.url, canonicalize).links)).toEqual(links);
  expect(pathsOf(scanPage(html, SOURCE, REQUEST, canonicalize).links)).toEqual(links);
});

test("text in HTML content of SVG stays text", () => {
  const html = "<svg><foreignObject><textarea></svg><a href=/no></textarea></foreignObject></svg><a href=/b>";
  expect(pathsOf(extractPage(parseHtml(html), SOURCE.url, canonicalize).links)).toEqual(["/b"]);
});

describe("a page beyond a limit of the parser", () => {
  const read = (html: string, changes: Partial<DocumentRequest> = {}) =>
    readHtml(new TextEncoder().encode(html), SOURCE, { ...REQUEST, ...changes });
  const deep = `<title>t</title><p>before</p><a href=/a>x</a>${"<div>".repeat(20_000)}<p>after</p><a href=/b>x</a>`;

  test("nested too deeply: its links are read, and its text up to there", () => {
    const { title, links, content, leftOut } = read(deep);
    expect([title, pathsOf(links)]).toEqual(["t", ["/a", "/b"]]);
    expect(content?.markdown).toContain("before");
    expect(content?.markdown).not.toContain("after");
    expect(leftOut.problem).toBe(
      "nested deeper than 5000 elements: its links were read, and its text up to that point",
    );
  });

  test("has no content if it says noindex", () => {
    const html = `<meta name=robots content=noindex>${deep}`;
    expect(read(html).content).toBeNull();
    expect(read(html, { obeyNoindex: false }).content?.markdown).toContain("before");
  });

  test("with too many nodes and few links: the text before the limit is read", () => {
    const { content, leftOut } = read(`<p>before</p>${"<br>".repeat(600_000)}<p>after</p>`);
    expect(content?.markdown).toContain("before");
    expect(leftOut.problem).toMatch(/^more than 500000 nodes: /);
  });

  test.each([
    ["with a link before them", "<a href=/a>x</a>", ""],
    ["with a link after them", "", "<a href=/a>x</a>"],
  ])("with too many nodes, %s: its links are read, and the text before the limit", (_, ...link) => {
    const [before, after] = link;
    const { content, links } = read(`<p>before</p>${before}${"<br>".repeat(600_000)}${after}`);
    expect([content?.markdown?.includes("before"), pathsOf(links)]).toEqual([true, ["/a"]]);
  });

  test("leaves nothing behind for the next", () => {
    read(deep);
    expect(pathsOf(read("<a href=/c>x</a>").links)).toEqual(["/c"]);
    expect(read("<a href=/c>x</a>").leftOut.problem).toBeNull();
  });
});

test("markup made to cost much costs little", () => {
  const pages = [
    "<svg><title>".repeat(2_000),
    `<svg>${"<title/>".repeat(150_000)}`,
    `${"<svg><style>a".repeat(1_000)}${"</svg>".repeat(1_000)}`.repeat(20),
    "<iframe><!--".repeat(300_000),
    `${"<iframe><!-- </iframe>".repeat(300_000)}`,
    "<![CDATA[".repeat(1_000_000),
    "</a/".repeat(1_000_000),
  ];
  const ms = cpuMsOf(() => {
    for (const page of pages) scanPage(page, SOURCE, REQUEST, canonicalize);
  });
  expect(ms).toBeLessThan(15_000);
});

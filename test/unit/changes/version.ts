import type { PageVersion } from "../../../src/changes/page-version.ts";
import { versionOf } from "../../../src/changes/page-version.ts";
import { readHtml } from "../../../src/media/html/tree/read-html.ts";

/** A version with these blocks. */
export function version(blocks: readonly string[], more: Partial<PageVersion> = {}): PageVersion {
  return {
    title: "Title",
    canonical: null,
    looksMissing: false,
    blocks,
    headings: [],
    rest: null,
    ...more,
  };
}

/** The version of a page with this HTML, as the crawl reads it. */
export function versionOfHtml(html: string, ignoredElements: readonly string[] = []): PageVersion {
  const source = { url: "https://example.com/page", contentType: "text/html; charset=utf-8" };
  const document = readHtml(new TextEncoder().encode(html), source, {
    agent: "orbweaver",
    scriptLinks: false,
    requisites: false,
    formats: ["text"],
    pageText: true,
    obeyNoindex: false,
    ignoredElements,
  });
  const made = versionOf(document);
  if (made === null) throw new Error("the page has no content");
  return made;
}

/** A paragraph of words that no other number gives. */
export function prose(number: number): string {
  const words = Array.from({ length: 12 }, (_, at) => `word${letters(number * 31 + at * 7)}`);
  return `${words.join(" ")}.`;
}

/** Blocks that no other page has. */
export function own(page: number, count = 4): string[] {
  return Array.from({ length: count }, (_, part) => prose(100 * page + part));
}

function letters(number: number): string {
  return [...number.toString(26)].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 26))).join("");
}

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinBytes } from "../../../src/core/join-bytes.ts";
import {
  decodePageLinks,
  encodePageLinks,
  findPageLinks,
  MAX_LINE_BYTES,
  type PageLinks,
} from "../../../src/graph/page-links.ts";
import type { PageLink } from "../../../src/media/links/links.ts";

const text = fc.string({ unit: "binary", maxLength: 30 });
const url = fc.oneof(text, fc.webUrl());
const somePage: fc.Arbitrary<PageLinks> = fc.record({
  url,
  title: fc.option(text),
  description: fc.option(text),
  canonical: fc.option(url),
  alternates: fc.array(fc.record({ url, language: text }), { maxLength: 3 }),
  ids: fc.option(fc.array(fc.nat(0xffffffff), { maxLength: 5 })),
  links: fc.array(
    fc.record({
      url,
      kind: fc.constantFrom("a", "area", "frame", "iframe", "link", "refresh", "script", "page", "sitemap"),
      nofollow: fc.boolean(),
      rel: text,
      text,
      place: fc.constantFrom("navigation", "content"),
      fragment: fc.option(text),
    }),
    { maxLength: 6 },
  ),
  dropped: fc.nat(),
});

const EMPTY: PageLinks = {
  url: "https://a.test/",
  title: null,
  description: null,
  canonical: null,
  alternates: [],
  ids: [],
  links: [],
  dropped: 0,
};

describe("kept links", () => {
  it("are read as they were written, whatever the pages hold", () => {
    fc.assert(
      fc.property(fc.array(somePage, { maxLength: 4 }), (pages) => {
        expect([...decodePageLinks(joinBytes(pages.map(encodePageLinks)))]).toEqual(pages);
      }),
    );
  });

  it("keep the sketch, the kind and the wish of a page that nothing is followed, and each without the others", () => {
    const sketch = Uint8Array.of(1, 2, 255);
    const pages: PageLinks[] = [
      { ...EMPTY, sketch },
      { ...EMPTY, pageKind: "product" },
      { ...EMPTY, sketch, pageKind: "article" },
      { ...EMPTY, followsNone: true },
      { ...EMPTY, sketch, pageKind: "article", followsNone: true },
    ];
    expect([...decodePageLinks(joinBytes(pages.map(encodePageLinks)))]).toEqual(pages);
  });

  it("are found by the URL of their page", () => {
    fc.assert(
      fc.property(fc.uniqueArray(somePage, { maxLength: 4, selector: (page) => page.url }), url, (pages, other) => {
        const lines = joinBytes(pages.map(encodePageLinks));
        for (const page of pages) expect(findPageLinks(lines, page.url)).toEqual(page);
        if (!pages.some((page) => page.url === other)) expect(findPageLinks(lines, other)).toBeNull();
      }),
    );
  });

  it("leave out the links that do not fit, and count them", () => {
    const link = (at: number): PageLink => ({
      url: `https://a.test/${at}`,
      kind: "a",
      nofollow: false,
      rel: "",
      text: "x".repeat(80),
      place: "content",
      fragment: null,
    });
    const links = Array.from({ length: 100_000 }, (_, at) => link(at));
    const line = encodePageLinks({ ...EMPTY, links, dropped: 7 });
    const [page] = [...decodePageLinks(line)];
    expect(line.byteLength).toBeLessThanOrEqual(MAX_LINE_BYTES);
    const kept = page?.links.length ?? 0;
    expect(kept).toBeGreaterThan(20_000);
    expect(page?.links.at(-1)).toEqual(link(kept - 1));
    expect(page?.dropped).toBe(7 + links.length - kept);
  });
});

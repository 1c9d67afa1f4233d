import fc from "fast-check";
import { expect, test } from "vitest";
import { UrlHashes, UrlIndex } from "../../../src/passes/links/url-index.ts";

/** The index of a crawl's URLs. */

test("every URL is found at its node with its member, and no other URL is found", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.webUrl({ withQueryParameters: true }), { maxLength: 3_000 }), (urls) => {
      const half = urls.slice(0, urls.length >> 1);
      const hashes = new UrlHashes();
      for (const url of half) hashes.add(url);
      const memberOf = new Uint32Array(half.length).map((_, node) => node % 7);
      const index = new UrlIndex(hashes.toIndex(memberOf));
      expect(index.nodes).toBe(half.length);
      expect(urls.map((url) => index.find(url))).toEqual(urls.map((_, i) => (i < half.length ? i : null)));
      expect(half.map((_, node) => index.memberOf(node))).toEqual([...memberOf]);
    }),
    { numRuns: 30 },
  );
});

test("URLs that differ in one character have different hashes", () => {
  const hashes = new UrlHashes();
  const urls = Array.from({ length: 200_000 }, (_, i) => `https://a.test/articles/${i}.html`);
  for (const url of urls) hashes.add(url);
  const index = new UrlIndex(hashes.toIndex(new Uint32Array(urls.length)));
  expect(urls.every((url, node) => index.find(url) === node)).toBe(true);
});
